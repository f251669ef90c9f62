/** Generated deliveries to alert endpoints and event sources: the messages of many senders with some parts changed. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { sign } from "@octokit/webhooks-methods";
import fc from "fast-check";
import { sql } from "../../src/platform/sql.ts";
import { aSource, type Source } from "../support/alerts.ts";
import { counted } from "../support/attacks.ts";
import { TOOL_SAMPLES } from "../support/every-sample.ts";
import { githubExamples, SECRET, startForge } from "../support/forge.ts";
import { asBrokenJson, asJson } from "../support/generated-bodies.ts";
import { mutated } from "../support/generated-hostile.ts";
import { type Generated, oddHeader } from "../support/generated-requests.ts";
import { GeneratedRuns } from "../support/generated-runs.ts";
import { MESSAGE_SAMPLES } from "../support/message-samples.ts";
import { signedIn } from "../support/visitor.ts";
import type { World } from "../support/world.ts";
import "../support/no-proto.ts";

const EACH = 3;

const ALERTMANAGER = {
  ...{ version: "4", groupKey: "{}:{}", status: "firing", receiver: "web", truncatedAlerts: 0 },
  ...{
    groupLabels: { alertname: "Down" },
    commonLabels: { severity: "critical" },
    externalURL: "http://am.example",
  },
  alerts: [
    {
      ...{ status: "firing", labels: { alertname: "Down", instance: "a:1" }, annotations: { title: "t" } },
      ...{ startsAt: "2026-05-01T10:00:00Z", endsAt: "0001-01-01T00:00:00Z", fingerprint: "abc" },
    },
  ],
};
const OPSGENIE = {
  ...{
    message: "m",
    alias: "x",
    description: "d",
    tags: ["a"],
    details: { a: "b" },
    entity: "e",
    source: "s",
  },
  ...{ priority: "P1", note: "n", user: "u", endTime: "2026-12-01T00:00:00Z", owner: { username: "a" } },
  responders: [{ type: "team", name: "n" }],
};
const PAGERDUTY = (key: string) => ({
  ...{ routing_key: key, service_key: key, event_action: "trigger", event_type: "trigger", dedup_key: "d" },
  ...{
    incident_key: "d",
    description: "d",
    details: { a: 1 },
    links: [{ href: "https://a.example", text: "t" }],
  },
  payload: {
    ...{ summary: "s", source: "h", severity: "critical", timestamp: "2026-05-01T10:00:00Z", class: "c" },
    custom_details: { a: 1 },
  },
});

test("3 generated variants of every sender's messages get no 5xx, each accepted one has a receipt, and all can be read (reference reliability A18, A2)", async (t) => {
  const { world, url } = await startForge();
  const source = await aSource(world);
  const prometheus = await aSource(world, "prometheus");
  const receipts = new Set<string>();
  const runs = new GeneratedRuns(world, ({ status, headers }) => {
    if (status < 300) receipts.add(headers.get("x-alert-receipt") ?? "");
  });
  for (const { name, firing, seen, over } of [
    ...TOOL_SAMPLES.flatMap(([, samples]) => samples),
    ...MESSAGE_SAMPLES,
  ])
    for (const message of [firing, seen, over].filter((one) => one !== undefined))
      await runs.ask(name, variantsOf(message, source.path), EACH, keyOf(source));
  await runs.ask("Alertmanager", variantsOf(ALERTMANAGER, prometheus.path), 40 * EACH, keyOf(prometheus));
  for (const act of [
    "",
    "/x/acknowledge",
    "/x/close?identifierType=alias",
    "/x/notes",
    "/x/assign",
    "/x/tags",
  ])
    await runs.ask(
      `Opsgenie ${act}`,
      variantsOf(OPSGENIE, `/opsgenie/v2/alerts${act}`),
      8 * EACH,
      keyOf(source, "GenieKey"),
    );
  for (const path of ["/v2/enqueue", "/v2/change/enqueue", "/generic/2010-04-15/create_event.json"])
    await runs.ask(path, variantsOf(PAGERDUTY(source.key), path), 20 * EACH);
  for (const { name, examples } of githubExamples)
    for (const sample of examples.slice(0, 3))
      await runs.ask(`GitHub ${name}`, variantsOf(sample, url), EACH, signedAs(name));
  await runs.assertNoFault(t, 2000);
  receipts.delete("");
  assert.ok(receipts.size > 700, `${receipts.size} accepted`);
  const stored = sql`select count(*) as n from alert_receipts where id = any(${[...receipts]})`;
  assert.equal(await counted(world, stored), receipts.size);
  await assertReadable(world);
});

/** Asserts that lists show everything, and that an API record and a page exist for some of it. */
async function assertReadable(world: World): Promise<void> {
  const olga = await signedIn(world, "olga");
  const api = "/api/v4/projects/acme%2Frocket";
  for (const [list, page] of [
    ["alert_management_alerts", "alerts"],
    ["alert_receipts", "settings/operations/receipts"],
    ["issues", "incidents"],
  ] as const) {
    for (let from = 1, isMore = true; isMore; from++) {
      const { status, json } = await world.call(`${api}/${list}?per_page=100&page=${from}`, { as: "olga" });
      assert.equal(status, 200, `${list} ${from}`);
      for (const { iid, id } of json.slice(0, 5)) {
        const one = `/${iid ?? id}`;
        assert.equal((await world.call(`${api}/${list}${one}`, { as: "olga" })).status, 200, list + one);
        assert.equal((await olga.get(`/acme/rocket/-/${page}${one}`)).status, 200, page + one);
      }
      isMore = json.length === 100;
    }
  }
  for (const path of [
    "/alert_management_alerts/export",
    "/alert_management_alerts/export?format=csv",
    "/events/export",
  ])
    assert.equal((await world.call(api + path, { as: "olga" })).status, 200, path);
}

/** Deliveries of a message with parts changed, at times broken or with an unusual header. */
function variantsOf(message: unknown, target: string): fc.Arbitrary<Generated> {
  const value = mutated(message);
  const body = fc.oneof(
    { weight: 12, arbitrary: asJson(value) },
    { weight: 1, arbitrary: asBrokenJson(value) },
  );
  const odd = fc.oneof({ weight: 9, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: oddHeader });
  return fc
    .tuple(body, odd)
    .map(([sent, more]) => ({ method: "POST", target, ...sent, headers: { ...sent.headers, ...more } }));
}

const keyOf =
  ({ key }: Source, scheme = "Bearer") =>
  ({ headers, ...rest }: Generated): Generated => ({
    ...rest,
    headers: { ...headers, authorization: `${scheme} ${key}` },
  });

/** Signs a delivery as GitHub does. */
const signedAs =
  (kind: string) =>
  async ({ headers, body = "", ...rest }: Generated): Promise<Generated> => {
    const text = typeof body === "string" ? body : Buffer.from(body).toString("latin1");
    const signature = text === "" ? "" : await sign(SECRET, text);
    const named = {
      "x-github-event": kind,
      "x-github-delivery": randomUUID(),
      "x-hub-signature-256": signature,
    };
    return { ...rest, body, headers: { ...headers, ...named } };
  };
