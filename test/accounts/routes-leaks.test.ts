/** Reports of leaked secrets: what is ended, who is told, and that reporters learn nothing. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, mock, test } from "node:test";
import { sign } from "@octokit/webhooks-methods";
import { sessionCookieName } from "../../src/accounts/session.ts";
import {
  digest,
  maySecretBe,
  newSecret,
  SECRET_PREFIXES,
  type SecretKind,
} from "../../src/platform/secret.ts";
import { sql } from "../../src/platform/sql.ts";
import { aSource } from "../support/alerts.ts";
import { aPair, apiStatus, counted } from "../support/attacks.ts";
import { runJob } from "../support/jobs.ts";
import { stopsMeasuring } from "../support/measuring.ts";
import { anApplication, signedIn as atBrowser, aVisitor, refresh } from "../support/oauth.ts";
import { type PostOffice, worldWithMail } from "../support/post-office.ts";
import { signedIn } from "../support/visitor.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

const PLACE = "https://git.example.org/acme/rocket/blob/main/.env";
const ADVERSE = "https://evil:pw@x.example/<script>alert(1)</script>\r\nBcc: all@example.org\0";

let office: PostOffice;
let world: World;

before(async () => {
  office = await worldWithMail();
  world = office.world;
});

const report = (...reports: object[]) => world.call("/api/v4/leak_reports", { json: reports });

/** Creates a personal access token of a user. */
async function aToken(person: Person): Promise<string> {
  const path = `/api/v4/users/${world.ids[person]}/personal_access_tokens`;
  return (await world.call(path, { as: "ada", json: { name: "Deploy", scopes: ["api"] } })).json.token;
}

/** Reports a secret, and checks that the response is the same for every report. */
async function reports(token: string, more: object = { url: PLACE, source: "commit" }): Promise<void> {
  const { status, text, headers } = await report({ token, type: "gatehouse", ...more });
  assert.deepEqual([status, text, headers.get("cache-control")], [200, "{}", "no-store"]);
}

/** Returns the mails about leaks since the last call. */
async function told() {
  await runJob(world, "notices");
  await office.settle();
  return office.mails.splice(0).filter(({ text }) => /where others can read it/.test(text));
}

const logOf = async (person: Person) =>
  (await (await signedIn(world, person)).get("/profile/security_log")).text;

/** Counts the database calls caused by a function. */
async function statementsOf(act: () => Promise<unknown>): Promise<number> {
  let statements = 0;
  const { db } = world.platform;
  const names = ["find", "one", "many", "run", "transaction"] as const;
  const counted = names.map((name) => {
    const original = db[name].bind(db) as (...given: unknown[]) => unknown;
    return mock.method(db, name, ((...given: unknown[]) => {
      statements++;
      return original(...given);
    }) as never);
  });
  await act();
  for (const each of counted) each.mock.restore();
  return statements;
}

test("a reported personal access token is revoked, and its owner is told where it was found by mail and log (reference oauth G7; decision 0208)", async () => {
  const token = await aToken("dev");
  assert.equal(await apiStatus(world, token), 200);
  await reports(token);
  assert.equal(await apiStatus(world, token), 401);
  const [mail, ...more] = await told();
  assert.deepEqual(more, []);
  assert.deepEqual(mail?.to, ["dev@example.org"]);
  assert.match(mail?.text ?? "", /^Subject: A secret of yours was leaked and has been revoked: @dev$/m);
  const text = (mail?.text ?? "").replaceAll("=\r\n", "");
  assert.ok(text.includes(`Found at: ${PLACE}`), text);
  assert.ok(text.includes(`Its SHA-256 begins: ${digest(token).toString("hex").slice(0, 12)}`), text);
  for (const page of [await logOf("dev"), (await (await signedIn(world, "ada")).get("/admin/audit")).text]) {
    assert.match(page, /Ended a secret that was reported as leaked/);
    assert.ok(page.includes(`found at ${PLACE}`));
    assert.doesNotMatch(page, /gpat_/);
  }
  await reports(token);
  assert.deepEqual(await told(), [], "the owner must not be told again");
});

