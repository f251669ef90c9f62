/** Clients of PagerDuty, Opsgenie and Alertmanager's own API find here the addresses and answers that they expect. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { aSource, type Source } from "../support/alerts.ts";
import { signedIn } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

const api = "/api/v4/projects/acme%2Frocket";
let world: World;
let source: Source;
before(async () => {
  world = await startWorld();
  source = await aSource(world);
});

const receiptOf = async (reply: { headers: Headers }) =>
  (await world.call(`${api}/alert_receipts/${reply.headers.get("x-alert-receipt")}`, { as: "max" })).json;
const alertOf = async (iid: number) =>
  (await world.call(`${api}/alert_management_alerts/${iid}`, { as: "dev" })).json;
const alertIn = async (reply: { headers: Headers }) => alertOf((await receiptOf(reply)).alert_iids[0]);

describe("PagerDuty", () => {
  const enqueue = (event: unknown, headers = {}) => world.call("/v2/enqueue", { json: event, headers });
  const event = (more: Record<string, unknown> = {}) => ({
    routing_key: source.key,
    event_action: "trigger",
    dedup_key: "disk/db-1",
    client: "Yard monitor",
    links: [{ href: "https://runbooks.example.org/disk", text: "Runbook" }],
    payload: {
      summary: "Disk is full",
      source: "db-1.example.org",
      severity: "error",
      timestamp: "2026-05-01T10:00:00.000Z",
      component: "archive",
      custom_details: { free: "0 %", description: "Nothing can be written" },
    },
    ...more,
  });

  test("an event that is larger than 1 MiB once inflated is not read, whoever sends it (contract-alerts, limits)", async () => {
    const big = gzipSync(
      JSON.stringify({ ...event(), routing_key: "guessed", padding: "x".repeat(2 * 1024 * 1024) }),
    );
    assert.ok(big.length < 10_000);
    const headers = { "content-type": "application/json", "content-encoding": "gzip" };
    const reply = await world.call("/v2/enqueue", { method: "POST", body: big, headers });
    assert.deepEqual([reply.status, reply.json.status], [413, "invalid event"]);
  });

  test("trigger, acknowledge and resolve change one alert and are answered in its words (contract-alerts, doors; decision 0085)", async () => {
    const first = await enqueue(event());
    assert.equal(first.status, 202);
    assert.deepEqual(first.json, {
      status: "success",
      message: "Event processed",
      dedup_key: "disk/db-1",
    });
    const opened = await alertIn(first);
    assert.deepEqual(
      [opened.title, opened.severity, opened.service, opened.hosts, opened.monitoring_tool, opened.runbook],
      [
        "Disk is full",
        "medium",
        "archive",
        ["db-1.example.org"],
        "Yard monitor",
        "https://runbooks.example.org/disk",
      ],
    );
    assert.deepEqual(
      [opened.description, opened.started_at, opened.status],
      ["Nothing can be written", "2026-05-01T10:00:00.000Z", "triggered"],
    );
    const { iid } = opened;
    await enqueue(event());
    assert.equal((await alertOf(iid)).events, 2);

    const acknowledged = await enqueue({
      routing_key: source.key,
      event_action: "acknowledge",
      dedup_key: "disk/db-1",
    });
    assert.deepEqual([acknowledged.status, (await receiptOf(acknowledged)).decision], [202, "acknowledged"]);
    assert.equal((await alertOf(iid)).status, "acknowledged");

    await enqueue({ routing_key: source.key, event_action: "resolve", dedup_key: "disk/db-1" });
    const resolved = await alertOf(iid);
    assert.equal(resolved.status, "resolved");
    const incident = await world.call(`${api}/issues/${resolved.issue_iid}`, { as: "dev" });
    assert.equal(incident.json.state, "closed");

    const late = await enqueue({
      routing_key: source.key,
      event_action: "acknowledge",
      dedup_key: "disk/db-1",
    });
    assert.deepEqual([late.status, (await receiptOf(late)).decision], [202, "orphan"]);
  });

  test("the routing key is nowhere in what is kept (decision 0085)", async () => {
    const details = { custom_details: { copy: source.key }, summary: "Key", source: "x", severity: "info" };
    const reply = await enqueue(event({ dedup_key: "key", payload: details }));
    const receipt = await receiptOf(reply);
    const raw = Buffer.from(receipt.raw, "base64").toString();
    assert.ok(raw.includes('"summary":"Key"'));
    const kept = raw + JSON.stringify(receipt) + JSON.stringify(await alertIn(reply));
    assert.ok(!kept.includes(source.key));
    assert.equal(receipt.key_hint, `…${source.key.slice(-4)}`);
  });

  test("an event without a dedup_key gets one that resolves it (decision 0085)", async () => {
    const first = await enqueue(event({ dedup_key: undefined }));
    assert.match(first.json.dedup_key, /^[0-9a-f]{64}$/);
    const again = await enqueue(event({ dedup_key: undefined }));
    assert.equal(again.json.dedup_key, first.json.dedup_key);
    const opened = await alertIn(first);
    assert.equal(opened.events, 2);
    await enqueue({
      routing_key: source.key,
      event_action: "resolve",
      dedup_key: first.json.dedup_key,
    });
    assert.equal((await alertOf(opened.iid)).status, "resolved");
  });

  test("what is wrong is told by member (decision 0085)", async () => {
    const wrong: readonly [Record<string, unknown>, number, string][] = [
      [{ event_action: "explode" }, 400, "event_action must be one of trigger, acknowledge, resolve"],
      [{ payload: undefined }, 400, "payload is missing or blank"],
      [{ payload: { source: "x", severity: "info" } }, 400, "payload.summary is missing or blank"],
      [{ event_action: "resolve", dedup_key: "" }, 400, "dedup_key is missing or blank"],
      [{ dedup_key: "k".repeat(256) }, 400, "dedup_key is too long (maximum is 255 characters)"],
      [{ routing_key: undefined }, 400, "routing_key is missing or blank"],
      [{ routing_key: "0".repeat(32) }, 401, "routing_key is not the key of an integration"],
    ];
    for (const [more, status, message] of wrong) {
      const reply = await enqueue(event(more));
      assert.deepEqual(
        [reply.status, reply.json],
        [status, { status: "invalid event", message: "Event object is invalid", errors: [message] }],
      );
    }
    const broken = await world.call("/v2/enqueue", {
      body: '{"routing_key":',
      headers: { "content-type": "application/json" },
    });
    assert.equal(broken.status, 400);
    assert.match(broken.json.errors[0], /line 1, column 16/);
    const off = await aSource(world, "http", { active: false });
    const refused = await enqueue(event({ routing_key: off.key }));
    assert.deepEqual([refused.status, refused.json.errors], [403, ["403 Forbidden"]]);
  });

  test("a severity that is none is kept as critical with a warning (decision 0031)", async () => {
    for (const [severity, warned] of [
      ["", false],
      ["purple", true],
    ] as const) {
      const reply = await enqueue(
        event({ dedup_key: `s${severity}`, payload: { summary: "S", source: "x", severity } }),
      );
      assert.equal((await alertIn(reply)).severity, "critical");
      assert.equal((await receiptOf(reply)).warnings.length, warned ? 1 : 0);
    }
  });

  test("the older generic API and change events are taken too (decision 0085)", async () => {
    const path = "/generic/2010-04-15/create_event.json";
    const trigger = { service_key: source.key, event_type: "trigger", incident_key: "old/1" };
    const first = await world.call(path, {
      json: { ...trigger, description: "An old client", details: { load: 9 } },
    });
    assert.deepEqual(
      [first.status, first.json],
      [200, { status: "success", message: "Event processed", incident_key: "old/1" }],
    );
    const opened = await alertIn(first);
    assert.equal(opened.title, "An old client");
    await world.call(path, { json: { ...trigger, event_type: "resolve" } });
    assert.equal((await alertOf(opened.iid)).status, "resolved");
    const change = await world.call("/v2/change/enqueue", {
      json: { routing_key: source.key, payload: { summary: "Deployed 7" } },
    });
    assert.equal(change.status, 202);
    const receipt = await receiptOf(change);
    assert.deepEqual([receipt.decision, receipt.alert_iids], ["nothing", []]);
    assert.match(receipt.warnings[0], /change event/);
  });
});

test("Zabbix' own senders for PagerDuty and Opsgenie tell the host, one with its address and one in a line (decision 0085)", async () => {
  const event = await world.call("/v2/enqueue", {
    json: {
      ...{ routing_key: source.key, dedup_key: "6931", event_action: "trigger", client: "Zabbix" },
      payload: {
        ...{ summary: "Problem: Disk space is low on /", source: "web-1 : 10.0.0.7", severity: "error" },
        custom_details: { "Event host": "web-1", "Event host ip": "10.0.0.7" },
      },
    },
  });
  assert.deepEqual((await alertIn(event)).hosts, ["web-1"]);
  const alert = await world.call("/opsgenie/v2/alerts/", {
    headers: { authorization: `GenieKey ${source.key}` },
    json: {
      ...{ message: "Problem: Disk space is low on /", alias: "6932", priority: "P2", source: "Zabbix" },
      description:
        "Problem started at 21:00:00 on 2026.11.22\nProblem name: Disk space is low on /\nHost: web-2\nSeverity: High\n",
      ...{
        details: { "Zabbix server": "https://zabbix.example.org/" },
        responders: [{ type: "team", name: "" }],
      },
    },
  });
  assert.deepEqual((await alertIn(alert)).hosts, ["web-2"]);
});

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

  test("an alert that is deleted is over, which is all that TrueNAS tells of its end (decision 0085)", async () => {
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
    // Deleting is a method of its own, and no word that is posted.
    assert.equal((await ask("/0e4f-deleted/delete?identifierType=alias", {})).status, 404);
  });

  test("what is said anew of an alert is taken, kept as a receipt, and changes nothing (decision 0085)", async () => {
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

  test("the fate of a request can be asked for by those who made it (decision 0085)", async () => {
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

  test("a repeat is counted, and a project's own fingerprint is the alias too (decision 0085)", async () => {
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

  test("an alert is given to whom the project knows, by name or mail, and an acknowledgement is taken back (decision 0186)", async () => {
    const { iid } = await alertIn(await create({ alias: "given" }));
    const named = "/given";
    const query = "?identifierType=alias";
    const assigned = await act(`${named}/assign${query}`, { owner: { username: "DEV" }, user: "duty" });
    assert.deepEqual([assigned.status, assigned.json.result], [202, "Request will be processed"]);
    assert.equal((await fateOf(assigned)).status, "Assigned alert");
    const responder = { type: "user", username: "max@example.org" };
    assert.equal((await act(`${named}/responders${query}`, { responder })).status, 202);
    const given = await alertOf(iid);
    assert.deepEqual(given.assignees.map((one: { username: string }) => one.username).sort(), ["dev", "max"]);
    // Neither a stranger nor a guest of the project, who sees no alerts.
    for (const username of ["nobody@example.org", "gus", "stan"]) {
      const reply = await act(`${named}/assign${query}`, { owner: { username } });
      const receipt = await receiptOf(reply);
      assert.deepEqual([reply.status, receipt.decision, receipt.alert_iids], [202, "nothing", [iid]]);
      assert.match(receipt.warnings.join(), new RegExp(`called ${username}; it was given to nobody`));
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

  test("what has no counterpart is taken, kept with all that was asked, and said not to have been done (decision 0186)", async () => {
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

  test("a client finds, lists and counts the alerts of its own integration, and no others (contract-alerts, roles; decision 0186)", async () => {
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

  test("a client reads what tools said of an alert of its own and what became of it, and nothing of people (decision 0186)", async () => {
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
    assert.equal(notes.status, 404, "an alias is that of an open alert");
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

  test("what is wrong is told by member, with the id of the request (decision 0085)", async () => {
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

describe("Alertmanager's API", () => {
  let metrics: Source;
  before(async () => {
    metrics = await aSource(world, "prometheus");
  });
  const past = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const alertNamed = (name: string, more: Record<string, unknown> = {}) => ({
    labels: { alertname: name, instance: "db-1:9100", job: "postgres", severity: "warning" },
    annotations: { summary: `${name} is down` },
    startsAt: "2026-05-01T10:00:00.000Z",
    endsAt: past(-4),
    generatorURL: "http://prometheus.example.org/graph?g0.expr=up",
    ...more,
  });
  const post = (alerts: unknown, path = "/acme/rocket/alertmanager/api/v2/alerts", key = metrics.key) =>
    world.call(path, { json: alerts, headers: { authorization: `Bearer ${key}` } });
  const search = async (name: string) =>
    (await world.call(`${api}/alert_management_alerts?search=${name}`, { as: "dev" })).json;

  test("an end to come fires, one that is over resolves, and a repeat is a delivery (contract-alerts, doors; decision 0085)", async () => {
    const reply = await post([alertNamed("Api1"), alertNamed("Api2")]);
    assert.deepEqual([reply.status, reply.text], [200, ""]);
    await post([alertNamed("Api1"), alertNamed("Api2")]);
    const [opened] = await search("Api1");
    assert.deepEqual(
      [opened.status, opened.events, opened.deliveries, opened.severity, opened.service, opened.hosts],
      ["triggered", 1, 2, "low", "postgres", ["db-1:9100"]],
    );
    assert.equal(opened.started_at, "2026-05-01T10:00:00.000Z");
    const end = past(1);
    await post([alertNamed("Api1", { endsAt: end })]);
    await post([alertNamed("Api1", { endsAt: end })]);
    const [resolved] = await search("Api1");
    assert.deepEqual([resolved.status, resolved.ended_at, resolved.events], ["resolved", end, 1]);
    assert.equal((await search("Api2"))[0].status, "triggered");
  });

  test("it stands below every address of the project, for each of its keys (decision 0085)", async () => {
    for (const path of [
      "/acme/rocket/alertmanager/api/v2/alerts/",
      "/acme/rocket/alertmanager/api/v1/alerts",
      "/acme/rocket/prometheus/alertmanager/api/v2/alerts",
    ]) {
      assert.equal((await post([alertNamed("Api3")], path)).status, 200, path);
    }
    assert.equal((await post([alertNamed("Api3")], undefined, source.key)).status, 200);
    assert.equal((await post([], undefined, "wrong")).status, 401);
    assert.equal((await post([], "/acme/nowhere/alertmanager/api/v2/alerts")).status, 403);
    assert.equal((await search("Api3"))[0].events, 1);
  });

  test("what is no list of labelled alerts is refused (decision 0085)", async () => {
    for (const body of [{}, [1], [{ labels: 1 }], "x"]) assert.equal((await post(body)).status, 400);
    assert.equal((await post(Array.from({ length: 10_001 }, () => alertNamed("x")))).status, 413);
    assert.equal((await post([])).status, 200);
  });

  test("a receipt of it is read again as it was read when it came (decision 0038)", async () => {
    const reply = await post([alertNamed("Api4", { endsAt: past(1) })]);
    const receipt = await receiptOf(reply);
    assert.deepEqual(
      [receipt.reading.shape, receipt.reading.alerts[0].action, receipt.decision],
      ["prometheus", "recovery", "orphan"],
    );
  });
});

test("what their clients ask for that has no counterpart is missing, as JSON and not as a page (decision 0085)", async () => {
  for (const [method, address] of [
    ["GET", "/opsgenie/v2/alerts/x/recipients?identifierType=alias"],
    ["POST", "/opsgenie/v2/heartbeats/x/ping"],
    ["POST", "/opsgenie/v2/alerts/x/explode?identifierType=alias"],
    ["DELETE", "/opsgenie/v2/heartbeats/x"],
    ["GET", "/v2/enqueue"],
    ["POST", "/v2/incidents"],
  ] as const) {
    const reply = await world.call(address, { method });
    assert.equal(reply.status, 404, `${method} ${address}`);
    assert.match(JSON.stringify(reply.json), /404 Not Found/, `${method} ${address}`);
  }
});

test("no project is called prometheus, for its address would be another's (decision 0088)", async () => {
  const { status, json } = await world.call("/api/v4/projects", {
    as: "olga",
    json: { name: "Prometheus", path: "prometheus" },
  });
  assert.deepEqual([status, json], [400, { message: { path: ["is a reserved name"] } }]);
});
