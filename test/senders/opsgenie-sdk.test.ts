/** Opsgenie's own SDK for Node, configured with this service's address. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
// @ts-expect-error opsgenie-sdk is published without types, and the test uses it as its users do
import opsgenie from "opsgenie-sdk";
import { aSource } from "../support/alerts.ts";
import { startWorld, type World } from "../support/world.ts";

const api = "/api/v4/projects/acme%2Frocket";
let world: World;
before(async () => {
  world = await startWorld();
  const source = await aSource(world);
  opsgenie.configure({ host: `${world.url}/opsgenie`, api_key: source.key });
});

type Answer = { result?: string; requestId: string; data?: Record<string, unknown> };

/** Calls a function of the SDK and returns the response. */
const ask = (name: string, ...given: unknown[]): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const call = opsgenie.alertV2[name] as (...all: unknown[]) => void;
    call(...given, (error: unknown, answer: Answer) => (error ? reject(error) : resolve(answer)));
  });
const found = async () => (await world.call(`${api}/alert_management_alerts`, { as: "dev" })).json[0];

test("the SDK creates, reads, acknowledges, comments and closes an alert (reference alerts E9; decision 0085)", async () => {
  const created = await ask("create", {
    message: "Yard gate is open",
    alias: "gate/1 ü",
    description: "Since nine",
    priority: "P1",
    details: { host: "plc-1" },
  });
  assert.equal(created.result, "Request will be processed");
  const opened = await found();
  assert.deepEqual(
    [opened.title, opened.severity, opened.hosts, opened.status],
    ["Yard gate is open", "critical", ["plc-1"], "triggered"],
  );
  const { data } = await ask("getRequestStatus", created.requestId);
  assert.deepEqual([data?.status, data?.alertId], ["Created alert", String(opened.iid)]);

  const byAlias = { identifier: encodeURIComponent("gate/1 ü"), identifierType: "alias" };
  await ask("acknowledge", byAlias, { user: "duty", note: "On my way" });
  assert.equal((await found()).status, "acknowledged");
  await ask("addNote", byAlias, { note: "It was the wind" });
  await ask("close", { identifier: String(opened.iid), identifierType: "tiny" }, { source: "sdk" });
  assert.equal((await found()).status, "resolved");
});

test("the SDK gets an error for an alert without a message (decision 0085)", async () => {
  await assert.rejects(
    ask("create", { alias: "no message" }),
    (error: { httpStatusCode?: number; errors?: unknown }) => {
      assert.deepEqual([error.httpStatusCode, error.errors], [422, { message: "can not be empty" }]);
      return true;
    },
  );
});