test("either token of a pair ends the authorization, while a used or expired one ends nothing (RFC 7009 §2.1; decision 0208)", async () => {
  const dev = await atBrowser(world, "dev");
  const application = await anApplication(world);
  const first = await aPair(world, dev, application);
  const next = (await refresh(world, application, first.refresh_token)).json;
  for (const spent of [first.access_token, first.refresh_token]) await reports(spent);
  assert.equal(await apiStatus(world, next.access_token), 200, "the next pair stays valid");
  const other = await aPair(world, dev, application);
  for (const [pair, found] of [
    [next, next.access_token],
    [other, other.refresh_token],
  ]) {
    await reports(found);
    assert.equal(await apiStatus(world, pair.access_token), 401);
    assert.equal((await refresh(world, application, pair.refresh_token)).json.error, "invalid_grant");
  }
  await reports(other.refresh_token);
  assert.equal((await told()).length, 2, "the owner must not be told again");
  const { run } = world.platform.db;
  const [late, latest] = [await aPair(world, dev, application), await aPair(world, dev, application)];
  await run(sql`update access_tokens set expires_at = now() where digest = ${digest(late.access_token)}`);
  await run(sql`update refresh_tokens set expires_at = now() where digest = ${digest(latest.refresh_token)}`);
  for (const over of [late.access_token, latest.refresh_token]) await reports(over);
  assert.equal((await refresh(world, application, late.refresh_token)).status, 200);
  assert.equal(await apiStatus(world, latest.access_token), 200);
  assert.equal((await told()).length, 0);
});

test("reported sessions and feed tokens are ended (decision 0208)", async () => {
  const rep = await signedIn(world, "rep");
  await reports(rep.cookie(sessionCookieName(false)) ?? "");
  assert.equal((await rep.get("/profile")).location, "/users/sign_in");
  const over = await signedIn(world, "stan");
  await world.platform.db.run(sql`update sessions set expires_at = now() where user_id = ${world.ids.stan}`);
  await reports(over.cookie(sessionCookieName(false)) ?? "");
  const { json } = await world.call("/api/v4/user/feed_token", { as: "gus" });
  const feed = `/acme/rocket.atom?feed_token=${json.feed_token}`;
  assert.equal((await aVisitor(world).get(feed)).status, 200);
  await reports(json.feed_token);
  assert.equal((await aVisitor(world).get(feed)).status, 401);
  const mails = await told();
  assert.deepEqual(mails.map(({ to }) => to[0]).sort(), ["gus@example.org", "rep@example.org"]);
});

test("a blocked user's reported token is revoked, and stays so after unblocking (decision 0208)", async () => {
  const token = await aToken("stan");
  const turn = (how: string) =>
    world.call(`/api/v4/users/${world.ids.stan}/${how}`, { as: "ada", method: "POST" });
  await turn("block");
  await reports(token);
  await turn("unblock");
  assert.equal(await apiStatus(world, token), 401);
  await told();
});

test("a reported alert key stays valid, and the project's Maintainers and Owners are told once a day (contract-alerts, availability; decision 0208)", async () => {
  const source = await aSource(world, "generic", { name: "Pager" });
  for (let again = 0; again < 3; again++) await reports(source.key);
  assert.equal((await source.send({ title: "Still heard" })).status, 200);
  const mails = await told();
  assert.deepEqual(mails.map(({ to }) => to[0]).sort(), ["max@example.org", "olga@example.org"]);
  for (const { text } of mails) {
    assert.match(text, /and is still valid/);
    assert.match(text, /\(Pager, acme\/rocket\)/);
    assert.doesNotMatch(text, /gak_/);
  }
  await world.owner.run(sql`alter table audit_entries disable trigger user`);
  await world.owner.run(
    sql`update audit_entries set at = at - interval '25 hours' where action = 'secret_leaked'`,
  );
  await world.owner.run(sql`alter table audit_entries enable trigger user`);
  await world.call(`/api/v4/users/${world.ids.max}/block`, { as: "ada", method: "POST" });
  await reports(source.key);
  assert.deepEqual(
    (await told()).map(({ to }) => to[0]),
    ["olga@example.org"],
    "told again a day later, except blocked users",
  );
  await world.call(`/api/v4/users/${world.ids.max}/unblock`, { as: "ada", method: "POST" });
});

