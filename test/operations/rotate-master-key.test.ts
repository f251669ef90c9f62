/** Rotation of the master key in a running service: everything sealed stays readable, and the old key is dropped. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Webhook } from "standardwebhooks";
import { examineDatabase } from "../../src/operations/examine-database.ts";
import { countSealed } from "../../src/operations/reseal.ts";
import { dropOldMasterKeys, rotateMasterKey } from "../../src/operations/rotate-master-key.ts";
import { SEALED_COLUMNS } from "../../src/operations/store-sealed.ts";
import { integer, row, text } from "../../src/platform/row.ts";
import { keysFrom } from "../../src/platform/secret.ts";
import { Sql, sql } from "../../src/platform/sql.ts";
import { aSource, type Source } from "../support/alerts.ts";
import { addressOf } from "../support/database.ts";
import { isWaitedFor } from "../support/meanwhile.ts";
import { aCode, anApplication, exchange, hiddenFields, refresh, signedIn } from "../support/oauth.ts";
import { codeOf, turnOnTwoFactor } from "../support/two-factor.ts";
import { until } from "../support/until.ts";
import { Visitor } from "../support/visitor.ts";
import { PASSWORD, startWorld, type World } from "../support/world.ts";

const API = "/api/v4/projects/acme%2Frocket";
const FIRST = Buffer.alloc(32, 7);
const SIGNED = `whsec_${Buffer.alloc(24, 5).toString("base64")}`;
const HOST = "https://hooks.example.org";

let dataDir: string;
let world: World;
let source: Source;
let totp: string;
/** A visitor with a pending message for the next page. */
let waiting: Visitor;

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "gatehouse-keys-"));
  await writeFile(keyFile(), `${FIRST.toString("hex")}\n`, { mode: 0o600 });
  world = await startWorld({ GATEHOUSE_DATA_DIR: dataDir });
  source = await aSource(world, "http");
  totp = (await turnOnTwoFactor(world, "dev")).secret;
  await change(`/alert_integrations/${source.id}`, {
    signature: "standard_webhooks",
    signature_secret: SIGNED,
  });
  await made("/alert_heartbeats", { name: "Nightly", interval_seconds: 3600 });
  await made("/alert_channels", {
    name: "Ops",
    kind: "webhook",
    url: `${HOST}/alerts`,
    secret: "a secret of sixteen",
  });
  await made("/hooks", { url: `${HOST}/events` });
  await made("/event_sources", { name: "Forge", type: "github", secret: "a secret of the forge" });
  await world.call("/api/v4/user/feed_token", { as: "rep" });
  await world.call("/oauth/discovery/keys");
  // A waiting delivery, and the message that a redirect left for the next page.
  const { keys, db } = world.platform;
  await db.run(sql`insert into outbox_deliveries (channel, target, content, sealed_url, sealed_secret)
    values ('webhook', 'hooks.example.org', '{}', ${keys.seal(`${HOST}/later`, "outbox")}, ${keys.seal("s", "outbox")})`);
  waiting = new Visitor(world.url);
  await waiting.submit("/users/sign_in", { username: "max", password: PASSWORD });
  const left = await waiting.submit("/profile", { name: "Max Maintainer", time_zone: "Etc/UTC" });
  assert.equal(left.status, 303, left.text);
});
after(() => rm(dataDir, { recursive: true, force: true }));

const keyFile = () => join(dataDir, "master.key");
const keysInFile = async () => (await readFile(keyFile(), "utf8")).trim().split("\n");
const made = async (path: string, json: object) => {
  const reply = await world.call(API + path, { as: "max", json });
  assert.equal(reply.status, 201, reply.text);
};
const change = async (path: string, json: object) => {
  const reply = await world.call(API + path, { as: "max", method: "PUT", json });
  assert.equal(reply.status, 200, reply.text);
};
/** As if the key had been rotated a day ago. */
const aDayLater = async () => {
  const { mtimeMs } = await stat(keyFile());
  const then = new Date(mtimeMs - 86_400_000);
  await utimes(keyFile(), then, then);
};
/** As if the key had been rotated just now, however long it took to get here. */
const justNow = () => utimes(keyFile(), new Date(), new Date());
const standingBy = (hex: string | undefined) =>
  countSealed(world.platform.db, keysFrom(Buffer.from(hex ?? "", "hex")));

/** The audit entries about rotations, newest first. */
async function renewals(): Promise<string[]> {
  const ada = new Visitor(world.url);
  await ada.submit("/users/sign_in", { username: "ada", password: PASSWORD });
  const page = await ada.get("/admin/audit");
  for (const key of await keysInFile()) assert.ok(!page.text.includes(key.slice(0, 12)), "no key is shown");
  return [...page.text.matchAll(/<tr role="row"><th.*?<\/tr>/gs)]
    .map(([line]) =>
      line
        .replace(/<[^>]*>/g, " ")
        .replace(/\s+/g, " ")
        .trim(),
    )
    .filter((line) => / master keys? /.test(line));
}

