/** The page of reading rules, with previews on a sample and on past receipts. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Browser } from "playwright-core";
import { aSource, type Source } from "../support/alerts.ts";
import { launchBrowser } from "../support/browser.ts";
import { enter } from "../support/client-site.ts";
import { signedIn, type Visitor } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let source: Source;
let max: Visitor;
let path: string;
before(async () => {
  world = await startWorld();
  source = await aSource(world);
  max = await signedIn(world, "max");
  path = `/acme/rocket/-/settings/operations/integrations/${source.id}/rules`;
  for (const [host, load] of [
    ["db-1", 91],
    ["db-1", 92],
    ["db-2", 95],
  ] as const) {
    assert.equal(
      (await source.send({ event: { name: `Disk ${load} %`, prio: "P1" }, host, load })).status,
      200,
    );
  }
});

const RULES = {
  path_title: "event.headline, event.name",
  path_severity: "event.prio",
  table_severity: "p1 = high\n* = low",
  group_by: "host",
};

function plain(text: string): string {
  const preview = text.slice(text.indexOf('id="preview"'));
  return preview.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");
}

test("a preview applies rules to the sample and to past requests without saving them (reference alerts F3)", async () => {
  const sample = { event: { name: "Disk 99 %", prio: "p7" }, host: "db-9" };
  const shown = await max.submit(path, {
    ...RULES,
    action: "preview",
    payload_example: JSON.stringify(sample),
  });
  assert.equal(shown.status, 200);
  const words = plain(shown.text);
  assert.match(words, /title Disk 99 % from event\.name/);
  assert.match(words, /severity low from event\.prio/);
  assert.match(
    words,
    /The newest 3 requests: 3 alerts as they are read today, 2 alerts by these rules\. One of them merges/,
  );
  const { json } = await world.call(`/api/v4/projects/acme%2Frocket/alert_integrations/${source.id}`, {
    as: "max",
  });
  assert.deepEqual([json.mapping, json.value_tables, json.group_by], [null, null, []]);
});

test("an invalid JSON sample is reported with line and column, and what was typed is kept (spec: Errors 3)", async () => {
  const broken = '{\n  "title": "x",\n  oops\n}';
  const shown = await max.submit(path, { ...RULES, action: "save", payload_example: broken });
  assert.equal(shown.status, 422);
  assert.match(shown.text, /id="payload_example-err"[\s\S]{0,200}line 3, column 3/);
  assert.ok(shown.text.includes("event.headline, event.name"));
});

test("invalid paths and tables are reported at their fields (decision 0101)", async () => {
  const wrong = {
    path_title: "a..b",
    table_severity: "p1 is critical",
    ignore: "/".repeat(300),
    action: "save",
  };
  const { status, text } = await max.submit(path, wrong);
  assert.equal(status, 422);
  assert.match(text, /id="path_title-err"/);
  assert.match(text, /formaction="[^"]*\/rules#preview"/, "the preview must be in view on small screens too");
  assert.match(text, /id="table_severity-err"[\s\S]{0,200}has a line without =/);
  assert.match(text, /id="ignore-err"/);
});

test("saved rules apply to new payloads, with words translated by their value table (decision 0101)", async () => {
  const saved = await max.submit(path, { ...RULES, action: "save" });
  assert.equal(saved.status, 303);
  await source.send({ event: { name: "Disk 97 %", prio: " P1 " }, host: "db-1", load: 97 });
  const { json } = await source.send({
    event: { name: "Disk 98 %", prio: "urgent" },
    host: "db-1",
    load: 98,
  });
  const alert = `/api/v4/projects/acme%2Frocket/alert_management_alerts/${json[0].iid}`;
  const found = (await world.call(alert, { as: "max" })).json;
  assert.deepEqual([found.title, found.severity, found.events], ["Disk 97 %", "high", 2]);
  assert.match((await max.get(path)).text, /p1 = high/);
});

test("the API accepts value tables and refuses invalid ones (decision 0101)", async () => {
  const api = `/api/v4/projects/acme%2Frocket/alert_integrations/${source.id}`;
  const put = (tables: unknown) =>
    world.call(api, { as: "max", method: "PUT", json: { value_tables: tables } });
  assert.deepEqual((await put({ severity: { warn: "low" } })).json.value_tables, {
    severity: { warn: "low" },
  });
  assert.equal((await put({ hosts: { a: "b" } })).status, 400);
  assert.equal((await put({ severity: { "": "low" } })).status, 400);
  const { json } = await put({ severity: { P1: "critical", P2: "hihg" } });
  assert.match(json.message.value_tables[0], /none of critical, high, medium, low, info, unknown$/);
  assert.equal((await put({ severity: { P1: " High " }, service: { "*": "hihg" } })).status, 200);
  for (const wrong of [{ severity: { p1: 5 } }, { severity: "low" }, { severity: { p1: null } }]) {
    const refused = await put(wrong);
    assert.deepEqual([refused.status, refused.json], [400, { error: "value_tables is invalid" }]);
  }
  assert.equal((await put(null)).json.value_tables, null);
});

test("only Maintainers see the reading rules (contract-alerts, roles)", async () => {
  assert.equal((await (await signedIn(world, "dev")).get(path)).status, 403);
});

test("in a browser with scripts the preview updates while typing (decision 0101)", async () => {
  const browser: Browser = await launchBrowser();
  const page = await browser.newPage();
  await page.goto(`${world.url}/users/sign_in`);
  await enter(page, "max");
  await page.waitForURL((url) => !url.pathname.includes("sign_in"));
  await page.goto(world.url + path);
  await page.fill("#group_by", "event.prio");
  await page.getByText("3 alerts by these rules").waitFor();
  await page.fill("#payload_example", '{"title": }');
  await page.locator("#preview").getByText("line 1, column 11").waitFor();
});