test("a reported secret of an event source stays valid, and the project's Maintainers and Owners are told (contract-events §3; decision 0208)", async () => {
  const sources = "/api/v4/projects/acme%2Frocket/event_sources";
  const make = async (json: object) => (await world.call(sources, { as: "max", json })).json;
  const made = await make({ name: "Smithy" });
  // A change of other fields keeps the digest of the secret.
  await world.call(`${sources}/${made.id}`, { as: "max", method: "PUT", json: { name: "Forge" } });
  const deliver = async (secret: string) => {
    const body = JSON.stringify({ zen: "Keep it logically awesome." });
    const signature = await sign(secret, body);
    const headers = { "x-github-event": "ping", "x-hub-signature-256": signature };
    const options = { method: "POST", body, headers: { ...headers, "content-type": "application/json" } };
    return (await world.call(made.url.slice(world.url.length), options)).status;
  };
  const digests = () =>
    counted(world, sql`select count(secret_digest) as n from event_sources where id = ${made.id}`);
  await reports(made.secret);
  const mails = await told();
  assert.deepEqual(mails.map(({ to }) => to[0]).sort(), ["max@example.org", "olga@example.org"]);
  for (const { text } of mails) {
    assert.match(text, /secret of an event source/);
    assert.match(text, /\(Forge, acme\/rocket\)/);
    assert.doesNotMatch(text, /ges_/);
  }
  assert.equal(await deliver(made.secret), 200, "still valid");

  const { secret } = (await world.call(`${sources}/${made.id}/rotate_secret`, { as: "max", method: "POST" }))
    .json;
  await world.platform.db.run(sql`update event_sources set secret_digest = null where id = ${made.id}`);
  for (const either of [made.secret, secret]) await reports(either);
  assert.equal(
    (await told()).length,
    0,
    "the first is no longer valid, and the second has no digest, as if stored by an older version",
  );
  assert.equal(await deliver(made.secret), 401);
  assert.equal(await digests(), 0, "an invalid signature writes no digest");
  assert.equal(await deliver(secret), 200);
  assert.equal(await digests(), 1);
  await reports(secret);
  assert.equal((await told()).length, 2);
  await make({ name: "Chosen", secret: "a secret of sixteen" });
  const chosen = sql`select count(*) as n from event_sources where name = 'Chosen' and secret_digest is null`;
  assert.equal(
    await counted(world, chosen),
    1,
    "a chosen secret must have no digest that could be used for guessing",
  );
});

