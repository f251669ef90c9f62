/** The lifecycle of an alert over HTTP: opened, counted, resolved and reopened, together with its incident. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { aSource, type Source } from "../support/alerts.ts";
import { allArrived } from "../support/events.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let source: Source;
const alerts = "/api/v4/projects/acme%2Frocket/alert_management_alerts";
const issues = "/api/v4/projects/acme%2Frocket/issues";

before(async () => {
  world = await startWorld();
  source = await aSource(world);
});

const alertOf = async (iid: number) => (await world.call(`${alerts}/${iid}`, { as: "dev" })).json;
const issueOf = async (iid: number) => (await world.call(`${issues}/${iid}`, { as: "dev" })).json;
const only = async (payload: unknown, from = source) => {
  const reply = await from.send(payload);
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.json.length, 1, reply.text);
  return reply.json[0].iid as number;
};

describe("states", () => {
  const base = { title: "Queue is not draining", service: "allocator", depth: { now: 212, limit: 80 } };

  test("an identical payload is counted on the open alert, whatever its start_time and hosts (spec: States 3)", async () => {
    const iid = await only({ ...base, hosts: "a", start_time: "2026-05-01T10:00:00Z" });
    const shuffled = { depth: { limit: 80, now: 212 }, service: base.service, title: base.title };
    assert.equal(await only({ ...shuffled, hosts: ["b", "a"], start_time: "2026-05-01T10:05:00Z" }), iid);
    const alert = await alertOf(iid);
    assert.deepEqual([alert.events, alert.deliveries, alert.status], [2, 2, "triggered"]);
    assert.deepEqual(alert.hosts, ["a", "b"]);
    assert.equal(alert.started_at, "2026-05-01T10:00:00.000Z");
    assert.deepEqual(alert.payload.hosts, ["b", "a"]);
    assert.equal(alert.first_payload.hosts, "a");
  });

  test("a request counts as one delivery of an alert, however often it contains the alert (contract-alerts, counting)", async () => {
    const pump = { title: "Pump in a list", fingerprint: "pump-in-a-list" };
    const over = { ...pump, end_time: "2999-05-01T11:00:00Z" };
    const counts = async (iid: number) => {
      const { status, events, deliveries } = await alertOf(iid);
      return [status, events, deliveries];
    };
    const reply = await source.send([pump, pump, over, pump, over, pump]);
    const iids = reply.json.map(({ iid }: { iid: number }) => iid);
    assert.deepEqual(await Promise.all(iids.map(counts)), [
      ["resolved", 2, 1],
      ["resolved", 1, 1],
      ["triggered", 1, 1],
    ]);
    // Recoveries that are late count as deliveries too.
    const late = { ...pump, start_time: "2026-05-01T10:00:00Z" };
    const early = { ...pump, end_time: "2026-05-01T09:00:00Z" };
    await source.send([late, early, early]);
    assert.deepEqual(await counts(iids[2]), ["triggered", 2, 2]);
    // An acknowledgement between two firings: in one request, then in a request each.
    const seen = { "X-S4-ExternalID": "fan", "X-S4-Status": "acknowledged" };
    const fan = { ...seen, Subject: "Fan stands", "X-S4-Status": "new" };
    const [{ iid }] = (await source.send([fan, seen, fan])).json;
    assert.deepEqual(await counts(iid), ["acknowledged", 2, 1]);
    for (const one of [fan, seen, fan]) await source.send(one);
    assert.deepEqual(await counts(iid), ["acknowledged", 4, 4]);
  });

  test("a different payload opens another alert (spec: States 3)", async () => {
    const first = await only({ ...base, title: "Another" });
    assert.notEqual(await only({ ...base, title: "Another", depth: { now: 213, limit: 80 } }), first);
  });

  test("payloads that differ only in integers beyond double precision are separate alerts and resolve separately (spec: States 2; spec: States 3)", async () => {
    const headers = { authorization: `Bearer ${source.key}`, "content-type": "application/json" };
    const send = async (id: string, more = ""): Promise<number> => {
      const body = `{"title":"Job failed","job":{"id":${id}}${more}}`;
      return (await world.call(source.path, { body, headers })).json[0]?.iid;
    };
    const [one, other] = [await send("1234567890123456789"), await send("1234567890123456790")];
    assert.notEqual(one, other);
    assert.equal(await send("1234567890123456789"), one);
    assert.equal(await send("1234567890123456790", ',"end_time":"2999-05-01T11:00:00Z"'), other);
    const { status, payload } = await alertOf(one);
    assert.deepEqual([status, payload.job], ["triggered", { id: "1234567890123456789" }]);
  });

  test("end_time resolves the open alert and closes its incident (spec: What the service does 3; spec: States 1; spec: Alert payload end_time)", async () => {
    const payload = { ...base, title: "Ends" };
    const iid = await only({ ...payload, start_time: "2026-05-01T10:00:00Z" });
    const { issue_iid } = await alertOf(iid);
    assert.equal((await issueOf(issue_iid)).state, "opened");
    assert.equal(await only({ ...payload, end_time: "2026-05-01T11:00:00Z" }), iid);
    const alert = await alertOf(iid);
    assert.deepEqual([alert.status, alert.ended_at], ["resolved", "2026-05-01T11:00:00.000Z"]);
    const issue = await issueOf(issue_iid);
    assert.deepEqual([issue.state, issue.closed_by.username], ["closed", "alert-bot"]);
  });

  test("the payload of a resolved alert opens a new one with recurrence_of (reference alerts D29, D30; spec: States 2)", async () => {
    const payload = { ...base, title: "Returns" };
    const first = await only(payload);
    await only(payload);
    await only({ ...payload, end_time: new Date().toISOString() });
    const second = await only(payload);
    assert.notEqual(second, first);
    assert.deepEqual(
      (await Promise.all([alertOf(first), alertOf(second)])).map((one) => [
        one.events,
        one.status,
        one.recurrence_of,
      ]),
      [
        [2, "resolved", null],
        [1, "triggered", first],
      ],
    );
  });

  test("end_time without an open alert opens nothing, and the receipt says so (reference reliability S93; contract §4, resolve)", async () => {
    const reply = await source.send({ ...base, title: "Never opened", end_time: "2026-05-01T11:00:00Z" });
    assert.deepEqual([reply.status, reply.json], [200, []]);
    const path = `/api/v4/projects/acme%2Frocket/alert_receipts/${reply.headers.get("x-alert-receipt")}`;
    const receipt = (await world.call(path, { as: "max" })).json;
    assert.equal(receipt.decision, "orphan");
    assert.match(receipt.warnings.join(), /no open alert/);
  });

  test("a recovery older than the newest occurrence's own start is late: a delivery that changes nothing else (reference alerts D3; contract-alerts, recovery; contract-alerts, counting)", async () => {
    const payload = { ...base, title: "Late" };
    const iid = await only({ ...payload, start_time: "2026-05-02T10:00:00Z" });
    assert.equal(await only({ ...payload, end_time: "2026-05-02T09:00:00Z" }), iid);
    const late = await alertOf(iid);
    assert.deepEqual([late.status, late.ended_at, late.events, late.deliveries], ["triggered", null, 1, 2]);
    assert.equal(late.payload.end_time, undefined);
    await only({ ...payload, end_time: "2026-05-02T10:00:00Z" });
    assert.equal((await alertOf(iid)).status, "resolved", "an end equal to the start is not late");
  });

  test("an end is compared with the latest start, in whatever order firings arrive, also in one request (reference alerts D3; contract-alerts, recovery)", async () => {
    const at = (hour: number) => `2026-05-02T${hour}:00:00Z`;
    for (const [title, starts, ways] of [
      ["A delayed firing", [12, 10], "singly"],
      ["A delayed firing among others", [12, 10], "together"],
      ["Firings after one without a start", [undefined, 12, 10], "together"],
    ] as const) {
      const payload = { ...base, title };
      const firings = starts.map((hour) => (hour ? { ...payload, start_time: at(hour) } : payload));
      for (const sent of ways === "singly" ? firings : [firings]) await source.send(sent);
      const iid = await only({ ...payload, end_time: at(11) });
      const late = await alertOf(iid);
      assert.deepEqual([late.status, late.events], ["triggered", starts.length], title);
      await only({ ...payload, end_time: at(12) });
      assert.equal((await alertOf(iid)).status, "resolved", title);
    }
    const payload = { ...base, title: "A firing without a start, between others" };
    const firings = [12, undefined, 10].map((hour) =>
      hour ? { ...payload, start_time: at(hour) } : payload,
    );
    await source.send(firings);
    const iid = await only({ ...payload, end_time: at(11) });
    assert.equal((await alertOf(iid)).status, "resolved", "it began when it was received");
  });

  test("an end is not late if the newest occurrence had no start (contract-alerts, recovery)", async () => {
    const payload = { ...base, title: "Without a start" };
    const iid = await only({ ...payload, start_time: "2026-05-02T10:00:00Z" });
    assert.equal(await only(payload), iid);
    await only({ ...payload, end_time: "2026-05-02T09:00:00Z" });
    const alert = await alertOf(iid);
    assert.deepEqual([alert.status, alert.ended_at], ["resolved", alert.started_at]);
  });

  test("an alert that starts in the future ends at its start when resolved before (contract-alerts, recovery)", async () => {
    const start_time = "2099-01-01T00:00:00.000Z";
    const iid = await only({ ...base, title: "Ahead", start_time });
    const change = { as: "dev", method: "PUT", json: { status: "resolved" } } as const;
    const reply = await world.call(`${alerts}/${iid}`, change);
    assert.deepEqual([reply.status, reply.json.ended_at], [200, start_time]);
  });

  test("a resolved test alert is no previous occurrence of a real one and is left out of the counts (contract-alerts, test alert)", async () => {
    const payload = { ...base, title: "Tried out" };
    const at = `/api/v4/projects/acme%2Frocket/alert_integrations/${source.id}/test`;
    const { alert_iid: iid } = (await world.call(at, { as: "dev", json: { payload } })).json;
    const change = { as: "dev", method: "PUT", json: { status: "resolved" } } as const;
    assert.equal((await world.call(`${alerts}/${iid}`, change)).status, 200);
    assert.equal((await alertOf(await only(payload))).recurrence_of, null);
    for (const query of [
      "search=Tried",
      "search=Tried&include_test=true",
      "include_test=true&silenced=true",
    ]) {
      const { json: counts } = await world.call(`${alerts}/counts?${query}`, { as: "dev" });
      assert.deepEqual([counts.all, counts.resolved], [query.startsWith("search") ? 1 : 0, 0], query);
    }
  });

  test("a real payload is not counted on a test alert, and its recovery does not resolve one (contract-alerts, test alert; decision 0036)", async () => {
    const payload = { ...base, title: "Tried and true" };
    const at = `/api/v4/projects/acme%2Frocket/alert_integrations/${source.id}/test`;
    const tryOut = async () => (await world.call(at, { as: "dev", json: { payload } })).json.alert_iid;
    const iid = await tryOut();
    const tried = await alertOf(iid);
    const real = await only(payload);
    assert.notEqual(real, iid);
    assert.equal(await only({ ...payload, end_time: new Date().toISOString() }), real);
    assert.deepEqual(await alertOf(iid), tried);
    assert.equal(
      (await alertOf(await tryOut())).recurrence_of,
      null,
      "a test alert is no recurrence of a real one",
    );
  });

  test("an end before the start of an alert that was sent without one resolves it at its start (contract-alerts, recovery)", async () => {
    const payload = { ...base, title: "Early" };
    const iid = await only(payload);
    await only({ ...payload, end_time: "1999-01-01T00:00:00Z" });
    const alert = await alertOf(iid);
    assert.deepEqual([alert.status, alert.ended_at], ["resolved", alert.started_at]);
  });

  test("the zero time as end_time does not resolve an alert (reference alerts A5)", async () => {
    const iid = await only({ ...base, title: "Zero", end_time: "0001-01-01T00:00:00Z" });
    assert.equal((await alertOf(iid)).status, "triggered");
  });

  test("repeats of an ignored or acknowledged alert are counted, and a recovery resolves it (reference alerts D29; reference alerts A7)", async () => {
    for (const status of ["ignored", "acknowledged"]) {
      const payload = { ...base, title: `Is ${status}` };
      const iid = await only(payload);
      assert.equal(
        (await world.call(`${alerts}/${iid}`, { as: "dev", method: "PUT", json: { status } })).status,
        200,
      );
      await only(payload);
      assert.deepEqual([(await alertOf(iid)).events, (await alertOf(iid)).status], [2, status]);
      await only({ ...payload, end_time: new Date().toISOString() });
      assert.equal((await alertOf(iid)).status, "resolved");
    }
  });

  test("the response to several payloads has one entry for each alert (decision 0031)", async () => {
    const reply = await source.send([{ title: "One" }, { title: "Two" }, { title: "One" }]);
    assert.deepEqual(
      reply.json.map((one: { title: string }) => one.title),
      ["One", "Two"],
    );
    assert.equal((await alertOf(reply.json[0].iid)).events, 2);
  });
});

describe("fingerprints", () => {
  test("a given fingerprint groups different payloads (spec: Alert payload fingerprint)", async () => {
    const iid = await only({ title: "Disk 91 %", fingerprint: ["disk", "db-1"] });
    assert.equal(await only({ title: "Disk 93 %", fingerprint: ["disk", "db-1"] }), iid);
    assert.notEqual(await only({ title: "Disk 93 %", fingerprint: "diskdb-1" }), iid);
    assert.match((await alertOf(iid)).fingerprint, /^v1:[0-9a-f]{64}$/);
  });

  test("apply within one project only (reference reliability S94)", async () => {
    const open = await aSource(world, "generic", {}, "acme/open");
    await only({ title: "Mine", fingerprint: "shared" });
    const reply = await open.send({ title: "Mine", fingerprint: "shared", end_time: "2030-01-01T00:00:00Z" });
    assert.deepEqual(reply.json, []);
  });

  test("without grouping every firing opens an alert unless its sender or its tool says which alert it means (contract-alerts, plan)", async () => {
    const free = await aSource(world, "generic", {}, "free/plan");
    const [a, b] = [await only({ title: "Same" }, free), await only({ title: "Same" }, free)];
    assert.notEqual(a, b);
    const named = { title: "Same", fingerprint: "x" };
    assert.equal(await only(named, free), await only(named, free));
    const labels = { alertname: "Same", instance: "web-1" };
    for (const fingerprint of ["ce01", undefined]) {
      const repeat = { status: "firing", alerts: [{ status: "firing", labels, fingerprint }] };
      const told = await only(repeat, free);
      assert.equal(await only(repeat, free), told, `Alertmanager, which repeats its alerts: ${fingerprint}`);
      assert.notEqual(told, b);
    }
    // One recovery resolves both alerts.
    const ended = await free.send({ title: "Same", end_time: new Date().toISOString() });
    assert.deepEqual(ended.json.map((one: { iid: number }) => one.iid).sort(), [a, b]);
  });

  test("a Maintainer switches grouping, incident creation and incident closing on and off (contract-alerts, project settings)", async () => {
    const path = "/api/v4/projects/acme%2Fopen/alert_settings";
    const open = world;
    const from = (await world.call("/api/v4/projects/acme%2Fopen/alert_integrations", { as: "max" })).json[0];
    const send = (payload: unknown) =>
      open.call(new URL(from.url).pathname, {
        json: payload,
        headers: { authorization: `Bearer ${from.authorization_key}` },
      });
    const put = (json: unknown, as: "max" | "dev" = "max") => world.call(path, { as, method: "PUT", json });
    assert.equal((await put({ grouping: false }, "dev")).status, 403);
    assert.deepEqual((await put({ grouping: false, create_incident: false })).json, {
      create_incident: false,
      auto_close_incident: true,
      grouping: false,
      storm_threshold: 30,
      storm_seconds: 60,
      collapse_incidents: false,
      late_firings_stay_resolved: false,
      resolve_after_hours: 0,
      incident_template: null,
    });
    const first = (await send({ title: "Ungrouped" })).json[0].iid;
    assert.notEqual((await send({ title: "Ungrouped" })).json[0].iid, first);
    const of = (iid: number) =>
      world.call(`/api/v4/projects/acme%2Fopen/alert_management_alerts/${iid}`, { as: "dev" });
    assert.equal((await of(first)).json.issue_iid, null);
    await put({ grouping: true, create_incident: true, auto_close_incident: false });
    const grouped = (await send({ title: "Ungrouped" })).json[0].iid;
    assert.equal((await send({ title: "Ungrouped" })).json[0].iid, grouped);
    assert.deepEqual(
      [(await of(first)).json.events, (await of(grouped)).json.events],
      [1, 2],
      "nothing is counted on the ungrouped alerts",
    );
    const kept = (await send({ title: "Kept" })).json[0].iid;
    await send({ title: "Kept", end_time: "2030-01-01T00:00:00Z" });
    const alert = (await of(kept)).json;
    assert.equal(alert.status, "resolved");
    const issue = await world.call(`/api/v4/projects/acme%2Fopen/issues/${alert.issue_iid}`, { as: "dev" });
    assert.equal(issue.json.state, "opened");
  });
});

describe("changes by users", () => {
  test("resolving an alert as a Developer closes its incident in their name (contract-alerts, project settings)", async () => {
    const iid = await only({ title: "By hand" });
    const resolved = await world.call(`${alerts}/${iid}`, {
      as: "dev",
      method: "PUT",
      json: { status: "resolved" },
    });
    assert.equal(resolved.json.status, "resolved");
    const issue = await issueOf(resolved.json.issue_iid);
    assert.deepEqual([issue.state, issue.closed_by.username], ["closed", "dev"]);
  });

  test("closing an incident as a Developer resolves its alert, and reopening it reopens the alert (decision 0037)", async () => {
    const iid = await only({ title: "Closed by its incident" });
    const { issue_iid } = await alertOf(iid);
    const put = (state_event: string) =>
      world.call(`${issues}/${issue_iid}`, { as: "dev", method: "PUT", json: { state_event } });
    assert.equal((await put("close")).json.state, "closed");
    assert.equal((await alertOf(iid)).status, "resolved");
    assert.equal((await put("reopen")).json.state, "opened");
    assert.equal((await alertOf(iid)).status, "triggered");
    const notes = (await world.call(`${issues}/${issue_iid}/notes?sort=asc`, { as: "rep" })).json;
    assert.deepEqual(
      notes.map((note: { body: string; system: boolean }) => [note.body, note.system]),
      [
        ["closed this incident", true],
        ["reopened this incident", true],
      ],
    );
  });

  test("an alert cannot be reopened while another one with its fingerprint is open (reference alerts D29; reference alerts A7)", async () => {
    const payload = { title: "Twice", fingerprint: "twice" };
    const first = await only(payload);
    await only({ ...payload, end_time: new Date().toISOString() });
    const second = await only(payload);
    const reply = await world.call(`${alerts}/${first}`, {
      as: "dev",
      method: "PUT",
      json: { status: "triggered" },
    });
    assert.equal(reply.status, 409);
    assert.match(reply.json.message, new RegExp(`#${second}`));
  });

  test("only active users who may see alerts can be assigned (reference alerts A9)", async () => {
    const iid = await only({ title: "Whose" });
    const put = (...assignee_ids: number[]) =>
      world.call(`${alerts}/${iid}`, { as: "dev", method: "PUT", json: { assignee_ids } });
    const given = await put(world.ids.max, world.ids.dev);
    assert.deepEqual(given.json.assignees.map((one: { username: string }) => one.username).sort(), [
      "dev",
      "max",
    ]);
    assert.equal((await put(world.ids.gus)).status, 400);
    assert.deepEqual((await put()).json.assignees, []);
    await world.call(`/api/v4/users/${world.ids.max}/block`, { as: "ada", method: "POST" });
    assert.equal((await put(world.ids.max)).status, 400);
    await world.call(`/api/v4/users/${world.ids.max}/unblock`, { as: "ada", method: "POST" });
  });

  test("users who may not read incidents see nothing of them in events, totals and feeds, even in public projects (decision 0037; contract §4, visibility)", async () => {
    const place = "/api/v4/projects/acme%2Fopen";
    const before = await world.call(`${place}/events`);
    const made = await world.call(`${place}/issues`, { as: "rep", json: { title: "Outage of db-7" } });
    const about = `${place}/issues/${made.json.iid}`;
    await world.call(`${about}/notes`, { as: "rep", json: { body: "What we found" } });
    await world.call(about, { as: "dev", method: "PUT", json: { state_event: "close" } });
    await allArrived(world.platform.db);
    const told = [/"action":"created".*Outage of db-7/, /What we found/, /"action":"closed".*Outage of db-7/];
    for (const as of [undefined, "stan", "gus", "rep", "dev"] as const) {
      const may = as === "rep" || as === "dev";
      const by = as ? { as } : {};
      const list = await world.call(`${place}/events`, by);
      const arrived = await world.call(`${place}/events?since=start&per_page=100`, by);
      const feed = as ? list : await world.call("/acme/open.atom");
      for (const words of told) {
        assert.equal(words.test(list.text), may, `${as} ${words}`);
        assert.equal(words.test(arrived.text), may, `${as} since ${words}`);
      }
      assert.equal(/Outage of db-7/.test(feed.text), may, `${as} feed`);
      const more = Number(list.headers.get("x-total")) - Number(before.headers.get("x-total"));
      if (!may) assert.equal(more, 0, `${as} total`);
      if (as) assert.equal((await world.call(about, by)).status, may ? 200 : 403);
      const person = await world.call(`/api/v4/users/${world.ids.rep}/events`, by);
      assert.equal(/What we found/.test(person.text), may, `${as} person`);
    }
  });

  test("opening and closing an incident are recorded as project events (spec: GET /projects/:project_id/events)", async () => {
    const iid = await only({ title: "Is an event" });
    const { issue_iid } = await alertOf(iid);
    await only({ title: "Is an event", end_time: new Date().toISOString() });
    const events = (await world.call("/api/v4/projects/acme%2Frocket/events?per_page=10", { as: "dev" }))
      .json;
    const own = events.filter((event: { target_iid: number }) => event.target_iid === issue_iid);
    assert.deepEqual(
      own.map((event: { action_name: string; target_title: string; author_username: string }) => [
        event.action_name,
        event.target_title,
        event.author_username,
      ]),
      [
        ["closed", "Is an event", "alert-bot"],
        ["opened", "Is an event", "alert-bot"],
      ],
    );
  });
});
