/** The colours of the stylesheet have enough contrast, and the assets that every page loads stay small. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { assets } from "../../src/ui/assets.ts";

function bodyOf(name: RegExp): Buffer {
  const found = assets.find(({ path }) => name.test(path));
  assert.ok(found, String(name));
  return found.body;
}

const stylesheet = bodyOf(/app\.\w+\.css$/);

/** Both colours of `--name: light-dark(#light, #dark)`; the first match is the one outside media queries. */
function coloursOf(name: string): [string, string] {
  const found = new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(stylesheet.toString());
  assert.ok(found?.[1] && found[2], name);
  return [found[1], found[2]];
}

/** Relative luminance (WCAG 2.2). */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Contrast ratio (WCAG 2.2). */
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function holds(pairs: readonly (readonly [string, string])[], least: number): void {
  for (const [front, back] of pairs) {
    const [fronts, backs] = [coloursOf(front), coloursOf(back)];
    for (const theme of [0, 1] as const) {
      const ratio = contrast(fronts[theme], backs[theme]);
      assert.ok(
        ratio >= least,
        `${front} on ${back}, ${theme === 0 ? "light" : "dark"}: ${ratio.toFixed(2)}`,
      );
    }
  }
}

const states = ["crit", "high", "med", "low", "info", "unk", "ok"];

test("text has a contrast of 4.5:1 on all its backgrounds, in both themes (WCAG 1.4.3; reference ux §5)", () => {
  const grounds = ["bg", "surface", "raised", "sunken"];
  const words = ["text", "text-2", "text-3", "accent-text", "brass"];
  holds(
    words.flatMap((word) => grounds.map((ground) => [word, ground] as const)),
    4.5,
  );
  holds(
    states.map((state) => [state, `${state}-soft`] as const),
    4.5,
  );
  holds(
    [
      ["on-accent", "accent"],
      ["on-accent", "accent-hi"],
      ["accent-text", "accent-soft"],
      ["brass", "brass-soft"],
    ],
    4.5,
  );
});

test("outlines of controls, shapes and bars have a contrast of 3:1, in both themes (WCAG 1.4.11; reference ux §5)", () => {
  const fills = [...states.map((state) => `${state}-fill`), "accent", "edge"];
  holds(
    fills.map((fill) => [fill, "surface"] as const),
    3,
  );
  holds([["edge", "bg"]], 3);
});

test("stylesheet and scripts stay small, and load no fonts or external resources (reference ux §9, item 17)", () => {
  assert.ok(gzipSync(stylesheet).length <= 12 * 1024, `${gzipSync(stylesheet).length} bytes`);
  const script = [/app\.\w+\.js$/, /keys\.\w+\.js$/, /passkey\.\w+\.js$/].map(bodyOf);
  assert.ok(gzipSync(Buffer.concat(script)).length <= 8 * 1024);
  for (const body of [stylesheet, ...script])
    assert.doesNotMatch(body.toString(), /@font-face|@import|https?:\/\//);
});
