/** Fills a migrated database with people, tokens, alerts and events by a few large statements. */
import { hash } from "@node-rs/argon2";
import pg from "pg";
import { hashPassword } from "../src/accounts/password.ts";
import type { Options } from "./options.ts";
import { seedEvents, wideReader } from "./seed-events.ts";
import {
  APPLICATIONS,
  AUTHORS,
  INTEGRATIONS,
  LISTED_PROJECT,
  MANY_PROJECTS,
  PASSWORD,
  PROJECTS,
  REAL_HASH_USERS,
  REDIRECT_URI,
  SECRETS,
  USERS,
} from "./seeded.ts";

const SEEDED_TABLES = `users, namespaces, projects, members, applications, application_secrets, authorizations,
  authorization_codes, refresh_tokens, access_tokens, event_day_sums, event_project_days, event_project_totals, event_deltas`;

/** Seeds what the chosen groups need; `say` takes one line for each part. */
export async function seedBench(
  connection: pg.ClientConfig,
  options: Options,
  say: (line: string) => void,
): Promise<void> {
  const client = new pg.Client({ ...connection, options: "-c timezone=UTC" });
  await client.connect();
  const timed = async (name: string, work: () => Promise<unknown>) => {
    const begun = performance.now();
    await work();
    say(`  ${name} (${((performance.now() - begun) / 1000).toFixed(1)} s)`);
  };
  const part = (name: string, ...statements: string[]) =>
    timed(name, async () => {
      for (const statement of statements) await client.query(statement);
    });
  try {
    await part(`${USERS} users`, ...(await people()));
    await part(`${PROJECTS} projects`, ...projects());
    await part(`${options.tokens} access tokens`, ...tokens(options.tokens));
    await part(`${options.singleUse} codes and refresh tokens`, ...singleUse(options.singleUse));
    await part("alert integrations", ...alerts());
    if (options.groups.includes("alerts")) {
      await part(`${options.alerts} alerts`, listedAlerts(options.alerts), "vacuum (analyze) alerts");
    }
    if (options.groups.includes("events")) {
      await part(`${MANY_PROJECTS} projects of one reader`, ...wideReader());
      await seedEvents(connection, options.events, timed);
    }
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

/** Recent uses are recorded already, so that the write of a first use does not distort the figures. */
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

/** All belong to application 1, each with an authorization of its own. */
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