test("a reported client secret stays valid, and the application's owner is told (decision 0208)", async () => {
  const dev = await atBrowser(world, "dev");
  const acme = await world.call("/api/v4/groups/acme", { as: "olga" });
  const { run } = world.platform.db;
  // A Maintainer of the group, and a blocked owner.
  for (const [person, access_level] of [
    ["gus", 40],
    ["stan", 50],
  ] as const) {
    const json = { user_id: world.ids[person], access_level };
    assert.equal((await world.call("/api/v4/groups/acme/members", { as: "olga", json })).status, 201);
  }
  await run(sql`update users set state = 'blocked' where id = ${world.ids.stan}`);
  const owners: [Parameters<typeof anApplication>[1], string][] = [
    [{ owner: "max" }, "max"],
    [{ owner: null }, "ada"],
    [{ owner: null, name: "Of Acme" }, "olga"],
  ];
  for (const [fields, owner] of owners) {
    const application = await anApplication(world, fields);
    if (owner === "olga")
      await run(sql`update applications set owner_group_id = ${acme.json.id} where uid = ${application.uid}`);
    await reports(application.secret);
    assert.equal(await apiStatus(world, (await aPair(world, dev, application)).access_token), 200);
    const mails = await told();
    assert.deepEqual(
      mails.map(({ to }) => to[0]),
      [`${owner}@example.org`],
    );
    assert.match(mails[0]?.text ?? "", /client secret of an application \((Relay Console|Of Acme)\)/);
    assert.doesNotMatch(mails[0]?.text ?? "", /gos_/);
  }
  const { secret } = await anApplication(world, { owner: "max" });
  await run(sql`update application_secrets set expires_at = now() where digest = ${digest(secret)}`);
  await reports(secret);
  assert.deepEqual(await told(), [], "a renewed secret whose overlap has ended");
  await run(sql`update users set state = 'active' where id = ${world.ids.stan}`);
  for (const person of ["gus", "stan"] as const) {
    const path = `/api/v4/groups/acme/members/${world.ids[person]}`;
    assert.equal((await world.call(path, { as: "olga", method: "DELETE" })).status, 204);
  }
});

test("every report gets the same response, and strings that cannot be a secret cause no query (reference reliability S52, S62; decision 0208)", async () => {
  const live = await aToken("gus");
  const bent = `${live.slice(0, -1)}${live.endsWith("a") ? "b" : "a"}`;
  const unknown = (Object.keys(SECRET_PREFIXES) as SecretKind[]).map(newSecret);
  assert.equal(
    await statementsOf(async () => {
      for (const token of [bent, "", "x", "\0", "gpat_", `${live} `, "é".repeat(1000)]) await reports(token);
    }),
    0,
  );
  for (const token of unknown) await reports(token);
  assert.equal(await apiStatus(world, live), 200);
  const lookups = await statementsOf(() =>
    report(...Array.from({ length: 100 }, () => ({ token: unknown[1] }))),
  );
  assert.equal(lookups, 1, "repeats within a list are looked up once");
  await reports(live);
  assert.equal(await apiStatus(world, live), 401);
  await told();
});

test("lists of more than a hundred reports, bodies that are too large and other malformed ones end nothing (reference reliability E; decision 0208)", async () => {
  const live = await aToken("gus");
  const many = Array.from({ length: 1000 }, () => ({ token: live }));
  const call = (body: string, type = "application/json") =>
    world.call("/api/v4/leak_reports", { method: "POST", body, headers: { "content-type": type } });
  const large = JSON.stringify([{ token: live, url: `https://x.example/${"a".repeat(300_000)}` }]);
  for (const [body, status] of [
    [JSON.stringify(many), 400],
    [JSON.stringify(many.slice(0, 101)), 400],
    [large, 413],
    ["[]", 400],
    ["", 400],
    ["null", 400],
    ["{", 400],
    [JSON.stringify({ token: live }), 400],
    [JSON.stringify([live]), 400],
    [JSON.stringify([{ token: [live] }]), 400],
    [JSON.stringify([{ token: live }, null]), 400],
    ['{"length":1,"0":{"token":"x"}}', 400],
  ] as const) {
    assert.equal((await call(body)).status, status, body.slice(0, 60));
  }
  assert.equal((await call(`token=${live}`, "application/x-www-form-urlencoded")).status, 400);
  assert.equal((await call(JSON.stringify([{ token: live }]), "text/plain")).status, 415);
  assert.equal((await world.call("/api/v4/leak_reports")).status, 405);
  assert.equal(await apiStatus(world, live), 200);
});

