/** Very many changes of alerts at once: all are recorded, and few messages stand for them. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { integer, row, text } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { aSource, type Source } from "../support/alerts.ts";
import { startWorld, type World } from "../support/world.ts";

const API = "/api/v4/projects/acme%2Frocket";
/** Enough, with as many alerts, for more messages than the arguments of a call may be. */
const MAINTAINERS = 70;
const ALERTS = 2000;

let world: World;
let source: Source;
before(async () => {
  world = await startWorld({
    GATEHOUSE_SMTP_URL: "smtp://localhost:1",
    GATEHOUSE_MAIL_FROM: "Gatehouse <gatehouse@example.org>",
    GATEHOUSE_ALLOW_PRIVATE_TARGETS: "localhost:1",
  });
  source = await aSource(world, "prometheus");
  const { pooled } = world.platform.db;
  await pooled.run(sql`insert into users (username, name, email)
    select 'keeper' || n, 'Keeper', 'keeper' || n || '@example.org' from generate_series(1, ${MAINTAINERS}::integer) n`);
  await pooled.run(sql`insert into members (project_id, user_id, access_level)
    select ${world.rocket.id}, id, 40 from users where username ~ '^keeper'`);
});

async function channel(kind: "mail" | "webhook", fields: object): Promise<number> {
  const severities = ["critical", "high", "medium", "low", "info", "unknown"];
  const json = { kind, name: `${kind} channel`, severities, events: ["resolved"], ...fields };
  const reply = await world.call(`${API}/alert_channels`, { as: "max", json });
  assert.equal(reply.status, 201, reply.text);
  return reply.json.id;
}

const alerts = (from: number, to: number, status: "firing" | "resolved") => ({
  version: "4",
  status,
  receiver: "gatehouse",
  groupKey: "{}",
  groupLabels: {},
  commonLabels: {},
  commonAnnotations: {},
  externalURL: "http://localhost:9093",
  alerts: Array.from({ length: to - from }, (_, at) => ({
    status,
    labels: { alertname: `Host ${from + at} is down`, severity: "warning" },
    annotations: {},
    startsAt: "2026-05-01T10:00:00Z",
    endsAt: status === "resolved" ? "2026-05-01T11:00:00Z" : "0001-01-01T00:00:00Z",
  })),
});

/** The deliveries of a channel: to how many targets each title goes. */
const written = (channelId: number) =>
  world.platform.db.many(
    row({ title: text, targets: integer }),
    sql`select coalesce(content ->> 'subject', content ->> 'event') as title, count(distinct target) as targets
      from outbox_deliveries where purpose = ${`alert-channel:${channelId}`} group by 1 order by 2 desc, 1`,
  );

test("a recovery of thousands of alerts with many mailboxes is recorded, and each receiver gets one message for all (decision 0295)", async () => {
  const settings = {
    as: "max",
    method: "PUT",
    json: { storm_threshold: 0, create_incident: false },
  } as const;
  assert.equal((await world.call(`${API}/alert_settings`, settings)).status, 200);
  assert.equal((await source.send(alerts(0, ALERTS, "firing"))).status, 201);
  const assignee = { as: "max", method: "PUT", json: { assignee_ids: [world.ids.dev] } } as const;
  assert.equal((await world.call(`${API}/alert_management_alerts/5`, assignee)).status, 200);
  const mail = await channel("mail", { recipients: ["maintainers", "assignees"] });
  const hook = await channel("webhook", { url: "http://localhost:1/hook" });
  const reply = await source.send(alerts(0, ALERTS, "resolved"));
  assert.equal(reply.status, 201, reply.text);
  const { json } = await world.call(`${API}/alert_management_alerts/counts`, { as: "dev" });
  assert.deepEqual([json.resolved, json.open], [ALERTS, 0]);
  assert.deepEqual(await written(mail), [
    // The Maintainers and the Owner.
    { title: `[Summary] Alerts: ${ALERTS} resolved (acme/rocket)`, targets: MAINTAINERS + 2 },
    // Of one alert, its assignee hears as ever.
    { title: "[Resolved] Host 4 is down (acme/rocket)", targets: 1 },
  ]);
  assert.deepEqual(await written(hook), [{ title: "alert.summary", targets: 1 }]);
  const { summary, project } = await bodyOf(hook);
  assert.equal(project.path_with_namespace, "acme/rocket");
  const { most_severe, ...counts } = summary;
  assert.deepEqual(counts, { opened: 0, reopened: 0, acknowledged: 0, resolved: ALERTS });
  assert.equal(most_severe.length, 3);
  assert.equal(most_severe[0].web_url, `${world.url}/acme/rocket/-/alerts/${most_severe[0].iid}`);
});

test("up to 1,000 messages of a channel about changes at once are sent singly (decision 0295)", async () => {
  await world.platform.db.run(sql`delete from alert_channels`);
  const hook = await channel("webhook", { url: "http://localhost:1/hook", events: ["opened"] });
  assert.equal((await source.send(alerts(10_000, 11_000, "firing"))).status, 201);
  const { n } = await world.platform.db.one(
    row({ n: integer }),
    sql`select count(*) as n from outbox_deliveries
      where purpose = ${`alert-channel:${hook}`} and content ->> 'event' = 'alert.opened'`,
  );
  assert.equal(n, 1000);
  assert.equal((await source.send(alerts(11_000, 12_001, "firing"))).status, 201);
  const [single, summary] = await written(hook).then((all) => all.map(({ title }) => title).sort());
  assert.deepEqual([single, summary], ["alert.opened", "alert.summary"]);
  assert.equal((await bodyOf(hook)).summary.opened, 1001);
});

async function bodyOf(channelId: number) {
  const { body } = await world.platform.db.one(
    row({ body: text }),
    sql`select (content -> 'body')::text as body from outbox_deliveries
      where purpose = ${`alert-channel:${channelId}`} and content ->> 'event' = 'alert.summary'`,
  );
  return JSON.parse(body);
}
