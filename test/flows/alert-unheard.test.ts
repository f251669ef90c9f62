/** Alerts that their Prometheus stops repeating: when they expire, and how they are resolved (decision 0113). */
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
/** Makes an alert look as if it had been reported that many seconds earlier. */
const age = (name: string, seconds: number) =>
  world.platform.db.run(
    sql`update alerts set believed_until = believed_until - make_interval(secs => ${seconds}),
      last_seen_at = last_seen_at - make_interval(secs => ${seconds}) where title = ${name}`,
  );

test("an alert that its Prometheus stops repeating is resolved once, with its endsAt as the end, and a note gives the reason (decision 0113)", async () => {
  await say(labelled("Silent"), labelled("Repeated"));
  await age("Silent", 270);
  await sweep();
  assert.equal((await found("Silent"))[0].status, "triggered", "the grace period of one minute is not over");
  await age("Silent", 35);
  await age("Repeated", 305);
  await say(labelled("Repeated"));
  // Several processes may run the job at the same time.
  await Promise.all([sweep(), sweep(), sweep()]);
  await sweep();
  assert.equal((await found("Repeated"))[0].status, "triggered", "the repeat moved the end");
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

test("an earlier endsAt does not bring an alert's expiry forward, and an alert without endsAt does not expire (decision 0113)", async () => {
  await say(labelled("Longer"), labelled("Endless", { endsAt: undefined }));
  await say(labelled("Longer", { endsAt: inMinutes(1) }));
  await age("Longer", 200);
  await age("Endless", 90_000);
  await sweep();
  assert.equal((await found("Longer"))[0].status, "triggered");
  assert.equal((await found("Endless"))[0].status, "triggered");
});

test("an alert that an Alertmanager also reports as firing without an end does not expire; both reports are deliveries of one alert (decision 0113)", async () => {
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

test("a resolved alert that somebody reopens stays open until its Prometheus reports it again and falls silent again (decision 0113)", async () => {
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

test("the downtime of the service is added to the expiry of an alert that ended meanwhile (decision 0113)", async () => {
  await say(labelled("Away"));
  await age("Away", 600);
  await world.platform.db.run(sql`update alert_belief_watch set looked_at = now() - interval '9 minutes'`);
  await sweep();
  assert.equal((await found("Away"))[0].status, "triggered");
  await age("Away", 181);
  await sweep();
  assert.equal(
    (await found("Away"))[0].status,
    "triggered",
    "the end was extended to three minutes from then, and the grace period follows",
  );
  await age("Away", 60);
  await sweep();
  assert.equal((await found("Away"))[0].status, "resolved");
});

const atB = { generatorURL: "http://prometheus-b.example.org/graph?g0.expr=up" };

test("two Prometheus replicas with different start times for one alert are one occurrence, in separate requests or in one (decision 0113)", async () => {
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

test("a new startsAt from the same Prometheus is a new occurrence, and so is one from its replica after the alert expired (contract-alerts, counting; decision 0113)", async () => {
  await say(labelled("Anew", { startsAt: inMinutes(-9) }));
  await say(labelled("Anew", { startsAt: inMinutes(-8), ...atB }));
  await say(labelled("Anew", { startsAt: inMinutes(-1) }));
  assert.equal((await found("Anew"))[0].events, 2);
  await say(labelled("Lapsed", { startsAt: inMinutes(-9) }));
  await age("Lapsed", 250);
  await say(labelled("Lapsed", { startsAt: inMinutes(-1), ...atB }));
  assert.equal((await found("Lapsed"))[0].events, 2);
});

test("the downtime is also added for an alert that was within its minute of grace when the service stopped (decision 0113)", async () => {
  await say(labelled("Grace"));
  // At the job's last run, nine minutes ago, the alert was half a minute past its end.
  await age("Grace", 240 + 540 + 30);
  await world.platform.db.run(sql`update alert_belief_watch set looked_at = now() - interval '9 minutes'`);
  await sweep();
  assert.equal((await found("Grace"))[0].status, "triggered");
  await age("Grace", 35);
  await sweep();
  assert.equal((await found("Grace"))[0].status, "resolved");
});

test("an alert of an archived project does not expire until the project is unarchived (decision 0113)", async () => {
  await say(labelled("Archived"));
  await age("Archived", 600);
  await world.platform.db.run(sql`update projects set archived = true where id = ${world.rocket.id}`);
  await sweep();
  assert.equal((await found("Archived"))[0].status, "triggered");
  await world.platform.db.run(sql`update projects set archived = false where id = ${world.rocket.id}`);
  await sweep();
  assert.equal((await found("Archived"))[0].status, "resolved");
});

test("an alert that expires before its startsAt ends at its startsAt, and other alerts are resolved in the same run (decision 0113)", async () => {
  const startsAt = "2099-01-01T00:00:00.000Z";
  await say(labelled("Ahead", { startsAt }), labelled("Beside"));
  await age("Ahead", 400);
  await age("Beside", 400);
  await sweep();
  const [ahead] = await found("Ahead");
  assert.deepEqual([ahead.status, ahead.ended_at], ["resolved", startsAt]);
  assert.equal((await found("Beside"))[0].status, "resolved");
});
