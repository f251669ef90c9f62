/** Texts that are too large to be sent back by the form of a page: the form leaves them out, and they stay (decision 0303). */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { offeredBy } from "../support/page-forms.ts";
import { signedIn, type Visitor } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

const API = "/api/v4/projects/acme%2Frocket";
const OPERATIONS = "/acme/rocket/-/settings/operations";

let world: World;
let max: Visitor;
before(async () => {
  world = await startWorld();
  max = await signedIn(world, "max");
});

/** What a text field of the page contains, and what its form sends hidden. */
async function formAt(page: string, field: string, action = page) {
  const { text } = await max.get(page);
  const area = new RegExp(`<textarea [^>]*name="${field}"[^>]*>\n([^<]*)</textarea>`).exec(text);
  const form = offeredBy(text).find((one) => one.action === action && "shown" in one.fields);
  return { text, area: area?.[1], hidden: form?.fields ?? {} };
}

test("an integration with a large sample can be renamed and get rules on its pages, and its sample stays (decision 0303)", async () => {
  const sample = {
    title: "Large",
    lines: Array.from({ length: 20_000 }, (_one, at) => `line ${at} of the log`),
  };
  const json = { type: "http", name: "Logs", payload_example: sample };
  const { id } = (await world.call(`${API}/alert_integrations`, { as: "max", json })).json;
  const stored = async () => (await world.call(`${API}/alert_integrations/${id}`, { as: "max" })).json;
  const own = `${OPERATIONS}/integrations/${id}`;
  const edit = await formAt(own, "payload_example");
  assert.equal(edit.area, "");
  assert.match(edit.text, /too large for this form; empty: stays as it is/);
  const renamed = { ...edit.hidden, name: "Renamed", active: "true", payload_example: "" };
  assert.equal((await max.post(own, renamed)).status, 303);
  const rules = await formAt(`${own}/rules`, "payload_example");
  assert.equal(rules.area, "");
  assert.match(rules.text, /It would open an alert or be counted\./);
  const ruled = { ...rules.hidden, action: "save", group_by: "title", payload_example: "" };
  assert.equal((await max.post(`${own}/rules`, ruled)).status, 303);
  const after = await stored();
  assert.deepEqual([after.name, after.group_by], ["Renamed", ["title"]]);
  assert.deepEqual(after.payload_example, sample);
  // It can be tried, and be replaced by a smaller one, which is in the form from then on.
  const tried = await max.follow(await max.post(own, { ...renamed, next: "test" }));
  assert.match(tried.text, /Test alert accepted/);
  assert.match(tried.text, /-d &#39;@payload\.json&#39;/);
  assert.equal((await max.post(own, { ...renamed, payload_example: '{"title":"Small"}' })).status, 303);
  assert.equal((await formAt(own, "payload_example")).area, "{\n  &quot;title&quot;: &quot;Small&quot;\n}");
});

test("an incident with a large description can be renamed on its page, and its description stays (decision 0303)", async () => {
  const description = "A long story. ".repeat(20_000).trim();
  const made = await world.call(`${API}/issues`, { as: "max", json: { title: "Long", description } });
  assert.equal(made.status, 201, made.text);
  const own = `/acme/rocket/-/incidents/${made.json.iid}`;
  const edit = await formAt(own, "description");
  assert.equal(edit.area, "");
  const renamed = { ...edit.hidden, action: "edit", title: "Longer", severity: "high", description: "" };
  assert.equal((await max.post(own, renamed)).status, 303);
  const after = (await world.call(`${API}/issues/${made.json.iid}`, { as: "max" })).json;
  assert.deepEqual([after.title, after.description === description], ["Longer", true]);
});

test("a payload that nests deeply makes no page of a hundred times its size (decision 0303)", async () => {
  const nested = `${"[".repeat(90)}${"1,".repeat(100_000)}1${"]".repeat(90)}`;
  const payload = `{"title":"Nested","a":${nested}}`;
  const json = { type: "http", name: "Nested", payload_example: JSON.parse(payload) };
  const { id, url, authorization_key } = (await world.call(`${API}/alert_integrations`, { as: "max", json }))
    .json;
  const sent = await world.call(new URL(url).pathname, {
    body: payload,
    headers: { "content-type": "application/json", authorization: `Bearer ${authorization_key}` },
  });
  assert.equal(sent.status, 200, sent.text);
  const integration = `${OPERATIONS}/integrations/${id}`;
  for (const page of [`/acme/rocket/-/alerts/${sent.json[0].iid}`, integration, `${integration}/rules`]) {
    const { status, text } = await max.get(page);
    assert.equal(status, 200, page);
    assert.ok(text.length < 500_000, `${page}: ${text.length}`);
  }
});
