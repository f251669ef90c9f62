/** The html tag: inserted values never become markup, script or unsafe URLs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { attrs, html, raw, redirectHref, safeHref } from "../../src/ui/html.ts";

const nasty = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom("<", ">", '"', "'", "&", "=", " ", "/", "`", "!", "-", "a", ";", "\n") }),
  fc.constantFrom("</p><script>alert(1)</script>", '" onload="x', "&lt;", "&quot;", "-->", "<!--", "]]>"),
);
const read = (markup: string): string =>
  markup
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");

test("no string breaks out of text or of a quoted attribute, and each is parsed back unchanged (decision 0004)", () => {
  fc.assert(
    fc.property(nasty, nasty, (attribute, text) => {
      const markup = String(html`<p title="${attribute}" class="x">${text}</p>`);
      const found = /^<p title="([^"<>]*)" class="x">([^<>]*)<\/p>$/.exec(markup);
      assert.ok(found, markup);
      assert.equal(read(found[1] ?? ""), attribute);
      assert.equal(read(found[2] ?? ""), text);
    }),
  );
});

test("no string breaks out of attrs(), which renders true as a bare name and false as nothing (decision 0004)", () => {
  fc.assert(
    fc.property(nasty, (value) => {
      const markup = String(
        html`<input${attrs({ value, checked: true, disabled: false, title: undefined })}>`,
      );
      const found = /^<input value="([^"<>]*)" checked>$/.exec(markup);
      assert.equal(read(found?.[1] ?? "-"), value);
    }),
  );
});

test("fragments made by the tag nest unescaped in text, and stay inside the quotes of an attribute (decision 0004)", () => {
  const piece = html`<b>${"<"}</b>`;
  assert.equal(String(html`<p>${piece}</p>`), "<p><b>&lt;</b></p>");
  assert.equal(String(html`<p title="${piece}"></p>`), '<p title="&lt;b&gt;&lt;&lt;/b&gt;"></p>');
  assert.equal(
    String(html`<p title="${raw('"><script>')}"></p>`),
    '<p title="&quot;&gt;&lt;script&gt;"></p>',
  );
});

test("null, undefined and booleans render nothing, numbers render, arrays are joined (docstring of HtmlValue in src/ui/html.ts)", () => {
  const values = [null, undefined, true, false, 0, 7n, ["a", [html`<i></i>`]]];
  assert.equal(String(html`<p>${values}</p>`), "<p>07a<i></i></p>");
});

test("an object that only looks like a fragment is rendered as text (decision 0004)", () => {
  const forged = { toString: () => "<script>" } as unknown as string;
  assert.equal(String(html`<p>${forged}</p>`), "<p>&lt;script&gt;</p>");
});

test("every URL in href uses http, https or mailto, or is on this site (CWE-79)", () => {
  const addresses = fc.oneof(
    nasty,
    fc.webUrl(),
    fc.tuple(
      fc.constantFrom(
        "javascript:",
        "JaVaScRiPt:",
        "java\tscript:",
        " javascript:",
        "\u0001javascript:",
        "data:",
      ),
      nasty,
    ),
    fc.tuple(
      fc.constantFrom("//", "/\\", "\\\\", "/\t/", "https:", "https:/", "mailto:", "/", "?", "#"),
      nasty,
    ),
  );
  fc.assert(
    fc.property(addresses, (made) => {
      const address = Array.isArray(made) ? made.join("") : made;
      const markup = String(html`<a href="${address}"></a>`);
      const href = read(/^<a href="([^"<>]*)"><\/a>$/.exec(markup)?.[1] ?? "javascript:");
      if (!URL.canParse(href, "https://gatehouse.test/here/")) return;
      const url = new URL(href, "https://gatehouse.test/here/");
      assert.match(url.protocol, /^(?:https?|mailto):$/);
      if (!/^(?:https?|mailto):/i.test(href)) assert.equal(url.origin, "https://gatehouse.test");
    }),
    { numRuns: 500 },
  );
});

test("text after a slash in href cannot name another host (CWE-601)", () => {
  fc.assert(
    fc.property(nasty, nasty, (first, second) => {
      for (const host of ["", "/evil.test", "\\evil.test", "\t/evil.test", "//evil.test"]) {
        const markup = String(html`<a href="/${host + first}/x/${second}"></a>`);
        const href = read(/^<a href="([^"<>]*)"><\/a>$/.exec(markup)?.[1] ?? "//broken");
        assert.equal(new URL(href, "https://gatehouse.test/").origin, "https://gatehouse.test");
      }
    }),
  );
});

test("safeHref keeps ordinary URLs unchanged (decision 0004)", () => {
  for (const address of [
    "/",
    "/a/b?c=d#e",
    "?page=2",
    "#main",
    "a/b",
    "https://x.test/",
    "mailto:a@x.test",
    "",
  ]) {
    assert.equal(safeHref(address), address);
  }
});

test("redirectHref allows an application's own scheme but no scheme that runs script (decision 0004; reference reliability S70)", () => {
  assert.equal(
    String(html`<a href="${redirectHref("tidewatch://in?a=1&b")}"></a>`),
    '<a href="tidewatch://in?a=1&amp;b"></a>',
  );
  for (const address of [
    "javascript:x",
    " JAVA\tSCRIPT:x",
    "data:text/html,x",
    "vbscript:x",
    "//x",
    "blob:x",
  ]) {
    assert.equal(String(redirectHref(address)), "#");
  }
});

test("a template is rejected at its first use if it cannot be escaped safely or would be blocked by the content security policy (decision 0004)", () => {
  const value = "x";
  const refused: [RegExp, () => unknown][] = [
    [/outside text/, () => html`<a href=${value}></a>`],
    [/outside text/, () => html`<${value}></a>`],
    [/quote/, () => html`<a href='${value}'></a>`],
    [/sets onclick/, () => html`<a onclick="${value}"></a>`],
    [/sets style/, () => html`<p style="color: red"></p>`],
    [/sets srcdoc/, () => html`<iframe srcdoc="${value}"></iframe>`],
    [/inline script/, () => html`<script>${value}</script>`],
    [/inline script/, () => html`<style>p { }</style>`],
    [/comment/, () => html`<!-- ${value} -->`],
    [/out of pieces/, () => html`<a href="java${value}"></a>`],
    [/out of pieces/, () => html`<a href="${value}${value}"></a>`],
    [/ends inside a tag/, () => html`<p title="a`],
    [/attrs/, () => html`<p ${value}></p>`],
    [/attrs/, () => html`<p ${html`<b></b>`}></p>`],
    [/may not be set/, () => attrs({ onclick: "x" })],
    [/may not be set/, () => attrs({ style: "x" })],
    [/may not be set/, () => attrs({ 'a" b': "x" })],
  ];
  for (const [why, make] of refused) assert.throws(make, why);
});
