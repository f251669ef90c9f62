/** A running service with people of fixed roles, so that a name in a test stands for a permission. */
import { createServer, setDefaultAutoSelectFamilyAttemptTimeout } from "node:net";
import type { FastifyInstance } from "fastify";
import type { ClientConfig } from "pg";
import { createUser } from "../../src/accounts/create-user.ts";
import { insertToken } from "../../src/accounts/store.ts";
import { findNamespace, updatePlan } from "../../src/accounts/store-namespaces.ts";
import { buildApp } from "../../src/app.ts";
import { readConfig } from "../../src/platform/config.ts";
import { type Db, openDb } from "../../src/platform/db.ts";
import { createLog } from "../../src/platform/log.ts";
import { readMasterKeys } from "../../src/platform/master-key.ts";
import type { Platform } from "../../src/platform/platform.ts";
import { digest, keysFrom, newSecret } from "../../src/platform/secret.ts";
import { createGroup } from "../../src/projects/create-group.ts";
import { createProject } from "../../src/projects/create-project.ts";
import { insertMember } from "../../src/projects/store-members.ts";
import { whenDone } from "./cleanup.ts";
import { asService, freshDatabase, PATIENCE_MS } from "./database.ts";
import { assertDescribed } from "./described.ts";

/** The password of every person in the world. */
export const PASSWORD = "correct horse battery staple";

/**
 * Olga owns the group acme; Max is maintainer, Dev developer, Rep reporter, Gus guest of acme/rocket;
 * Stan is a stranger; Ada administers the instance.
 */
export const PEOPLE = {
  ada: "Ada Administrator",
  olga: "Olga Owner",
  max: "Max Maintainer",
  dev: "Dev Developer",
  rep: "Rep Reporter",
  gus: "Gus Guest",
  stan: "Stan Stranger",
} as const;
export type Person = keyof typeof PEOPLE;

export interface World {
  /** Where the service listens; also its public URL. */
  url: string;
  platform: Platform;
  /** The connection to its database, as the owner of the tables. */
  connection: ClientConfig;
  /** The same as an open pool: the service's role may not change tables, tests may (decision 0210). */
  owner: Db;
  app: FastifyInstance;
  ids: Readonly<Record<Person, number>>;
  /** The private, premium project acme/rocket; acme/open is public; free/plan belongs to a free group of Olga's. */
  rocket: { id: number; fullPath: "acme/rocket" };
  open: { id: number; fullPath: "acme/open" };
  free: { id: number; fullPath: "free/plan" };
  /** A personal access token of a person. */
  tokenOf(person: Person, ...scopes: string[]): Promise<string>;
  /** `fetch` below the service's address, with a person's `api` token if one is named; redirects are not followed. */
  call(path: string, options?: CallOptions): Promise<Reply>;
}

export interface CallOptions {
  as?: Person;
  token?: string;
  method?: string;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as a form. */
  form?: Readonly<Record<string, string>> | [string, string][];
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
}

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  /** The body read as JSON; undefined when it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any member of an answer it is about to judge
  json: any;
}

// If localhost has two addresses, a busy machine must not make the client give up on the right one.
setDefaultAutoSelectFamilyAttemptTimeout(10_000);

/**
 * Starts the service on a new database, with the master key of a data directory if one is given; it stops when the file's
 * tests are done.
 */
export async function startWorld(environment: Readonly<Record<string, string>> = {}): Promise<World> {
  const connection = await freshDatabase();
  const port = await freePort();
  const config = readConfig({
    PORT: String(port),
    GATEHOUSE_LOG_LEVEL: "error",
    GATEHOUSE_RATE_LIMITS: "off",
    ...environment,
  });
  const log = createLog(config);
  const open = (connection: ClientConfig) => openDb({ connection, checkRows: true, patienceMs: PATIENCE_MS });
  // As in a service started by its command: the role that serves requests cannot change tables (decision 0210).
  const [db, owner] = [open(await asService(connection)), open(connection)];
  const master = environment.GATEHOUSE_DATA_DIR
    ? await readMasterKeys({ ...config, databaseUrl: "elsewhere" })
    : Buffer.alloc(32, 7);
  const platform: Platform = { config, db, owner, log, keys: keysFrom(master) };
  const app = await buildApp(platform);
  await app.listen({ host: config.host, port });
  whenDone(async () => {
    app.server.closeAllConnections();
    await app.close();
    await Promise.all([db.close(), owner.close()]);
  });
  return { ...(await peopled(platform, app, `http://localhost:${port}`)), connection, owner };
}

