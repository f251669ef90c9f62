/** Alerts of a Prometheus that falls silent: how long they are believed, and what resolves them (decision 0113). */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { sql } from "../../src/platform/sql.ts";
import { aSource, type Source } from "../support/alerts.ts";
import { runJob } from "../support/jobs.ts";
import { startWorld, type World } from "../support/world.ts";

const API = "/api/v4/projects/acme%2Frocket";

let world: World;
let source: Source;
before(async () => {
  world = await startWorld();
  source = await aSource(world, "prometheus");
  await sweep();
});

const sweep = () => runJob(world, "unheard alerts");
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
const labelled = (name: string, more: Record<string, unknown> = {}) => ({
  labels: { alertname: name, instance: "db-1:9100" },
  annotations: { summary: name },
  startsAt: "2026-05-01T10:00:00.000Z",
  endsAt: inMinutes(4),
  generatorURL: "http://prometheus-a.example.org/graph?g0.expr=up",
  ...more,
});
const say = async (...alerts: ReturnType<typeof labelled>[]) => {
  const headers = { authorization: `Bearer ${source.key}` };
  const reply = await world.call("/acme/rocket/alertmanager/api/v2/alerts", { json: alerts, headers });
  assert.equal(reply.status, 200, reply.text);
};
const found = async (name: string) =>
  (await world.call(`${API}/alert_management_alerts?search=${name}&sort=created_at_asc`, { as: "dev" })).json;
const notesOf = async (iid: number) =>
  (await world.call(`${API}/alert_management_alerts/${iid}/notes`, { as: "dev" })).json.map(
    ({ body }: { body: string }) => body,
  );
/** As if so many seconds had gone by since it was said. */
const age = (name: string, seconds: number) =>
  world.platform.db.run(
    sql`update alerts set believed_until = believed_until - make_interval(secs => ${seconds}),
      last_seen_at = last_seen_at - make_interval(secs => ${seconds}) where title = ${name}`,
  );

test("an alert that its Prometheus does not repeat is resolved once, as of its endsAt, and says why (decision 0113)", async () => {
  await say(labelled("Silent"), labelled("Repeated"));
  await age("Silent", 270);
  await sweep();
  assert.equal((await found("Silent"))[0].status, "triggered", "a minute of grace is left");
  await age("Silent", 35);
  await age("Repeated", 305);
  await say(labelled("Repeated"));
  // Several processes look at the same time.
  await Promise.all([sweep(), sweep(), sweep()]);
  await sweep();
  assert.equal((await found("Repeated"))[0].status, "triggered", "its repeat moved the end");
  const [silent] = await found("Silent");
  assert.deepEqual([silent.status, silent.events, silent.deliveries], ["resolved", 1, 1]);
  const secondsAgo = (Date.now() - Date.parse(silent.ended_at)) / 1000;
  assert.ok(secondsAgo > 60 && secondsAgo < 120, `ended ${secondsAgo} s ago`);
  const notes: string[] = await notesOf(silent.iid);
  assert.equal(notes.filter((body) => /not received since \*\*\d{4}-.+ UTC\*\*/.test(body)).length, 1);
  assert.ok(notes.includes(`closed incident #${silent.issue_iid}`), notes.join("\n"));
  const incident = await world.call(`${API}/issues/${silent.issue_iid}`, { as: "dev" });
  assert.equal(incident.json.state, "closed");
  const incidentNotes = await world.call(`${API}/issues/${silent.issue_iid}/notes`, { as: "dev" });
  const closings = incidentNotes.json.filter(({ body }: { body: string }) => /not received again/.test(body));
  assert.equal(closings.length, 1);
  await say(labelled("Silent"));
  const [, again] = await found("Silent");
  assert.deepEqual([again.status, again.recurrence_of], ["triggered", silent.iid]);
});

test("an end that goes back does not shorten the belief, and an alert that names no end is believed on (decision 0113)", async () => {
  await say(labelled("Longer"), labelled("Endless", { endsAt: undefined }));
  await say(labelled("Longer", { endsAt: inMinutes(1) }));
  await age("Longer", 200);
  await age("Endless", 90_000);
  await sweep();
  assert.equal((await found("Longer"))[0].status, "triggered");
  assert.equal((await found("Endless"))[0].status, "triggered");
});

test("what an Alertmanager says of the same labels is no repeat in time: it is believed until its end comes (decision 0113)", async () => {
  await say(labelled("Both"));
  const { endsAt: _none, ...alert } = labelled("Both");
  const group = {
    ...{ version: "4", groupKey: "{}", status: "firing", receiver: "us", groupLabels: {}, commonLabels: {} },
    ...{ commonAnnotations: {}, externalURL: "http://manager.example.org" },
    alerts: [{ ...alert, status: "firing", endsAt: "0001-01-01T00:00:00Z" }],
  };
  assert.equal((await source.send(group)).status, 201);
  await age("Both", 90_000);
  await sweep();
  const [both, ...others] = await found("Both");
  assert.deepEqual([both.status, both.deliveries, others], ["triggered", 2, []]);
});

