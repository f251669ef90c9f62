/** The form of a test alert: how a payload is read and sent from a shell, shown before it is sent; with script while typing. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { before, test } from "node:test";
import type { Browser } from "playwright-core";
import { countOf } from "../../src/platform/count-of.ts";
import { sql } from "../../src/platform/sql.ts";
import { aSource, type Source } from "../support/alerts.ts";
import { launchBrowser } from "../support/browser.ts";
import { enter } from "../support/client-site.ts";
import { ALL_LOOKS, inLook } from "../support/looks.ts";
import { signedIn, type Visitor } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

const PAGE = "/acme/rocket/-/settings/operations";
const TEST = `${PAGE}/test`;

let world: World;
let browser: Browser;
let plain: Source;
let mapped: Source;
let dev: Visitor;
before(async () => {
  world = await startWorld();
  browser = await launchBrowser();
  plain = await aSource(world);
  mapped = await aSource(world, "http", { name: "Weighbridges", mapping: { title: ["event.name"] } });
  const quiet = await aSource(world, "http", { name: "Scales of the old yard" });
  await world.platform.db.run(
    sql`update alert_integrations set created_at = now() - interval '1100 days' where id = ${quiet.id}`,
  );
  dev = await signedIn(world, "dev");
});

/** The words of the preview. */
function preview(text: string): string {
  const [, region = ""] = /id="preview"[^>]*>(.*?)<\/section>/s.exec(text) ?? [];
  return region.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");
}

const decoded: Readonly<Record<string, string>> = {
  "&#39;": "'",
  "&quot;": '"',
  "&lt;": "<",
  "&gt;": ">",
  "&amp;": "&",
};

