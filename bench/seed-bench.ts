/** Fills a migrated database with people, tokens and events by a few large statements, in the order of time. */
import { hash } from "@node-rs/argon2";
import pg from "pg";
import { hashPassword } from "../src/accounts/password.ts";
import type { Options } from "./options.ts";
import {
  APPLICATIONS,
  AUTHORS,
  INTEGRATIONS,
  LISTED_PROJECT,
  PASSWORD,
  PROJECTS,
  REAL_HASH_USERS,
  REDIRECT_URI,
  SECRETS,
  TARGETS_PER_PROJECT,
  USERS,
} from "./seeded.ts";

const SEEDED_TABLES = `users, namespaces, projects, members, applications, application_secrets, authorizations,
  authorization_codes, refresh_tokens, access_tokens, event_targets, events,
  event_days, event_day_sums, event_project_totals, event_author_totals, event_deltas`;

/** Seeds what the chosen groups need; `say` takes one line for each part. */
export async function seedBench(
  connection: pg.ClientConfig,
  options: Options,
  say: (line: string) => void,
): Promise<void> {
  const client = new pg.Client({ ...connection, options: "-c timezone=UTC" });
  await client.connect();
  const part = async (name: string, ...statements: string[]) => {
    const begun = performance.now();
    for (const statement of statements) await client.query(statement);
    say(`  ${name} (${((performance.now() - begun) / 1000).toFixed(1)} s)`);
  };
  try {
    await part(`${USERS} users`, ...(await people()));
    await part(`${PROJECTS} projects`, ...projects());
    await part(`${options.tokens} access tokens`, ...tokens(options.tokens));
    await part(`${options.singleUse} codes and refresh tokens`, ...singleUse(options.singleUse));
    await part("alert integrations", ...alerts());
    if (options.groups.includes("alerts")) {
      await part(`${options.alerts} alerts`, listedAlerts(options.alerts), "vacuum (analyze) alerts");
    }
    await part(`${options.events} events`, ...events(options.events));
    await part("counts of events", "select rebuild_event_rollups()");
    // Lists count on the index alone, which needs the visibility map.
    await part("vacuum and analyze", `vacuum (analyze) ${SEEDED_TABLES}`);
  } finally {
    await client.end();
  }
}

const digestOf = (prefix: string, number: string) => `sha256(convert_to('${prefix}' || ${number}, 'UTF8'))`;

async function people(): Promise<string[]> {
  const cheap = await hash(PASSWORD, { memoryCost: 8, timeCost: 1, parallelism: 1 });
  const real = await hashPassword(PASSWORD);
  return [
    `insert into users (username, name, email, password_hash)
      select 'bench-' || n, 'Bench ' || n, 'bench-' || n || '@example.org',
        case when n > ${USERS - REAL_HASH_USERS} then '${real}' else '${cheap}' end
      from generate_series(1, ${USERS}) n`,
    `insert into namespaces (kind, owner_id, path, full_path, name, visibility)
      select 'user', id, username, username, name, 'public' from users order by id`,
  ];
}

function projects(): string[] {
  return [
    `insert into namespaces (kind, path, full_path, name, visibility)
      values ('group', 'bench', 'bench', 'Bench', 'public')`,
    `insert into projects (namespace_id, path, full_path, name, visibility, creator_id)
      select (select id from namespaces where full_path = 'bench'), 'project-' || n, 'bench/project-' || n,
        'Project ' || n, case when n % 2 = 0 then 'private' else 'public' end, 1
      from generate_series(1, ${PROJECTS}) n`,
    `insert into members (namespace_id, user_id, access_level)
      select (select id from namespaces where full_path = 'bench'), n, 30 from generate_series(1, ${AUTHORS}) n`,
  ];
}

/** Uses are noted already, so that the write of a first use does not hide in every figure. */
function tokens(count: number): string[] {
  return [
    `insert into applications (uid, name, redirect_uris, scopes, grant_types)
      select lpad(to_hex(n), 64, '0'), 'Bench ' || n, array['${REDIRECT_URI}'], '{api,read_api,read_user}',
        '{authorization_code,refresh_token,password}'
      from generate_series(1, ${APPLICATIONS}) n`,
    `insert into application_secrets (application_id, digest)
      select n, ${digestOf(SECRETS.application, "n")} from generate_series(1, ${APPLICATIONS}) n`,
    `insert into authorizations (application_id, user_id, flow, scopes)
      select 1 + n % ${APPLICATIONS}, n, 'authorization_code', '{api}' from generate_series(1, ${USERS}) n`,
    `insert into access_tokens (digest, kind, user_id, scopes, application_id, authorization_id, expires_at, last_used_at)
      select ${digestOf(SECRETS.token, "n")}, 'oauth', a.user_id, '{api}', a.application_id, a.id,
        now() + interval '1 day', now() + interval '1 day'
      from generate_series(1, ${count}) n join authorizations a on a.id = 1 + n % ${USERS}`,
    `insert into access_tokens (digest, kind, user_id, scopes, name, last_used_at)
      select ${digestOf(SECRETS.reader, "n")}, 'personal', n, '{api}', 'bench', now() + interval '1 day'
      from generate_series(1, ${AUTHORS}) n`,
  ];
}

