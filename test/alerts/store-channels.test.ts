/** Who receives the mails of a channel, in a project with very many members. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { listReaders } from "../../src/alerts/store-channels.ts";
import { sql } from "../../src/platform/sql.ts";
import { rowsHandled } from "../support/plans.ts";
import { startWorld, type World } from "../support/world.ts";

const MEMBERS = 3000;
let world: World;

before(async () => {
  world = await startWorld();
  const { pooled } = world.platform.db;
  await pooled.run(sql`insert into users (username, name, email)
    select 'member' || n, 'Member', 'member' || n || '@example.org' from generate_series(1, ${MEMBERS}::integer) n`);
  await pooled.run(sql`insert into members (namespace_id, user_id, access_level)
    select n.id, u.id, 30 from namespaces n, users u where n.full_path = 'acme' and u.username ~ '^member'`);
  await world.owner.run(sql`analyze users, members`);
});

const addChannel = (kind: "slack" | "mail", userIds: readonly number[]) =>
  world.platform.db.run(sql`
    insert into alert_channels (project_id, name, kind, recipients, user_ids, url_sealed, url_host, severities, events)
    select ${world.rocket.id}, ${kind}, ${kind}, '{assignees,maintainers}', ${userIds}::bigint[], url, host, '{}', '{opened}'
    from (select case when ${kind} <> 'mail' then ''::bytea end as url, case when ${kind} <> 'mail' then 'h' end as host) to_`);

test("without a mail channel no members are read, and with one only the possible recipients who may see alerts are returned (decision 0097)", async () => {
  const { db } = world.platform;
  const projects = [world.rocket.id];
  await addChannel("slack", []);
  assert.ok((await rowsHandled(world, (asked) => listReaders(asked, projects, []))) < 20);
  const { max, olga, dev, rep } = world.ids;
  await addChannel("mail", [dev, rep]);
  const idsOf = async (alertIds: readonly number[]) =>
    (await listReaders(db, projects, alertIds)).map(({ id }) => id);
  // A Reporter may not see alerts, even if a channel names them.
  assert.deepEqual((await idsOf([])).sort(), [olga, max, dev].sort());
  const assigned = await world.platform.db.pooled.run(sql`with a as (
      insert into alerts (project_id, iid, title, severity, status, hosts, fingerprint_hash, grouped, events, deliveries,
        started_at, first_payload)
      values (${world.rocket.id}, 1, 'Full', 'high', 'triggered', '{}', sha256('x'), true, 1, 1, now(), '{}') returning id)
    insert into alert_assignees (alert_id, user_id) select a.id, u.id from a, users u where u.username = 'member7'`);
  assert.equal(assigned, 1);
  assert.equal((await idsOf([1])).length, 4);
  assert.equal((await idsOf([2])).length, 3);
});
