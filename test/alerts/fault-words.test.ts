/** Errors in the forms about alerts name the field. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { signedIn, type Visitor } from "../support/visitor.ts";
import { startWorld } from "../support/world.ts";

let max: Visitor;
before(async () => {
  max = await signedIn(await startWorld(), "max");
});

const HOME = "/acme/rocket/-";
const CASES: readonly (readonly [
  form: string,
  action: string,
  fields: Record<string, string>,
  ...said: RegExp[],
])[] = [
  [
    "silences/new",
    "silences",
    { matchers: "title ~ [" },
    /Conditions contain a regular expression/,
    /Why can&#39;t be blank\./,
  ],
  ["incidents/new", "incidents/new", { severity: "low" }, /Title can&#39;t be blank\./],
  ["settings/operations/heartbeats/new", "settings/operations/heartbeats", {}, /Name can&#39;t be blank\./],
  [
    "settings/operations/channels/new?kind=webhook",
    "settings/operations/channels?kind=webhook",
    { kind: "webhook" },
    /Address can&#39;t be blank\./,
    />Tick at least one\.</,
  ],
  ["settings/operations/templates/new", "settings/operations/templates", {}, /Text can&#39;t be blank\./],
  [
    "settings/operations?type=external_tool",
    "settings/operations/integrations",
    { type: "external_tool" },
    /Base API URL can&#39;t be blank\./,
  ],
  [
    "settings/operations",
    "settings/operations/integrations",
    { type: "generic", payload_example: "{" },
    /> ?The [^<]*JSON/,
  ],
];

for (const [form, action, fields, ...said] of CASES) {
  test(`the form ${form} names the field in its error (reference ux §5, errors)`, async () => {
    const page = await max.submit(`${HOME}/${action}`, fields, `${HOME}/${form}`);
    assert.equal(page.status, 422, page.text.slice(0, 500));
    const errors = page.text.match(/class="err"[\s\S]*?<\/p>/g)?.join("\n") ?? "";
    for (const words of said) assert.match(errors.replaceAll(/<svg[\s\S]*?<\/svg>/g, ""), words);
  });
}