async function peopled(
  platform: Platform,
  app: FastifyInstance,
  url: string,
): Promise<Omit<World, "connection" | "owner">> {
  const { db } = platform;
  const ids = {} as Record<Person, number>;
  for (const [username, name] of Object.entries(PEOPLE) as [Person, string][]) {
    ids[username] = await createUser(platform, {
      username,
      name,
      email: `${username}@example.org`,
      password: PASSWORD,
      isAdmin: username === "ada",
    });
  }
  await createGroup(
    db,
    { id: ids.olga, isAdmin: false },
    { path: "acme", name: "Acme", visibility: "public" },
  );
  await createGroup(
    db,
    { id: ids.olga, isAdmin: false },
    { path: "free", name: "Free", visibility: "public" },
  );
  const acme = await needed(findNamespace(db, "acme"));
  const free = await needed(findNamespace(db, "free"));
  await updatePlan(db, free.id, "free");
  const rocket = await createProject(db, ids.olga, { namespace: acme, path: "rocket", name: "Rocket" });
  const open = await createProject(db, ids.olga, {
    namespace: acme,
    path: "open",
    name: "Open",
    visibility: "public",
  });
  const plan = await createProject(db, ids.olga, { namespace: free, path: "plan", name: "Plan" });
  for (const projectId of [rocket, open]) {
    for (const [person, accessLevel] of [
      ["max", 40],
      ["dev", 30],
      ["rep", 20],
      ["gus", 10],
    ] as const) {
      await insertMember(
        db,
        { projectId },
        { userId: ids[person], accessLevel, expiresAt: null, createdBy: ids.olga },
      );
    }
  }
  const tokens = new Map<string, Promise<string>>();
  const tokenOf = (person: Person, ...scopes: string[]) => {
    const key = [person, ...scopes].join(" ");
    const token = tokens.get(key) ?? makeToken(platform, ids[person], scopes);
    tokens.set(key, token);
    return token;
  };
  return {
    url,
    platform,
    app,
    ids,
    rocket: { id: rocket, fullPath: "acme/rocket" },
    open: { id: open, fullPath: "acme/open" },
    free: { id: plan, fullPath: "free/plan" },
    tokenOf,
    call: async (path, options = {}) => {
      const token = options.token ?? (options.as ? await tokenOf(options.as, "api") : undefined);
      return send(app, url + path, options, token);
    },
  };
}

async function makeToken(platform: Platform, userId: number, scopes: string[]): Promise<string> {
  const secret = newSecret("personalAccessToken");
  await insertToken(platform.db, { digest: digest(secret), kind: "personal", userId, scopes, name: "test" });
  return secret;
}

async function send(
  app: FastifyInstance,
  url: string,
  options: CallOptions,
  token: string | undefined,
): Promise<Reply> {
  const headers: Record<string, string> = { ...options.headers };
  if (token) headers.authorization ??= `Bearer ${token}`;
  let body: string | Uint8Array | undefined = options.body;
  if (options.json !== undefined) {
    headers["content-type"] ??= "application/json";
    body = JSON.stringify(options.json);
  } else if (options.form) {
    headers["content-type"] ??= "application/x-www-form-urlencoded";
    body = new URLSearchParams(options.form as Record<string, string>).toString();
  }
  const method = options.method ?? (body === undefined ? "GET" : "POST");
  const reply = await fetch(url, {
    method,
    headers,
    redirect: "manual",
    ...(body === undefined ? {} : { body: body as string }),
  });
  const text = await reply.text();
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  const answer = { status: reply.status, headers: reply.headers, text, json };
  await assertDescribed(app, method, url, answer);
  return answer;
}

async function needed<T>(found: Promise<T | undefined>): Promise<T> {
  const value = await found;
  if (value === undefined) throw new Error("the world is not as it was built");
  return value;
}

const FIRST_PORT = 11_000;
const PORTS = 21_000;
const PORTS_OF_A_PROCESS = 16;
let asked = 0;

/**
 * A port at which nobody listens. It is below the range from which systems assign ports, and reserved for this process, so that
 * no other test takes it before it is used.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + ((process.pid * PORTS_OF_A_PROCESS + asked++) % PORTS);
    if (!(await reserved(port))) continue;
    const isFree = await new Promise<boolean>((resolve) => {
      const server = createServer();
      server.on("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}

/** Whether no other process has reserved the port: on Linux, by a socket that has a name without a file and ends with its process. */
async function reserved(port: number): Promise<boolean> {
  if (process.platform !== "linux") return true;
  return new Promise((resolve) => {
    const holder = createServer().unref();
    holder.on("error", () => resolve(false));
    holder.listen(`\0gatehouse test port ${port}`, () => resolve(true));
  });
}