test("url and source of a report are sanitized in mail and log: no markup, headers, passwords or secrets (reference reliability S62; decision 0208)", async () => {
  const tokens = await Promise.all(Array.from({ length: 6 }, () => aToken("dev")));
  const [first = "", ...rest] = tokens;
  await reports(first, { url: `https://x.example/?private_token=${first}`, source: "<b>\r\nBcc: x" });
  const urls = [
    ADVERSE,
    "javascript:alert(1)",
    "not an address",
    `https://x.example/${"long/".repeat(2000)}`,
    null,
  ];
  for (const [at, token] of rest.entries()) await reports(token, { url: urls[at], type: null });
  const mails = await told();
  assert.equal(mails.length, tokens.length);
  const all = mails.map(({ text }) => text).join("\n");
  assert.doesNotMatch(all, /gpat_|<script|<b>|^Bcc|javascript:|:pw@|(long\/){150}/m);
  assert.match(all, /private_token=3D?SECRET|private_token=SECRET/);
  for (const mail of mails) assert.deepEqual(mail.to, ["dev@example.org"]);
  const log = await logOf("dev");
  assert.doesNotMatch(log, /gpat_|<script>alert|<b>|javascript:alert|:pw@/);
  assert.match(log, /found at https:\/\/x\.example\/%3Cscript%3E/);
});

test("a percent-encoded secret in the url is redacted in log and mail, even if encoded repeatedly (RFC 3986 §2.1; decision 0208)", async () => {
  const percents = (text: string, percent = "%") =>
    [...text].map((one) => percent + one.charCodeAt(0).toString(16)).join("");
  const forms = [
    (token: string) => percents(token),
    (token: string) => percents(token, "%25").toUpperCase(),
    (token: string) => `gpat%5F${percents(token.slice(5, 9), "%2525")}${token.slice(9)}`,
  ];
  for (const form of forms) {
    const token = await aToken("dev");
    await reports(token, { url: `https://x.example/%C3%A4?a=${form(token)}&b=%20%2` });
    const [mail] = await told();
    // Undoes the quoted-printable encoding of the mail.
    const text = (mail?.text ?? "").replaceAll("=\n", "").replaceAll("=3D", "=");
    assert.ok(text.includes("https://x.example/%C3%A4?a=SECRET&b=%20%2"), text);
    const log = await logOf("dev");
    assert.ok(log.includes("https://x.example/%C3%A4?a=SECRET&amp;b=%20%2"));
    for (const one of [form(token), token, token.slice(9)]) {
      assert.ok(!log.includes(one) && !text.includes(one), one);
    }
  }
});

test("more than thirty reports a minute get 429, while other API requests do not (decision 0208)", async () => {
  stopsMeasuring();
  const limited = await startWorld({ GATEHOUSE_RATE_LIMITS: "on" });
  const once = () => limited.call("/api/v4/leak_reports", { json: [{ token: "x" }] });
  for (let list = 0; list < 30; list++) assert.equal((await once()).status, 200);
  const late = await once();
  assert.equal(late.status, 429);
  assert.ok(Number(late.headers.get("retry-after")) > 0);
  assert.equal((await limited.call("/api/v4/projects")).status, 200);
  mock.restoreAll();
});

test("the page about secrets lists every prefix, with its pattern and examples with a valid checksum (reference oauth G7; decision 0208)", () => {
  const page = readFileSync(new URL("../../docs/secrets.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| `([a-z]+_)` \| [^|]+ \| `([^`]+)` \| (ends|tells|nothing)/gm)];
  assert.deepEqual(
    rows.map(([, prefix]) => prefix),
    Object.values(SECRET_PREFIXES),
  );
  const any = new RegExp(/^\\b\(\?:.+$/m.exec(page)?.[0] ?? "");
  for (const [at, kind] of (Object.keys(SECRET_PREFIXES) as SecretKind[]).entries()) {
    for (const form of [new RegExp(`^${rows[at]?.[2]}$`), any]) {
      assert.match(newSecret(kind), form);
      assert.doesNotMatch(newSecret(kind).slice(0, -1), form);
    }
  }
  const samples = page.match(new RegExp(any, "g")) ?? [];
  assert.ok(samples.length >= 2);
  for (const sample of samples) assert.ok(maySecretBe("personalAccessToken", sample), sample);
});