/** All of application 1, each with an approval of its own. */
function singleUse(count: number): string[] {
  return [
    `insert into authorizations (application_id, user_id, flow, scopes)
      select 1, 1 + n % ${USERS}, 'authorization_code', '{api}' from generate_series(1, ${2 * count}) n`,
    `insert into authorization_codes (digest, authorization_id, redirect_uri, expires_at)
      select ${digestOf(SECRETS.code, "n")}, ${USERS} + n, '${REDIRECT_URI}', now() + interval '1 hour'
      from generate_series(1, ${count}) n`,
    `insert into refresh_tokens (digest, authorization_id, expires_at)
      select ${digestOf(SECRETS.refreshToken, "n")}, ${USERS + count} + n, now() + interval '1 day'
      from generate_series(1, ${count}) n`,
  ];
}

function alerts(): string[] {
  return [
    `insert into alert_integrations (project_id, type, name, identifier, key_digest, key_sealed)
      select n, 'http', 'Bench ' || n, lpad(to_hex(n), 16, '0'), ${digestOf(SECRETS.integration, "n")}, ''
      from generate_series(1, ${INTEGRATIONS}) n`,
    `insert into alert_settings (project_id, create_incident) values (3, false)`,
    "create schema bare",
    `create table bare.alerts (id bigint generated always as identity primary key, fingerprint bytea not null,
      received_at timestamptz not null default now(), payload jsonb not null)`,
    "create index on bare.alerts (fingerprint)",
    "create index on bare.alerts (received_at)",
    "create table bare.hot_row (id integer primary key, n bigint not null, seen_at timestamptz not null)",
  ];
}

/** A year of alerts, nine tenths of them resolved. */
function listedAlerts(count: number): string {
  const at = `now() - interval '365 days' * (1 - n::float8 / ${count + 1})`;
  return `insert into alerts (project_id, iid, title, severity, status, service, hosts, fingerprint_hash, grouped, events,
      deliveries, started_at, ended_at, first_payload, created_at, updated_at, last_seen_at)
    select ${LISTED_PROJECT}, n, 'Disk of shard ' || n || ' is nearly full',
      (array['critical', 'high', 'medium', 'low', 'info', 'unknown'])[1 + n % 6], status, 'storage',
      array['shard-' || n || '.example.org'], sha256(convert_to(n::text, 'UTF8')), true, 1 + n * 7 % 900, 1, ${at},
      case when status = 'resolved' then ${at} + interval '10 minutes' end, '{"title": "Disk is nearly full"}', ${at}, ${at}, ${at}
    from (select n, (array['triggered', 'acknowledged', 'ignored'])[n / 7 % 30 + 1] as open from generate_series(1, ${count}) n) n
    cross join lateral (select coalesce(open, 'resolved') as status) s`;
}

/** Half pushes, three tenths issues and merge requests, one tenth comments, one tenth people joining; two years evenly. */
function events(count: number): string[] {
  const perTarget = TARGETS_PER_PROJECT;
  const pick = (seed: number, size: number) => `mod(abs(hashint8extended(n, ${seed}) / 2), ${size})::integer`;
  const made = `select n, ${pick(1, 10)} as tenth, 1 + ${pick(2, PROJECTS)} as project, 1 + ${pick(3, AUTHORS)} as author,
      1 + ${pick(4, perTarget)} as iid, now() - interval '729 days' * (1 - n::float8 / ${count}) as at
    from generate_series(1, ${count}) n`;
  return [
    `insert into event_targets (project_id, source_id, kind, key, number, title, title_at)
      select p, 0, case when t % 2 = 0 then 'issue' else 'merge_request' end, t::text, p * 1000 + t,
        'Something that somebody worked on, number ' || t, now()
      from generate_series(1, ${PROJECTS}) p, generate_series(1, ${perTarget}) t`,
    `insert into events (created_at, project_id, author_id, action, cap, target_type, target_id, target_iid, target_ref,
        push_data, note)
      select at, project, author,
        (case when tenth < 5 then 'pushed' when tenth = 8 then 'commented' when tenth = 9 then 'joined'
          when tenth = 5 then 'created' when tenth = 6 then 'closed' else 'reopened' end)::event_action,
        (case when tenth < 5 then 'code' when tenth = 9 then 'project' when kind = 'issue' then 'issue'
          else 'merge_request' end)::event_cap,
        (case when tenth in (5, 6, 7) then case when kind = 'issue' then 'Issue' else 'MergeRequest' end
          when tenth = 8 then 'Note' end)::event_target_type,
        case when tenth in (5, 6, 7) then number when tenth = 8 then n end,
        case when tenth in (5, 6, 7) then iid when tenth = 8 then n end,
        case when tenth in (5, 6, 7, 8) then target end,
        case when tenth < 5 then jsonb_build_object('commitCount', 1 + n % 9, 'action', 'pushed', 'refType', 'branch',
          'commitFrom', md5(n::text) || '00000000', 'commitTo', md5((n + 1)::text) || '00000000', 'ref', 'main',
          'commitTitle', 'Change the thing with the number ' || n, 'refCount', null) end,
        case when tenth = 8 then jsonb_build_object('type', null, 'body', 'A remark about ' || n || ', not very long.',
          'attachment', null, 'system', false, 'internal', false,
          'noteableType', case when kind = 'issue' then 'Issue' else 'MergeRequest' end, 'noteableIid', iid,
          'noteableId', number, 'commitId', null) end
      from (${made}) made
      join (select id as target, project_id, kind, key, number from event_targets) t
        on t.project_id = made.project and t.key = made.iid::text
      order by n`,
  ];
}