/** The shell command of the page. */
function command(text: string): string {
  const [, escaped = ""] = /<pre[^>]* id="curl"[^>]*>(.*?)<\/pre>/s.exec(text) ?? [];
  return escaped.replaceAll(/&(?:#39|quot|lt|gt|amp);/g, (entity) => decoded[entity] ?? entity);
}

/** What a shell hands to curl as the body. */
function bodyFor(line: string): string {
  const script = `curl() { for last; do :; done; printf %s "$last"; }\n${line}`;
  return spawnSync("sh", ["-c", script], { encoding: "utf8" }).stdout;
}

const countAlerts = () => countOf(world.platform.db, sql`select count(*) as n from alerts`);

test("the page shows how the payload in the form would be read before anything is sent (reference ux §6, test alert)", async () => {
  const { text } = await dev.get(PAGE);
  assert.match(preview(text), /How it is read Title Weighbridge 2 out of range Severity Medium/);
});

test("a preview reads the payload by the rules of the chosen integration and sends nothing (reference ux §6, test alert)", async () => {
  const payload = '{"event": {"name": "Scale 4 drifts"}, "severity": "high", "hosts": ["a", "b"]}';
  const before = await countAlerts();
  const shown = await dev.submit(TEST, { action: "preview", integration_id: `${mapped.id}`, payload }, PAGE);
  assert.equal(shown.status, 200);
  assert.match(preview(shown.text), /Title Scale 4 drifts Severity High .*Hosts a b/);
  assert.match(command(shown.text), new RegExp(`${mapped.path.replaceAll(".", "\\.")} `));
  assert.match(shown.text, /<option value="\d+" selected>Weighbridges</);
  assert.doesNotMatch(shown.text, /Test alert accepted|<title>Error/);
  assert.equal(await countAlerts(), before);
  const sent = await dev.follow(await dev.post(TEST, { integration_id: `${mapped.id}`, payload }));
  assert.match(sent.text, /Test alert accepted/);
  assert.match(preview(sent.text), /Title Scale 4 drifts/, "read by the same rules after it was sent");
});

test("what would be refused is said with line and column, and the form stays as it was (spec: Errors 3; ux §6, test alert)", async () => {
  for (const [payload, words] of [
    ['{"title": ', /It would be refused: The body is not valid JSON: line 1, column 11/],
    ["[]", /It would be refused: /],
    ["", /It would be refused: The body is empty/],
  ] as const) {
    const fields = { action: "preview", integration_id: `${plain.id}`, payload };
    const { status, text } = await dev.submit(TEST, fields, PAGE);
    assert.equal(status, 200);
    assert.match(preview(text), words);
    assert.doesNotMatch(text, /aria-invalid/);
  }
  const gone = { action: "preview", integration_id: "999999", payload: "{}" };
  const { status, text } = await dev.submit(TEST, gone, PAGE);
  assert.equal(status, 422);
  assert.match(preview(text), /It would be refused: Choose an active integration\./);
});

test("a preview says that a payload ends an alert, and that a test opens the first of several (reference ux §6, test alert)", async () => {
  const read = async (payload: unknown) => {
    const fields = { action: "preview", integration_id: `${plain.id}`, payload: JSON.stringify(payload) };
    return preview((await dev.submit(TEST, fields, PAGE)).text);
  };
  assert.match(
    await read({ title: "x", end_time: "2026-11-01T00:00:00Z" }),
    /A real one would resolve an alert/,
  );
  assert.match(await read([{ title: "One" }, { title: "Two" }]), /Title One .*The first of 2 alerts/);
  const hosts = Array.from({ length: 30 }, (_, i) => `h${i}`);
  assert.match(await read({ title: "x", hosts }), /h19 and 10 more/);
});

test("the shell command sends exactly what is typed, whatever it contains, and never a file (reference ux §6, test alert)", async () => {
  for (const payload of [
    `{"title": "it's $HOME \`id\` \\\\ !! "quoted""}`,
    '{\n  "title": "two lines"\n}',
    "'; echo gone #",
    "<script>alert(1)</script>&amp;",
  ]) {
    const fields = { action: "preview", integration_id: `${plain.id}`, payload };
    const { text } = await dev.submit(TEST, fields, PAGE);
    assert.equal(bodyFor(command(text)), payload);
  }
  for (const payload of ["@/etc/hostname", JSON.stringify({ title: "x".repeat(2000) })]) {
    const fields = { action: "preview", integration_id: `${plain.id}`, payload };
    assert.equal(bodyFor(command((await dev.submit(TEST, fields, PAGE)).text)), "@payload.json");
  }
});

test("a Reporter gets no preview, and a form without its token none either (spec: Authentication 11)", async () => {
  const fields = { action: "preview", integration_id: `${plain.id}`, payload: "{}" };
  assert.equal((await (await signedIn(world, "rep")).submit(TEST, fields, "/")).status, 403);
  assert.equal((await dev.post(TEST, { ...fields, csrf_token: "stale" })).status, 403);
});

for (const one of ALL_LOOKS) {
  const script = one.javaScriptEnabled ? "with" : "without";
  test(`the test alert is previewed and sent at ${one.size}, ${script} script (reference ux §0.7, §6; WCAG 2.2 AA)`, () =>
    inLook(browser, world.url, one, async ({ page, judge, look }) => {
      await page.goto(`${world.url}/users/sign_in`);
      await enter(page, "max");
      await page.waitForURL((url) => !url.pathname.startsWith("/users/"));
      await look("test alert before", `${PAGE}#test`);
      await page.selectOption("#integration_id", { label: "Weighbridges" });
      await page.fill("#payload", '{"event": {"name": "Scale 4 drifts"}, "drift_kg": 340}');
      const region = page.locator("#preview");
      if (one.javaScriptEnabled) {
        await region.getByText("Scale 4 drifts", { exact: true }).waitFor();
        assert.match(await region.locator("#curl").innerText(), /weighbridges.*"name": "Scale 4 drifts"/s);
        assert.equal(await page.evaluate("document.activeElement.id"), "payload");
      } else {
        await page.getByRole("button", { name: "Preview", exact: true }).click();
        await page.waitForURL(`${world.url}${TEST}#preview`);
        await region.getByText("Scale 4 drifts", { exact: true }).waitFor();
      }
      await judge("test alert previewed");
      await page.getByRole("button", { name: "Send test alert", exact: true }).click();
      await page.waitForURL(/\?tested=\d+#test$/);
      await region.getByText("Scale 4 drifts", { exact: true }).waitFor();
      await judge("test alert sent");
      await page.fill("#payload", '{"event": ');
      if (!one.javaScriptEnabled) await page.getByRole("button", { name: "Preview", exact: true }).click();
      await region.getByText("It would be refused").waitFor();
      await judge("test alert refused");
    }));
}
