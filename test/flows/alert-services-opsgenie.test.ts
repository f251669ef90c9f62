/** The endpoints and responses that Opsgenie clients expect. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { before, describe, mock, test } from "node:test";
import { aSource, readsAlerts, type Source } from "../support/alerts.ts";
import { stopsMeasuring } from "../support/measuring.ts";
import { signedIn } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let source: Source;
before(async () => {
  world = await startWorld();
  source = await aSource(world);
});

const { receiptOf, alertOf, alertIn } = readsAlerts(() => world);

describe("Opsgenie", () => {
  const ask = (path: string, json: unknown, key = source.key) =>
    world.call(`/opsgenie/v2/alerts${path}`, { json, headers: { authorization: `GenieKey ${key}` } });
  const create = (more: Record<string, unknown> = {}) =>
    ask("", {
      message: "Queue stands still",
      alias: "queue/1",
      description: "No consumer since noon",
      entity: "mailer",
      source: "queue watcher",
      priority: "P2",
      tags: ["queue"],
      details: { host: "mq-1", runbook: "https://runbooks.example.org/queue" },
      ...more,
    });

  test("duplicate and trailing slashes in the path are tolerated, for PagerDuty too (decision 0123)", async () => {
    const headers = { authorization: `GenieKey ${source.key}` };
    const json = { message: "Slash", alias: "slash/1" };
    for (const path of ["/opsgenie//v2/alerts", "//opsgenie/v2//alerts/"]) {
      assert.equal((await world.call(path, { json, headers })).status, 202, path);
    }
    const close = "/opsgenie//v2/alerts/slash%2F1/close/?identifierType=alias";
    const closed = await alertIn(await world.call(close, { json: {}, headers }));
    assert.deepEqual([closed.title, closed.status, closed.events], ["Slash", "resolved", 2]);
    const event = {
      payload: { summary: "Slash", source: "mq-1", severity: "error" },
      event_action: "trigger",
    };
    const sent = { json: { ...event, routing_key: source.key } };
    assert.equal((await world.call("//v2/enqueue", sent)).status, 202);
  });

  test("an alert is created, acknowledged, noted and closed by its alias (contract-alerts, doors; decision 0085)", async () => {
    const created = await create();
    assert.equal(created.status, 202);
    assert.equal(created.json.result, "Request will be processed");
    assert.equal(typeof created.json.took, "number");
    assert.equal(created.json.requestId, created.headers.get("x-alert-receipt"));
    const opened = await alertIn(created);
    assert.deepEqual(
      [opened.title, opened.description, opened.severity, opened.service, opened.hosts, opened.runbook],
      [
        "Queue stands still",
        "No consumer since noon",
        "high",
        "mailer",
        ["mq-1"],
        "https://runbooks.example.org/queue",
      ],
    );
    assert.equal(opened.monitoring_tool, "queue watcher");

    const named = "/queue%2F1";
    const acknowledged = await ask(`${named}/acknowledge?identifierType=alias`, { user: "duty" });
    assert.equal(acknowledged.status, 202);
    assert.equal((await alertOf(opened.iid)).status, "acknowledged");
    const noted = await ask(`${named}/notes/?identifierType=alias`, { note: "Looking at it" });
    assert.deepEqual([noted.status, (await receiptOf(noted)).decision], [202, "noted"]);
    const closed = await ask(`${named}/close/?identifierType=alias`, {});
    assert.equal(closed.status, 202);
    assert.equal((await alertOf(opened.iid)).status, "resolved");
  });

  test("deleting an alert resolves it, which is how TrueNAS reports the end (decision 0085)", async () => {
    const opened = await alertIn(await create({ alias: "0e4f-deleted" }));
    const gone = await world.call("/opsgenie/v2/alerts/0e4f-deleted?identifierType=alias", {
      method: "DELETE",
      headers: { authorization: `GenieKey ${source.key}` },
    });
    assert.deepEqual([gone.status, gone.json.result], [202, "Request will be processed"]);
    assert.equal((await alertOf(opened.iid)).status, "resolved");
    const nobody = await world.call("/opsgenie/v2/alerts/0e4f-deleted?identifierType=alias", {
      method: "DELETE",
      headers: { authorization: "GenieKey wrong" },
    });
    assert.equal(nobody.status, 401);
    // It is the method DELETE, not a path to post to.
    assert.equal((await ask("/0e4f-deleted/delete?identifierType=alias", {})).status, 404);
  });

  test("updates of message, description, priority, tags and details are accepted, recorded in a receipt, and change nothing (decision 0085)", async () => {
    const before = await alertIn(await create({ alias: "anew" }));
    for (const [method, update, json] of [
      ["PUT", "message", { message: "Queue still stands still" }],
      ["PUT", "description", { description: "No consumer since one" }],
      ["PUT", "priority", { priority: "P5" }],
      ["POST", "tags", { tags: ["slow"] }],
      ["POST", "details", { details: { since: "noon" } }],
    ] as const) {
      const reply = await world.call(`/opsgenie/v2/alerts/anew/${update}?identifierType=alias`, {
        method,
        json,
        headers: { authorization: `GenieKey ${source.key}` },
      });
      assert.equal(reply.status, 202, update);
      const { decision, warnings } = await receiptOf(reply);
      assert.equal(decision, "nothing");
      assert.match(warnings.join(), new RegExp(`${update}.*changes nothing`));
    }
    assert.deepEqual(await alertOf(before.iid), before);
  });

  test("the status of a request can be read only by the integration that made it (decision 0085)", async () => {
    const created = await create({ alias: "fate" });
    const look = (key: string) =>
      world.call(`/opsgenie/v2/alerts/requests/${created.json.requestId}`, {
        headers: { authorization: `GenieKey ${key}` },
      });
    const { status, json } = await look(source.key);
    assert.equal(status, 200);
    const { alertId, ...data } = json.data;
    assert.equal(data.isSuccess, true);
    assert.deepEqual([data.action, data.status, data.alias], ["create", "Created alert", "fate"]);
    const other = await aSource(world, "http", { name: "Other" });
    assert.equal((await look(other.key)).status, 404);
    assert.equal((await look("wrong")).status, 401);

    const closed = await ask(`/${alertId}/close?identifierType=id`, {});
    assert.equal(closed.status, 202);
    assert.equal((await alertOf(Number(alertId))).status, "resolved");
    assert.equal((await ask("/999999/close?identifierType=tiny", {})).status, 404);
    assert.equal((await ask("/fate/explode?identifierType=alias", {})).status, 404);
  });

  test("an integration that requires signatures tells the status of a request only if that is signed, as for other reads (decisions 0110, 0186)", async () => {
    const signed = await aSource(world, "http", { name: "Signed" });
    const created = await ask("", { message: "Signed", alias: "signed" }, signed.key);
    const secret = "a secret of enough characters";
    const saved = await world.call(`/api/v4/projects/acme%2Frocket/alert_integrations/${signed.id}`, {
      as: "max",
      method: "PUT",
      json: { signature: "hmac_sha256", signature_secret: secret },
    });
    assert.equal(saved.status, 200, saved.text);
    const look = async (more: Record<string, string> = {}) =>
      (
        await world.call(`/opsgenie/v2/alerts/requests/${created.json.requestId}`, {
          headers: { authorization: `GenieKey ${signed.key}`, ...more },
        })
      ).status;
    assert.equal(await look(), 401);
    const ofNothing = createHmac("sha256", secret).update("").digest("hex");
    assert.equal(await look({ "x-hub-signature-256": `sha256=${ofNothing}` }), 200);
  });

  test("an integration asks for the status of 600 requests a minute at most (decision 0186)", async () => {
    const limited = await startWorld({ GATEHOUSE_RATE_LIMITS: "on" });
    const own = await aSource(limited);
    stopsMeasuring();
    const look = () =>
      limited.call(`/opsgenie/v2/alerts/requests/${crypto.randomUUID()}`, {
        headers: { authorization: `GenieKey ${own.key}` },
      });
    for (let batch = 0; batch < 9; batch++) {
      const replies = await Promise.all(Array.from({ length: 60 }, look));
      assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([404]), `${batch}`);
    }
    const last = await Promise.all(Array.from({ length: 61 }, look));
    const refused = last.find(({ status }) => status === 429);
    assert.match(refused?.headers.get("retry-after") ?? "", /^\d+$/);
    mock.restoreAll();
  });

  test("by its number a client changes only alerts that its own integration opened (decision 0186)", async () => {
    const other = await aSource(world, "http", { name: "Stranger" });
    const { iid } = await alertIn(await create({ alias: "by number" }));
    for (const type of ["id", "tiny"]) {
      assert.equal((await ask(`/${iid}/close?identifierType=${type}`, {}, other.key)).status, 404, type);
    }
    assert.equal((await alertOf(iid)).status, "triggered");
    assert.equal((await ask(`/${iid}/close?identifierType=id`, {})).status, 202);
    assert.equal((await alertOf(iid)).status, "resolved");
  });

  test("by the number of a resolved alert a client does not change one that another integration has opened since (decision 0186)", async () => {
    const other = await aSource(world, "http", { name: "Successor" });
    const { iid } = await alertIn(await create({ alias: "handed over" }));
    assert.equal((await ask(`/${iid}/close?identifierType=id`, {})).status, 202);
    assert.equal((await alertOf(iid)).status, "resolved");
    // Nothing is open: accepted, and found to change nothing.
    assert.equal((await ask(`/${iid}/close?identifierType=id`, {})).status, 202);
    const [{ iid: successor }] = (await other.send({ title: "Again", fingerprint: "handed over" })).json;
    assert.notEqual(successor, iid);
    for (const type of ["id", "tiny"]) {
      const { status } = await ask(`/${iid}/close?identifierType=${type}`, {});
      assert.equal(status, 404, type);
    }
    assert.equal((await alertOf(successor)).status, "triggered");
    assert.equal((await ask(`/${successor}/close?identifierType=id`, {}, other.key)).status, 202);
    assert.equal((await alertOf(successor)).status, "resolved");
  });

  test("repeats of an alias are counted, as is a payload in the service's own format with the alias as its fingerprint (decision 0085)", async () => {
    const created = await create({ alias: "same" });
    await create({ alias: "same" });
    await source.send({ title: "Told otherwise", fingerprint: "same" });
    assert.equal((await alertIn(created)).events, 3);
  });

  const act = (path: string, json: unknown, method = "POST") =>
    world.call(`/opsgenie/v2/alerts${path}`, {
      method,
      ...(json === undefined ? {} : { json }),
      headers: { authorization: `GenieKey ${source.key}` },
    });
  const fateOf = async (reply: { json: { requestId: string } }) =>
    (await act(`/requests/${reply.json.requestId}`, undefined, "GET")).json.data;

  test("an alert is assigned to a member by username or an email that its owner shows, and an acknowledgement can be withdrawn (decisions 0186 and 0314)", async () => {
    const { iid } = await alertIn(await create({ alias: "given" }));
    const named = "/given";
    const query = "?identifierType=alias";
    const assigned = await act(`${named}/assign${query}`, { owner: { username: "DEV" }, user: "duty" });
    assert.deepEqual([assigned.status, assigned.json.result], [202, "Request will be processed"]);
    // The response is the same whoever is named, so that a key cannot be used to find out email addresses.
    const fate = async (reply: { json: { requestId: string } }) => {
      const { processedAt: _, ...told } = await fateOf(reply);
      return {
        ...told,
        look: {
          ...(await act(`/${iid}`, undefined, "GET")).json.data,
          updatedAt: 0,
          lastOccurredAt: 0,
          count: 0,
        },
      };
    };
    const known = await fate(assigned);
    // An address that its owner shows; that of the others is private.
    const shown = { name: "Max Maintainer", time_zone: "Europe/Berlin", shows_email: "yes" };
    await (await signedIn(world, "max")).submit("/profile", shown);
    const responder = { type: "user", username: "max@example.org" };
    assert.equal((await act(`${named}/responders${query}`, { responder })).status, 202);
    const given = await alertOf(iid);
    assert.deepEqual(given.assignees.map((one: { username: string }) => one.username).sort(), ["dev", "max"]);
    // Neither an unknown or private address, nor people outside the project, nor its Guests, who see no alerts.
    for (const username of ["nobody@example.org", "olga@example.org", "gus", "stan"]) {
      const reply = await act(`${named}/assign${query}`, { owner: { username } });
      const receipt = await receiptOf(reply);
      assert.deepEqual([reply.status, receipt.decision, receipt.alert_iids], [202, "nothing", [iid]]);
      assert.deepEqual(await fate(reply), known);
      assert.match(receipt.warnings.join(), new RegExp(`called ${username}; nobody was assigned`));
    }
    assert.equal((await act(`${named}/assign${query}`, {})).status, 422);

    await act(`${named}/acknowledge${query}`, {});
    const back = await act(`${named}/unacknowledge${query}`, { user: "duty" });
    assert.equal(back.status, 202);
    const triggered = await alertOf(iid);
    assert.deepEqual([triggered.status, triggered.events, triggered.assignees.length], ["triggered", 1, 2]);
    const { text } = await (await signedIn(world, "dev")).get(`/acme/rocket/-/alerts/${iid}`);
    for (const said of ["ssigned <strong>Dev", "to <strong>Triggered</strong> by <strong>Opsgenie client"]) {
      assert.ok(text.includes(said), said);
    }
    await act(`${named}/close${query}`, {});
    const late = await act(`${named}/unacknowledge${query}`, {});
    assert.deepEqual([late.status, (await fateOf(late)).status], [202, "Alert does not exist"]);
  });

  test("operations without a counterpart are accepted, recorded, and reported as not done in the receipt (decision 0186)", async () => {
    const before = await alertIn(await create({ alias: "asked" }));
    for (const [method, path, json, words] of [
      ["POST", "snooze", { endTime: "2030-01-01T00:00:00Z" }, /No alert is put to sleep/],
      ["POST", "escalate", { escalation: { name: "Second line" } }, /no escalations/],
      ["POST", "teams", { team: { name: "ops" } }, /no teams/],
      ["POST", "responders", { responder: { type: "team", name: "ops" } }, /no teams/],
      ["POST", "actions/restart%2Fall", { note: "now" }, /No action is run/],
      ["DELETE", "tags", undefined, /\(tags\) changes nothing/],
    ] as const) {
      const reply = await act(`/asked/${path}/?identifierType=alias&tags=slow,new`, json, method);
      assert.deepEqual([reply.status, reply.json.result], [202, "Request will be processed"], path);
      const { decision, warnings, raw, headers } = await receiptOf(reply);
      assert.equal(decision, "nothing");
      assert.match(warnings.join(), words);
      const asked = { DELETE: "slow,new", actions: "restart/all" }[
        method === "DELETE" ? method : (path.split("/")[0] ?? "")
      ];
      assert.equal(headers[":asked"], asked);
      if (json) assert.deepEqual(JSON.parse(Buffer.from(raw, "base64").toString()), json);
      assert.equal((await fateOf(reply)).isSuccess, true);
    }
    assert.deepEqual(await alertOf(before.iid), before);
    const several = await act("/asked/tags?identifierType=alias&tags=a&tags=b", undefined, "DELETE");
    assert.equal((await receiptOf(several)).headers[":asked"], "a,b");
    assert.equal((await act("/asked/assign?identifierType=alias", {}, "DELETE")).status, 404);
  });

  test("names of tags that are cut in the middle of a character are stored without its half (contract-alerts, limits; decision 0186)", async () => {
    await create({ alias: "cut" });
    const tags = `${"x".repeat(599)}\u{1F600}`;
    const cut = await act(
      `/cut/tags?identifierType=alias&tags=${encodeURIComponent(tags)}`,
      undefined,
      "DELETE",
    );
    assert.equal(cut.status, 202, cut.text);
    assert.equal((await receiptOf(cut)).headers[":asked"], `${"x".repeat(599)}\ufffd`);
  });

  test("a client reads, lists and counts alerts of its own integration only (contract-alerts, roles; decision 0186)", async () => {
    const mine = await aSource(world, "http", { name: "Looked at" });
    const look = (path: string, key = mine.key) =>
      world.call(`/opsgenie/v2/alerts${path}`, { headers: { authorization: `GenieKey ${key}` } });
    const opened = await ask(
      "",
      { message: "First", alias: "look/1", priority: "P2", entity: "mailer" },
      mine.key,
    );
    await ask("", { message: "Second", alias: "look/2", priority: "P5" }, mine.key);
    await ask("/look%2F1/acknowledge?identifierType=alias", {}, mine.key);
    const { json } = await look("/look%2F1/?identifierType=alias");
    const { id, tinyId, integration, lastOccurredAt, createdAt, updatedAt, ...alert } = json.data;
    const { iid } = await alertIn(opened);
    assert.deepEqual([id, tinyId, integration.name], [String(iid), String(iid), "Looked at"]);
    for (const at of [lastOccurredAt, createdAt, updatedAt]) assert.match(at, /^\d{4}-.*Z$/);
    assert.deepEqual(alert, {
      ...{ alias: "look/1", message: "First", description: "", entity: "mailer", source: "Opsgenie client" },
      ...{ status: "open", acknowledged: true, isSeen: true, snoozed: false, count: 1, priority: "P2" },
      ...{ tags: [], details: {}, actions: [] },
    });
    assert.equal((await look(`/${iid}?identifierType=tiny`)).json.data.alias, "look/1");
    const names = async (query: string) =>
      (await look(`?${query}`)).json.data.map((one: { message: string }) => one.message);
    assert.deepEqual(await names("limit=1"), ["Second"]);
    assert.deepEqual(await names("order=asc"), ["First", "Second"]);
    assert.deepEqual(await names("query=status:%20open%20AND%20acknowledged:false"), ["Second"]);
    await ask("/look%2F2/close?identifierType=alias", {}, mine.key);
    assert.deepEqual(await names("query=status%3Dclosed"), ["Second"]);
    assert.deepEqual((await look("/count?query=priority:P2")).json.data, { count: 1 });
    assert.deepEqual((await look("/count")).json.data, { count: 2 });
    assert.deepEqual(await names("query=status:closed&query=priority:P5"), ["Second"]);
    const strange = ["status:constructor", "toString:true", "priority:P9", `status:${"%20".repeat(600)}open`];
    for (const path of [
      ...strange.map((query) => `?query=${query}`),
      "?limit=1&limit=2",
      "?query=First",
      "?limit=1000",
      "?query=status:open%20AND%20status:closed",
    ]) {
      assert.equal((await look(path)).status, 422, path);
    }
    assert.equal((await look("/look%2F1?identifierType=alias", source.key)).status, 404);
    assert.equal((await look(`/${iid}`, source.key)).status, 404);
    assert.equal((await look("/count", "wrong")).status, 401);
  });

  test("a client reads notes and logs that tools left on its own alerts, but nothing written by people (decision 0186)", async () => {
    const mine = await aSource(world, "http", { name: "Asked of" });
    const look = (path: string, key = mine.key) =>
      world.call(`/opsgenie/v2/alerts${path}`, { headers: { authorization: `GenieKey ${key}` } });
    const { iid } = await alertIn(await ask("", { message: "Told of", alias: "told" }, mine.key));
    for (const note of ["Looking", "Found"])
      await ask("/told/notes?identifierType=alias", { note }, mine.key);
    await ask("/told/acknowledge?identifierType=alias", {}, mine.key);
    await ask("/told/assign?identifierType=alias", { owner: { username: "dev" } }, mine.key);
    const own = `/api/v4/projects/acme%2Frocket/alert_management_alerts/${iid}`;
    await world.call(`${own}/notes`, { as: "dev", json: { body: "Between us" } });
    await world.call(own, { as: "dev", method: "PUT", json: { status: "resolved" } });

    const notes = await look("/told/notes?identifierType=alias");
    assert.equal(notes.status, 404, "an alias names open alerts only");
    const { json } = await look(`/${iid}/notes/`);
    const said = json.data.map(({ note, owner }: { note: string; owner: string }) => [note, owner]);
    assert.deepEqual(said, [
      ["Found (by **Opsgenie client**)", "System"],
      ["Looking (by **Opsgenie client**)", "System"],
    ]);
    assert.match(json.data[0].createdAt, /^\d{4}-.*Z$/);
    assert.match(json.data[0].offset, /^\d+$/);
    const [first, ...others] = (await look(`/${iid}/notes?order=asc&limit=1`)).json.data;
    assert.deepEqual([first.note, others], ["Looking (by **Opsgenie client**)", []]);
    const logs = (await look(`/${iid}/logs`)).json.data;
    assert.deepEqual(
      logs.map(({ log, type }: { log: string; type: string }) => [log, type]),
      [["changed the status to **Acknowledged** by **Opsgenie client**", "system"]],
    );
    assert.deepEqual((await look(`/${iid}/attachments`)).json.data, []);
    for (const kind of ["notes", "logs", "attachments"]) {
      assert.equal((await look(`/${iid}/${kind}`, source.key)).status, 404, kind);
      assert.equal((await look(`/${iid}/${kind}`, "wrong")).status, 401, kind);
    }
    assert.equal((await look(`/${iid}/notes?limit=101`)).status, 422);
  });

  test("invalid members are reported by name, with the id of the request (decision 0085)", async () => {
    const empty = await create({ message: undefined });
    assert.equal(empty.status, 422);
    assert.deepEqual(empty.json.errors, { message: "can not be empty" });
    assert.match(empty.json.requestId, /^[0-9a-f-]{36}$/);
    assert.equal((await ask("/x/notes?identifierType=alias", {})).status, 422);
    const wrong = await ask("", { message: "x" }, "wrong");
    assert.deepEqual([wrong.status, wrong.json.message], [401, "401 Unauthorized"]);
    assert.ok(wrong.headers.get("www-authenticate"));
  });
});
