/** Rows enough for more than a page of the lists of a person, a project and the administrators. */
import { sql } from "../../src/platform/sql.ts";
import type { World } from "./world.ts";

/** Gives the lists of Max, of the project and of the administrators rows enough for two pages. */
export async function fillLists(world: World): Promise<void> {
  const { db } = world.platform;
  const { id: projectId } = world.rocket;
  await db.run(sql`update alert_integrations set active = true where project_id = ${projectId}`);
  await db.run(sql`insert into environments (project_id, name, slug)
    select ${projectId}, 'stage ' || n, 'stage-' || n from generate_series(1, 60) n`);
  await db.run(sql`insert into alert_silences (project_id, comment, matchers, starts_at, ends_at)
    select ${projectId}, 'Work ' || n, '[]', now(), now() + interval '1 day' from generate_series(1, 30) n`);
  await db.run(sql`insert into access_tokens (digest, kind, user_id, scopes, name)
    select sha256(('token ' || n)::bytea), 'personal', ${world.ids.max}, '{api}', 'Token ' || n from generate_series(1, 60) n`);
  await db.run(sql`insert into sessions (digest, user_id, authenticated_at, expires_at)
    select sha256(('session ' || n)::bytea), ${world.ids.max}, now(), now() + interval '1 day' from generate_series(1, 60) n`);
  await db.run(sql`insert into applications (uid, name, owner_id, scopes, grant_types)
    select md5('a' || n) || md5('b' || n), 'Tool ' || n, ${world.ids.max}, '{api}', '{}' from generate_series(1, 60) n`);
  await db.run(sql`insert into users (username, name, email, bot, is_placeholder)
    select 'robot-' || n, 'Robot ' || n, 'robot-' || n || '@noreply.invalid', 'application', true from generate_series(1, 30) n`);
  await db.run(sql`insert into namespaces (kind, owner_id, path, full_path, name)
    select 'user', id, username, username, name from users where username ~ '^(robot|mate)-'`);
  await db.run(sql`insert into invitations (digest, email, invited_by, expires_at)
    select sha256(('asked ' || n)::bytea), 'asked-' || n || '@example.net', ${world.ids.ada}, now() + interval '1 day'
    from generate_series(1, 60) n`);
}
