/** Sends secrets and hostile text through a service with full logging, and then searches all its output for them. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { newInstallation, startService } from "../support/installation.ts";
import { hiddenFields } from "../support/oauth.ts";
import { Visitor } from "../support/visitor.ts";

const ADMIN_PASSWORD = "a canary sits in this password";
const ADMIN_TOKEN = `gpat_${"c4N4ry".repeat(6)}`;
const PERSON_PASSWORD = "another canary sits in that one";
/** Would start a new line, color a terminal, or end a line for readers that know Unicode line breaks. */
const HOSTILE = 'dev\r\n{"level":60,"msg":"planted"}\n\u001b[2J\u001b[31m\u2028\u2029\u0085"}';

/** Each secret, by a description. */
const secrets = new Map<string, string>();
let log = "";
let metrics = "";
let dataDir = "";

before(async () => {
  const installation = await newInstallation({
    GATEHOUSE_ADMIN_USERNAME: "ada",
    GATEHOUSE_ADMIN_EMAIL: "ada@example.org",
    GATEHOUSE_ADMIN_PASSWORD: ADMIN_PASSWORD,
    GATEHOUSE_ADMIN_TOKEN: ADMIN_TOKEN,
    GATEHOUSE_LOG_LEVEL: "trace",
  });
  dataDir = installation.dataDir;
  const service = await startService(installation, ["--json"]);
  await goThrough(installation.url);
  metrics = await (await fetch(`${installation.url}/-/metrics`)).text();
  // Output can arrive after the process has ended.
  const isRead = once(service.process, "close");
  assert.equal(await service.stop(), 0);
  await isRead;
  log = service.output();
});