/** What people and programs can see of the sealed values. */
async function seen() {
  const list = async (path: string) => (await world.call(API + path, { as: "max" })).json;
  return {
    integrations: await list("/alert_integrations"),
    heartbeats: await list("/alert_heartbeats"),
    feed: (await world.call("/api/v4/user/feed_token", { as: "rep" })).json,
    published: (await world.call("/oauth/discovery/keys")).json,
  };
}

async function assertAllWorks() {
  const body = '{"title":"Signed"}';
  const [id, at] = [`m-${Math.random()}`, new Date()];
  const signed = await world.call(source.path, {
    body,
    headers: {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
      "webhook-signature": new Webhook(SIGNED).sign(id, at, body),
    },
  });
  assert.equal(signed.status, 200, "signatures are verified with the sealed secret");
  await world.platform.db.run(sql`update users set totp_last_step = null where id = ${world.ids.dev}`);
  const visitor = new Visitor(world.url);
  await visitor.submit("/users/sign_in", { username: "dev", password: PASSWORD });
  const entered = await visitor.submit("/users/two_factor", { code: codeOf(totp) });
  assert.equal(entered.status, 303, "TOTP codes are verified with the sealed seed");
}

it("the rotation covers every column with sealed values (decision 0197)", async () => {
  const columns = await world.platform.db.many(
    row({ name: text }),
    sql`select table_name || '.' || column_name as name from information_schema.columns
      where table_schema = 'public' and data_type = 'bytea' and (column_name ~ 'sealed' or column_name = 'flash')
      order by 1`,
  );
  assert.deepEqual(
    columns.map(({ name }) => name),
    SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`).sort(),
  );
  for (const { table, column } of SEALED_COLUMNS) {
    const { many } = await world.platform.db.one(
      row({ many: integer }),
      new Sql([`select count(${column}) as many from ${table}`], []),
    );
    assert.ok(many > 0, `${table}.${column} has a value`);
  }
});

describe("a rotation of the master key", () => {
  let old: string | undefined;

  it("reseals everything, while the old key still opens what was issued before (reference reliability E and S129; decision 0197)", async () => {
    const before = await seen();
    old = (await keysInFile())[0];
    const application = await anApplication(world);
    const browser = await signedIn(world, "olga");
    const pair = (await exchange(world, application, await aCode(browser, application))).json;
    const next = await refresh(world, application, pair.refresh_token);
    const stranger = new Visitor(world.url);
    const form = await stranger.get("/users/sign_in");
    assert.equal(form.status, 200);

    const done = await rotateMasterKey(world.platform);
    assert.equal(done.isNew, true);
    const [entry = "", ...others] = await renewals();
    assert.match(entry, /^Renewed the master key Console /);
    assert.deepEqual(others, []);
    assert.equal(done.earlier, done.values);
    assert.ok(done.values >= SEALED_COLUMNS.length);
    const [first, second, ...more] = await keysInFile();
    assert.deepEqual([second, more], [old, []]);
    assert.notEqual(first, old);
    assert.equal((await stat(keyFile())).mode & 0o777, 0o600);
    assert.deepEqual(await standingBy(first), { values: done.values, earlier: 0, unreadable: 0 });
    assert.equal((await standingBy(old)).unreadable, done.values);
    assert.deepEqual(await seen(), before);
    await assertAllWorks();
    assert.match((await waiting.get("/profile")).text, /Your profile is saved/);

    const again = await refresh(world, application, pair.refresh_token);
    assert.equal(
      again.json.refresh_token,
      next.json.refresh_token,
      "the same successor, found with the old key",
    );
    const entered = await stranger.post("/users/sign_in", { username: "gus", password: PASSWORD });
    assert.equal(entered.status, 303, "a form opened before");
  });

  it("finds a device whose user code was issued before it (RFC 8628 §3.3; decision 0197)", async () => {
    const tv = await anApplication(world, {
      name: "Living Room TV",
      redirectUris: [],
      scopes: ["read_user"],
      grantTypes: ["device_code"],
      confidential: false,
    });
    const form = { client_id: tv.uid, scope: "read_user" };
    // Issued by a process that does not have the new key yet.
    const { user_code } = (await world.call("/oauth/authorize_device", { form })).json;
    const [, before] = await keysInFile();
    await world.platform.db.run(sql`update device_authorizations
      set user_code_hash = ${keysFrom(Buffer.from(before ?? "", "hex")).sign("user code", user_code.replace("-", ""))}`);
    const person = await signedIn(world, "olga");
    const page = await person.get("/oauth/device");
    const question = await person.post("/oauth/device", {
      ...hiddenFields(page.text, "/oauth/device"),
      user_code,
    });
    assert.match(question.text, /Living Room TV/);
  });

  it("drops the old key once nothing is sealed with it, but not within the first minute (decision 0197)", async () => {
    const stranger = new Visitor(world.url);
    await stranger.get("/users/sign_in");
    const [first] = await keysInFile();
    const oldForm = keysFrom(Buffer.from(old ?? "", "hex")).sign(
      "csrf",
      stranger.cookie("gatehouse_session") ?? "",
    );
    await justNow();
    await assert.rejects(dropOldMasterKeys(world.platform), { kind: "conflict" });
    assert.equal((await keysInFile()).length, 2);
    const fields = { username: "gus", password: PASSWORD };
    const withOld = () => stranger.post("/users/sign_in", { ...fields, csrf_token: oldForm });
    await aDayLater();
    // Sealed by a process that got the new key late.
    const strayed = keysFrom(Buffer.from(old ?? "", "hex")).seal("stray", "outbox");
    await world.platform.db.run(sql`update outbox_deliveries set sealed_secret = ${strayed}`);
    const done = await dropOldMasterKeys(world.platform);
    assert.deepEqual([done.earlier > 0, done.kept], [true, 0]);
    assert.deepEqual(await keysInFile(), [first]);
    const [entry = ""] = await renewals();
    assert.match(entry, /^Dropped the master keys of before keys 1 Console /);
    await dropOldMasterKeys(world.platform);
    assert.equal((await renewals()).length, 2, "nothing dropped, nothing audited");
    assert.equal((await standingBy(first)).unreadable, 0);
    await assertAllWorks();
    assert.notEqual((await withOld()).status, 303, "a form of the old key");
    const later = await stranger.submit("/users/sign_in", fields);
    assert.equal(later.status, 303);
    assert.throws(
      () => world.platform.keys.open(keysFrom(Buffer.from(old ?? "", "hex")).seal("x", "y"), "y"),
      /cannot be decrypted with this master key/,
    );
  });

  it("that is killed midway can be resumed, and everything stays readable (decision 0197)", async () => {
    const [before] = await keysInFile();
    await world.platform.db.transaction(async (tx) => {
      // One of the last tables: those before it are resealed by then, those after it are not.
      await tx.run(sql`select from alert_heartbeats for update`);
      const child = spawn("sh", ["bin/gatehouse", "rotate-key"], {
        cwd: join(import.meta.dirname, "../.."),
        env: {
          PATH: process.env.PATH,
          DATABASE_URL: addressOf(world.connection),
          GATEHOUSE_DATA_DIR: dataDir,
        },
        stdio: "ignore",
      });
      await until(() => isWaitedFor(tx));
      // A second rotation at the same time creates no third key.
      await assert.rejects(rotateMasterKey(world.platform), { kind: "conflict" });
      child.kill("SIGKILL");
      await once(child, "exit");
    });
    const [first, second, ...more] = await keysInFile();
    assert.deepEqual([second, more], [before, []]);
    const half = await standingBy(first);
    assert.ok(half.unreadable > 0 && half.unreadable < half.values, JSON.stringify(half));
    await assertAllWorks();
    const doctor = await examineDatabase(world.platform);
    assert.equal(doctor.find(({ name }) => name === "sealed secrets")?.state, "warn");
    const done = await until(() => rotateMasterKey(world.platform).catch(() => undefined));
    assert.deepEqual([done.isNew, done.unreadable], [false, 0]);
    assert.deepEqual(await keysInFile(), [first, second]);
    const [resumed = "", begun = ""] = await renewals();
    assert.match(resumed, /^Renewed the master key resealed \d+ Console /);
    assert.match(begun, /^Renewed the master key Console /);
    assert.equal((await standingBy(first)).unreadable, 0);
    await assertAllWorks();
  });

  it("leaves values alone that no key opens, and the doctor reports a wrong key (reference reliability S129; decision 0197)", async () => {
    const { db } = world.platform;
    const lost = keysFrom(Buffer.alloc(32, 9));
    const stray = lost.seal("lost", "outbox");
    const strays = await db.run(sql`update outbox_deliveries set sealed_secret = ${stray}`);
    const done = await rotateMasterKey(world.platform);
    assert.equal(done.unreadable, strays);
    const kept = await db.many(
      row({ is: integer }),
      sql`select (sealed_secret = ${stray})::integer as is from outbox_deliveries where sealed_secret is not null`,
    );
    assert.ok(kept.every(({ is }) => is === 1));
    const found = (await examineDatabase(world.platform)).find(({ name }) => name === "sealed secrets");
    assert.equal(found?.state, "warn");
    const wrong = (await examineDatabase({ db, keys: keysFrom(Buffer.alloc(32, 8)) })).at(-1);
    assert.equal(wrong?.state, "bad");
    assert.match(wrong?.text ?? "", /cannot be decrypted with the available master keys/);
  });

  it("with keys from the environment needs both, the new one first (contract §1; decision 0197)", async () => {
    const [first, second] = await keysInFile();
    const given = (masterKey: string) => ({
      ...world.platform,
      config: { ...world.platform.config, masterKey },
    });
    await assert.rejects(rotateMasterKey(given(first ?? "")), {
      kind: "conflict",
      message: /Append a new one after a comma/,
    });
    const third = "ab".repeat(32);
    const done = await rotateMasterKey(given(`${third},${first},${second}`));
    assert.equal(done.earlier, done.values - done.unreadable);
    assert.equal((await standingBy(third)).unreadable, done.unreadable);
    assert.deepEqual(await keysInFile(), [first, second], "the file is unchanged");
  });
});