test("an alert that somebody reopened waits for what its Prometheus says next (decision 0113)", async () => {
  await say(labelled("Reopened"));
  await age("Reopened", 301);
  await sweep();
  const [{ iid }] = await found("Reopened");
  const reply = await world.call(`${API}/alert_management_alerts/${iid}`, {
    as: "dev",
    method: "PUT",
    json: { status: "triggered" },
  });
  assert.equal(reply.status, 200, reply.text);
  await sweep();
  assert.equal((await found("Reopened"))[0].status, "triggered");
  await say(labelled("Reopened"));
  await age("Reopened", 301);
  await sweep();
  assert.equal((await found("Reopened"))[0].status, "resolved");
});

test("what went by while the service was away is believed for as long as it still was (decision 0113)", async () => {
  await say(labelled("Away"));
  await age("Away", 600);
  await world.platform.db.run(sql`update alert_belief_watch set looked_at = now() - interval '9 minutes'`);
  await sweep();
  assert.equal((await found("Away"))[0].status, "triggered");
  await age("Away", 181);
  await sweep();
  assert.equal((await found("Away"))[0].status, "triggered", "three minutes were left, and the grace");
  await age("Away", 60);
  await sweep();
  assert.equal((await found("Away"))[0].status, "resolved");
});

const atB = { generatorURL: "http://prometheus-b.example.org/graph?g0.expr=up" };

test("two replicas that repeat themselves in turns are one occurrence, together or apart (decision 0113)", async () => {
  const [startA, startB] = [inMinutes(-3), inMinutes(-2.5)];
  for (let turn = 0; turn < 3; turn++) {
    await say(labelled("Replicas", { startsAt: startA }));
    await say(labelled("Replicas", { startsAt: startB, ...atB }));
  }
  const [apart, ...others] = await found("Replicas");
  assert.deepEqual([apart.events, apart.deliveries, others], [1, 6, []]);
  const both = [
    labelled("Together", { startsAt: startA }),
    labelled("Together", { startsAt: startB, ...atB }),
  ];
  await say(...both);
  await say(...both.reverse());
  const [together] = await found("Together");
  assert.deepEqual([together.events, together.deliveries], [1, 2]);
});

test("a start that the same Prometheus did not name before is an occurrence, and so is one after the belief ended (contract-alerts, counting; decision 0113)", async () => {
  await say(labelled("Anew", { startsAt: inMinutes(-9) }));
  await say(labelled("Anew", { startsAt: inMinutes(-8), ...atB }));
  await say(labelled("Anew", { startsAt: inMinutes(-1) }));
  assert.equal((await found("Anew"))[0].events, 2);
  await say(labelled("Lapsed", { startsAt: inMinutes(-9) }));
  await age("Lapsed", 250);
  await say(labelled("Lapsed", { startsAt: inMinutes(-1), ...atB }));
  assert.equal((await found("Lapsed"))[0].events, 2);
});

test("what was within its minute of grace when the service went away is believed on as well (decision 0113)", async () => {
  await say(labelled("Grace"));
  // Half a minute past its end when somebody looked last, nine minutes ago.
  await age("Grace", 240 + 540 + 30);
  await world.platform.db.run(sql`update alert_belief_watch set looked_at = now() - interval '9 minutes'`);
  await sweep();
  assert.equal((await found("Grace"))[0].status, "triggered");
  await age("Grace", 35);
  await sweep();
  assert.equal((await found("Grace"))[0].status, "resolved");
});

test("alerts of an archived project wait for their project (decision 0113)", async () => {
  await say(labelled("Archived"));
  await age("Archived", 600);
  await world.platform.db.run(sql`update projects set archived = true where id = ${world.rocket.id}`);
  await sweep();
  assert.equal((await found("Archived"))[0].status, "triggered");
  await world.platform.db.run(sql`update projects set archived = false where id = ${world.rocket.id}`);
  await sweep();
  assert.equal((await found("Archived"))[0].status, "resolved");
});

test("an alert that begins after its belief ends when it begins, and holds up none of the others (decision 0113)", async () => {
  const startsAt = "2099-01-01T00:00:00.000Z";
  await say(labelled("Ahead", { startsAt }), labelled("Beside"));
  await age("Ahead", 400);
  await age("Beside", 400);
  await sweep();
  const [ahead] = await found("Ahead");
  assert.deepEqual([ahead.status, ahead.ended_at], ["resolved", startsAt]);
  assert.equal((await found("Beside"))[0].status, "resolved");
});