/** Creates every kind of secret, uses it, uses it wrongly, and sends it where it does not belong. */
async function goThrough(url: string): Promise<void> {
  secrets.set("password of the administrator", ADMIN_PASSWORD).set("token of the administrator", ADMIN_TOKEN);
  const send = async (
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
    method = "POST",
  ) => {
    const isForm = body instanceof URLSearchParams;
    const reply = await fetch(url + path, {
      method: body === undefined ? "GET" : method,
      headers: { ...(body && !isForm ? { "content-type": "application/json" } : {}), ...headers },
      ...(body ? { body: isForm ? body : JSON.stringify(body) } : {}),
      redirect: "manual",
    });
    const text = await reply.text();
    return { status: reply.status, headers: reply.headers, json: /^[[{]/.test(text) ? JSON.parse(text) : {} };
  };
  const admin = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const api = async (path: string, body?: unknown) => {
    const reply = await send(`/api/v4/${path}`, body, admin);
    assert.ok(reply.status < 300, `${path}: ${reply.status} ${JSON.stringify(reply.json)}`);
    return reply.json;
  };
  const keep = (what: string, secret: unknown): string => {
    assert.ok(typeof secret === "string" && secret.length > 8, `${what}: ${secret}`);
    secrets.set(what, secret);
    return secret;
  };
  const person = { username: "dev", name: "Dev", email: "dev@example.org", password: PERSON_PASSWORD };
  const { id: userId } = await api("users", person);
  secrets.set("password of a person", PERSON_PASSWORD);
  const made = await api(`users/${userId}/personal_access_tokens`, { name: "one", scopes: ["api"] });
  const personal = keep("personal token", made.token);
  await api("projects", { name: "Rocket", path: "rocket" });
  const place = "projects/ada%2Frocket";
  const integration = await api(`${place}/alert_integrations`, { type: "http", name: "In" });
  const alertKey = keep("alert key", integration.authorization_key);
  keep("secret of an event source", (await api(`${place}/event_sources`, { name: "Forge" })).secret);
  keep("feed token", (await api("user/feed_token")).feed_token);
  const address = "https://hooks.example.org/services/canary-of-an-address";
  await api(`${place}/alert_channels`, { name: "Out", kind: "webhook", url: address });
  secrets.set("address of a channel", "canary-of-an-address");

  const callback = "https://app.example.org/callback";
  const application = await api("applications", {
    ...{ name: "App", redirect_uri: callback, scopes: "api", confidential: true },
    grant_types: ["authorization_code", "refresh_token", "password"],
  });
  const secret = keep("secret of an application", application.secret);
  const basic = { authorization: `Basic ${btoa(`${application.application_id}:${secret}`)}` };
  const visitor = new Visitor(url);
  const entered = await visitor.submit("/users/sign_in", { username: "dev", password: PERSON_PASSWORD });
  assert.equal(entered.status, 303);
  keep("token of a form", visitor.csrfToken);
  for (const line of entered.headers.getSetCookie()) {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (value.length > 20) keep(`cookie ${name}`, value);
  }
  const asked = `/oauth/authorize?${new URLSearchParams({ client_id: application.application_id, redirect_uri: callback, response_type: "code", scope: "api", state: "canary-of-a-state" })}`;
  const page = await visitor.get(asked);
  const allowed = await visitor.post("/oauth/authorize", hiddenFields(page.text, "/oauth/authorize"));
  const code = keep("code", new URL(allowed.location ?? "").searchParams.get("code"));
  const ahead = { response_type: "code", redirect_uri: callback, scope: "api" };
  const named = (await send("/oauth/par", new URLSearchParams(ahead), basic)).json.request_uri;
  keep("name of a pushed request", named.split(":").at(-1));
  const way = `/oauth/authorize?${new URLSearchParams({ client_id: application.application_id, request_uri: named })}`;
  await new Visitor(url).get(way);
  assert.equal((await visitor.get(way)).status, 303);
  assert.equal((await visitor.get(way)).status, 400, "already answered");
  const exchange = { grant_type: "authorization_code", code, redirect_uri: callback };
  const pair = await send("/oauth/token", new URLSearchParams(exchange), basic);
  assert.equal(pair.status, 200);
  const access = keep("access token", pair.json.access_token);
  const refresh = keep("refresh token", pair.json.refresh_token);

  // Used correctly, used wrongly, and sent where they do not belong.
  for (const token of [access, personal, refresh, alertKey, code, `${access}x`]) {
    await send("/api/v4/user", undefined, { authorization: `Bearer ${token}` });
    await send(`/api/v4/user?access_token=${token}`);
    await send(`/oauth/token/info?access_token=${token}`);
    await send(`/nothing/${token}?private_token=${token}`, undefined, { referer: `${url}/?token=${token}` });
    await send("/oauth/token", new URLSearchParams({ ...exchange, code: token }), basic);
    await send("/oauth/token", { grant_type: "refresh_token", refresh_token: token }, basic);
    await send("/oauth/revoke", { token: `${token}y`, client_secret: secret });
    const quoting = `https://app.example.org/cb_${token}?access_token=${token}`;
    await send("/oauth/token", new URLSearchParams({ ...exchange, resource: quoting }), basic);
    await send("/oauth/par", new URLSearchParams({ ...ahead, redirect_uri: quoting }), basic);
    await visitor.get(`${asked}&redirect_uri=${quoting}`);
    await visitor.get(`${asked}&resource=${quoting}`);
    await send("/ada/rocket/alerts/notify.json", { title: "x" }, { authorization: `Bearer ${token}` });
  }
  const wrong = { grant_type: "password", username: "dev", password: `${PERSON_PASSWORD}!` };
  await send("/oauth/token", new URLSearchParams(wrong), basic);

  // The password typed into the username field by mistake.
  await new Visitor(url).submit("/users/sign_in", { username: PERSON_PASSWORD, password: PERSON_PASSWORD });
  await send("/oauth/token", new URLSearchParams({ ...wrong, username: PERSON_PASSWORD }), basic);

  const sent = await send(
    new URL(integration.url).pathname,
    { title: HOSTILE, description: HOSTILE, [HOSTILE]: HOSTILE },
    { authorization: `Bearer ${alertKey}` },
  );
  assert.equal(sent.status, 200);
  await new Visitor(url).submit("/users/sign_in", { username: HOSTILE, password: HOSTILE });
  await send(
    `/oauth/authorize?client_id=${encodeURIComponent(HOSTILE)}&redirect_uri=${encodeURIComponent(HOSTILE)}`,
  );
  await send("/oauth/token", new URLSearchParams({ grant_type: HOSTILE, client_id: HOSTILE }));
  await send(
    `/api/v4/projects/${encodeURIComponent(HOSTILE)}/events?action=${encodeURIComponent(HOSTILE)}`,
    undefined,
    { ...admin, "user-agent": "\u0085\u009b31m dev" },
  );
  await send("/api/v4/groups", { name: HOSTILE, path: HOSTILE }, admin);
  await send(`/${encodeURIComponent(HOSTILE)}`);
}

/** All files below a directory. */
function* filesIn(directory: string): Generator<string> {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) yield* filesIn(path);
    else if (entry.isFile()) yield path;
  }
}

describe("the output of a service with full logging", { concurrency: false }, () => {
  it("contains no secret in the clear: not in log, metrics or any file of the data directory, the database's included (reference reliability S127)", () => {
    assert.ok(secrets.size >= 14, [...secrets.keys()].join());
    const found: string[] = [];
    const look = (where: string, bytes: Buffer) => {
      for (const [what, secret] of secrets) {
        const spellings = [secret, encodeURIComponent(secret), Buffer.from(secret).toString("hex")];
        if (spellings.some((each) => bytes.includes(each))) found.push(`${what} in ${where}`);
      }
    };
    assert.ok(log.split("\n").length > 100);
    look("the log", Buffer.from(log));
    // Stored while the request is pending, and not a secret of this service.
    assert.doesNotMatch(log, /canary-of-a-state/);
    look("the metrics", Buffer.from(metrics));
    let bytes = 0;
    for (const path of filesIn(dataDir)) {
      bytes += statSync(path).size;
      look(path.slice(dataDir.length), readFileSync(path));
    }
    assert.ok(bytes > 20_000_000, "the database, its write-ahead log too");
    assert.deepEqual(found, []);
  });

  it("is one line of JSON for each log entry, whatever text people send (reference reliability S110)", () => {
    const lines = log.trimEnd().split("\n");
    for (const line of lines) assert.ok(JSON.parse(line) !== null, line);
    assert.deepEqual(
      lines.filter((line) => JSON.parse(line).msg === "planted"),
      [],
    );
    // All control characters except the line feed.
    assert.doesNotMatch(log, /[^\P{Cc}\n]|[\u2028\u2029]/u);
  });
});
