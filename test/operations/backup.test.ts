/** A backup is restored completely, to the row, or refused (reference reliability A14, F43). */
import assert from "node:assert/strict";
import { createCipheriv, createDecipheriv, createHash, scryptSync } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import pg from "pg";
import { type Frame, readBackup, writeBackup } from "../../src/operations/backup-file.ts";
import { makeBackup, sumOf, type TableSum } from "../../src/operations/make-backup.ts";
import { restoreBackup, verifyBackup } from "../../src/operations/restore-backup.ts";
import { listSequences, listTables } from "../../src/operations/store-catalog.ts";
import { compactHeap } from "../../src/platform/compact-heap.ts";
import { copySession } from "../../src/platform/copy.ts";
import { migrate } from "../../src/platform/migrate.ts";
import { aSource } from "../support/alerts.ts";
import { whenDone } from "../support/cleanup.ts";
import { emptyDatabase } from "../support/database.ts";
import { meanwhile } from "../support/meanwhile.ts";
import { aCode, anApplication, exchange, signedIn } from "../support/oauth.ts";
import { until } from "../support/until.ts";
import { Visitor } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

const passphrase = "a passphrase of some length";
const masterKey = Buffer.alloc(32, 7);
const masterKeys = async (): Promise<[Buffer]> => [masterKey];
const version = "0.1.0";
/** Characters that COPY, JSON and naive scripts handle wrongly. */
const HOSTILE = "tab\there, break\nhere, \\N, \\., quote \" ' `, \u2028, 🚀, \\x00, ending in \\";

let world: World;
let folder: string;
let file: string;
let sums: TableSum[];

before(async () => {
  world = await startWorld();
  folder = await mkdtemp(join(tmpdir(), "gatehouse-backup-"));
  whenDone(() => rm(folder, { recursive: true, force: true }));
  await fill();
  file = join(folder, "whole.backup");
  sums = await makeBackup(world.connection, { path: file, passphrase, masterKeys, version });
});

/** Creates rows in most tables through the API, and the others by SQL. */
async function fill(): Promise<void> {
  const application = await anApplication(world);
  const visitor = await signedIn(world, "dev");
  await exchange(world, application, await aCode(visitor, application));
  await visitor.get("/");
  await new Visitor(world.url).submit("/users/sign_in", { username: "dev", password: "not this one" });
  const source = await aSource(world);
  for (const title of ["Disk full", HOSTILE])
    await source.send({ title, hosts: ["a", "b"] }, { "idempotency-key": title.slice(0, 3) });
  await world.call("/api/v4/projects/acme%2Frocket/environments", {
    as: "max",
    json: { name: "production" },
  });
  await world.call("/api/v4/projects/acme%2Frocket/events", {
    as: "max",
    json: {
      action: "created",
      target_type: "Issue",
      target_iid: 4,
      target_title: HOSTILE,
      external_id: "one",
    },
  });
  const client = new pg.Client(world.connection);
  await client.connect();
  await client.query("update projects set description = $1", [HOSTILE]);
  await client.query("insert into project_redirects (old_path, project_id) values ($1, $2)", [
    HOSTILE,
    world.rocket.id,
  ]);
  await client.query("insert into recovery_codes (user_id, digest) values ($1, '\\x00ff0a0d5c')", [
    world.ids.dev,
  ]);
  await client.query("insert into incident_notes (incident_id, body) select id, $1 from incidents limit 1", [
    HOSTILE,
  ]);
  await client.query("insert into alert_assignees (alert_id, user_id) select id, $1 from alerts limit 1", [
    world.ids.dev,
  ]);
  await client.query(
    `insert into events (created_at, project_id, author_id, action, cap)
     select now() - make_interval(days => n), $1, $2, 'created', 'project' from generate_series(1, 700) n`,
    [world.rocket.id, world.ids.max],
  );
  await client.end();
}

function sumsIn(connection: pg.ClientConfig): Promise<TableSum[]> {
  return copySession(connection, "read", async (session) => {
    const found: TableSum[] = [];
    for (const table of await listTables(session)) found.push(await sumOf(session, table));
    return found;
  });
}

describe("a backup and its restore", () => {
  it("bring back every row of every table, and give no number again (reference reliability A14; decision 0317)", async () => {
    const target = await emptyDatabase();
    const restored = await restoreBackup(target, file, passphrase);
    assert.deepEqual(restored.sums, sums);
    // A restore counts every list as changed, so that no earlier ETag matches (decision 0108).
    const others = (all: typeof sums) => all.filter(({ name }) => name !== "event_versions");
    assert.deepEqual(others(await sumsIn(target)), others(sums));
    assert.deepEqual(restored.start.masterKeys, [masterKey]);
    assert.equal(restored.start.version, version);
    const filled = new Set(sums.filter(({ rows }) => rows > 0).map(({ name }) => name));
    for (const name of [
      "users",
      "namespaces",
      "projects",
      "members",
      "sessions",
      "applications",
      "access_tokens",
      "refresh_tokens",
      "authorization_codes",
      "environments",
      "events",
      "event_keys",
      "alerts",
      "alert_receipts",
      "alert_occurrences",
      "alert_idempotency_keys",
      "incidents",
      "incident_notes",
      "project_redirects",
      "sign_in_failures",
      "recovery_codes",
      "alert_assignees",
    ]) {
      assert.ok(filled.has(name), `${name} has rows`);
    }
    const before = await copySession(world.connection, "read", listSequences);
    const after = await copySession(target, "read", listSequences);
    const given = new Map(before.map(({ name, last }) => [name, Number(last)]));
    const gaps = new Map(after.map(({ name, last }) => [name, Number(last) - (given.get(name) ?? 0)]));
    for (const name of given.keys()) assert.ok(gaps.has(name), name);
    // The subject of a token is the number of a person, and programs recognize events by their numbers.
    for (const name of ["users", "namespaces", "projects"]) {
      assert.equal(gaps.get(`${name}_id_seq`), 1000, name);
      gaps.delete(`${name}_id_seq`);
    }
    for (const [name, gap] of gaps) assert.equal(gap, 1_000_000, name);
  });

  it("leave a working database: new ids, triggers, cursors of events (decision 0072)", async () => {
    const target = await emptyDatabase();
    await restoreBackup(target, file, passphrase);
    const client = new pg.Client(target);
    await client.connect();
    const { rows } = await client.query(
      "insert into namespaces (kind, path, full_path, name) values ('group', 'fresh', 'fresh', 'Fresh') returning id, lineage",
    );
    assert.deepEqual(rows[0].lineage, [rows[0].id]);
    const ahead = await client.query(
      "select count(*)::int as n from events where arrived_in > pg_current_xact_id()",
    );
    assert.equal(ahead.rows[0].n, 0);
    const months = await client.query(
      "select count(distinct tableoid)::int as n, count(*) filter (where tableoid = 'events_later'::regclass)::int as later from events",
    );
    assert.ok(months.rows[0].n > 20, `${months.rows[0].n} months`);
    assert.equal(months.rows[0].later, 0);
    await client.end();
  });

  it("use one consistent snapshot while others write (reference reliability F43)", async () => {
    const path = join(folder, "busy.backup");
    let writing = true;
    const writer = (async () => {
      while (writing)
        await world.call("/api/v4/projects", { as: "olga", json: { name: `P ${Math.random()}` } });
    })();
    const taken = await makeBackup(world.connection, { path, passphrase, masterKeys, version });
    writing = false;
    await writer;
    const target = await emptyDatabase();
    assert.deepEqual((await restoreBackup(target, path, passphrase)).sums, taken);
  });
});

describe("a backup file", () => {
  it("is readable for its owner only, and encrypted with the passphrase (reference reliability S127)", async () => {
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    const bytes = await readFile(file);
    for (const word of ["rocket", "olga@example.org", "argon2id", masterKey.toString("hex"), "users"]) {
      assert.ok(!bytes.includes(word), `${word} is in the file in the clear`);
    }
  });

  it("stretches the passphrase as much as OWASP recommends, and files of earlier versions are still read (ASVS 11.4.4; decision 0072)", async () => {
    const bytes = await readFile(file);
    const [magic, json = ""] = bytes.toString("latin1", 0, 4096).split("\n", 2);
    const about = JSON.parse(json);
    assert.deepEqual([magic, about.N, about.r, about.p], ["gatehouse-backup 2", 65_536, 8, 2]);
    const keyOf = (p: number) =>
      scryptSync(passphrase, Buffer.from(about.salt, "hex"), 64, { N: 65_536, r: 8, p, maxmem: 2 ** 27 });
    const iv = Buffer.from(about.iv, "hex");
    const header = `${magic}\n${json}\n`;
    const decipher = createDecipheriv("aes-256-gcm", keyOf(2).subarray(0, 32), iv).setAAD(
      Buffer.from(header),
    );
    decipher.setAuthTag(bytes.subarray(-16));
    const plain = Buffer.concat([decipher.update(bytes.subarray(header.length, -16)), decipher.final()]);
    // As versions before November 2026 wrote it.
    const proof = createHash("sha256").update(keyOf(1).subarray(32)).digest("hex");
    const earlier = Buffer.from(`gatehouse-backup 1\n${JSON.stringify({ ...about, p: 1, proof })}\n`);
    const cipher = createCipheriv("aes-256-gcm", keyOf(1).subarray(0, 32), iv).setAAD(earlier);
    const body = Buffer.concat([cipher.update(plain), cipher.final()]);
    const path = join(folder, "earlier.backup");
    await writeFile(path, Buffer.concat([earlier, body, cipher.getAuthTag()]));
    let frames = 0;
    for await (const frame of readBackup(path, passphrase)) if (frame) frames++;
    assert.ok(frames > sums.length, `${frames} frames`);
    await rm(path);
  });

  it("never overwrites a file, and no partial file remains after a failure (decision 0072)", async () => {
    const options = { path: file, passphrase, masterKeys, version };
    await assert.rejects(makeBackup(world.connection, options), /exists already/);
    const nowhere = await emptyDatabase();
    await assert.rejects(
      makeBackup(nowhere, { ...options, path: join(folder, "no.backup") }),
      /is not a database of Gatehouse/,
    );
    assert.deepEqual((await readdir(folder)).sort(), ["busy.backup", "whole.backup"]);
  });

  it("gets its name only when it is complete, and the second of two with one name fails (decision 0072)", async () => {
    const path = join(folder, "growing.backup");
    let go = () => {};
    const held = new Promise<void>((done) => {
      go = done;
    });
    const growing = writeBackup(path, passphrase, async (write) => {
      await write({ json: { kind: "start" } });
      await held;
    });
    await until(async () => (await readdir(folder)).some((name) => name.endsWith(".partial")));
    await assert.rejects(stat(path), { code: "ENOENT" });
    await writeBackup(path, passphrase, (write) => write({ json: { kind: "quicker" } }));
    go();
    await assert.rejects(growing, /exists already/);
    for await (const { json } of readBackup(path, passphrase)) assert.deepEqual(json, { kind: "quicker" });
    await rm(path);
    assert.deepEqual((await readdir(folder)).sort(), ["busy.backup", "whole.backup"]);
  });

  it("is written without anything of its parts remaining in memory (decision 0072)", async () => {
    const part = { rows: Buffer.alloc(64 * 1024) };
    const held: number[] = [];
    const path = join(folder, "long.backup");
    await writeBackup(path, passphrase, async (write) => {
      for (let n = 0; n <= 7000; n++) {
        // By then the streams have all the buffers that they need.
        if (n === 3000 || n === 7000) {
          compactHeap();
          held.push(process.memoryUsage().heapUsed);
        }
        await write(part);
      }
    });
    await rm(path);
    const [early = 0, late = 0] = held;
    // A reaction to a promise takes about 300 bytes.
    assert.ok(late - early < 4000 * 100, `${late - early} bytes more`);
  });

  it("can be verified without a database (decision 0072)", async () => {
    assert.deepEqual((await verifyBackup(file, passphrase)).sums, sums);
  });

  it("is refused with another passphrase (reference reliability F43)", async () => {
    await assert.rejects(
      verifyBackup(file, "another passphrase"),
      /passphrase does not belong to this backup/,
    );
  });

  const bytesOf = async () => Buffer.from(await readFile(file));
  for (const [what, change] of [
    ["cut short", (bytes: Buffer) => bytes.subarray(0, bytes.length - 1000)],
    ["cut off before its first row", cutBeforeRows],
    ["without its last byte", (bytes: Buffer) => bytes.subarray(0, bytes.length - 1)],
    ["with one bit changed in the middle", (bytes: Buffer) => flipped(bytes, bytes.length >> 1)],
    ["with one bit changed at the end", (bytes: Buffer) => flipped(bytes, bytes.length - 1)],
    ["with extra bytes at its end", (bytes: Buffer) => Buffer.concat([bytes, Buffer.from("x")])],
    ["with one bit changed in the first lines", (bytes: Buffer) => flipped(bytes, bytes.indexOf('"N"') + 1)],
    ["that is not a backup", () => Buffer.from("hello\n".repeat(100))],
  ] as const) {
    it(`${what} is refused, and nothing of it is restored (reference reliability F43)`, async () => {
      const path = join(folder, "damaged");
      await writeFile(path, change(await bytesOf()));
      await assert.rejects(verifyBackup(path, passphrase), /damaged|not a backup/);
      const target = await emptyDatabase();
      await assert.rejects(restoreBackup(target, path, passphrase), /damaged|not a backup/);
      const client = new pg.Client(target);
      await client.connect();
      const { rows } = await client.query("select to_regclass('users') is not null as there");
      if (rows[0].there) assert.equal((await client.query("select 1 from users")).rowCount, 0);
      await client.end();
      await rm(path);
    });
  }
});

it("a backup with valid encryption but wrong checksums is refused, and nothing of it is restored (decision 0072)", async () => {
  const frames: Frame[] = [];
  for await (const frame of readBackup(file, passphrase)) frames.push(frame);
  const isSum = ({ json }: Frame) => json?.kind === "sum" && json.name === "users";
  const at = frames.findIndex(isSum);
  const before = frames.slice(0, at);
  const [sum, ...after] = frames.slice(at);
  const last = before.at(-1)?.rows;
  assert.ok(sum?.json && last);
  const changed = Buffer.from(last);
  changed.write("Stan Stronger", changed.indexOf("Stan Stranger"));
  const path = join(folder, "summed-wrong");
  for (const [what, wrong] of [
    ["a changed value", [...before.slice(0, -1), { rows: changed }, sum, ...after]],
    ["a missing row", [...before.slice(0, -1), sum, ...after]],
    ["a wrong number of rows", [...before, { json: { ...sum.json, rows: 1 } }, ...after]],
    ["no checksum", [...before, ...after]],
    ["a frame after the end", [...frames, sum]],
    ["no end", frames.slice(0, -1)],
  ] as const) {
    await writeBackup(path, passphrase, async (write) => {
      for (const frame of wrong) await write(frame);
    });
    const refused = { message: "The backup is damaged: its parts are inconsistent." };
    await assert.rejects(verifyBackup(path, passphrase), refused, what);
    const target = await emptyDatabase();
    await assert.rejects(restoreBackup(target, path, passphrase), refused, what);
    assert.deepEqual(
      (await sumsIn(target)).filter(({ name, rows }) => name === "users" && rows > 0),
      [],
      what,
    );
    await rm(path);
  }
});

/** Cuts after the two header lines, leaving as many bytes as an authentication tag has. */
function cutBeforeRows(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.indexOf("\n", bytes.indexOf("\n") + 1) + 1 + 16);
}

function flipped(bytes: Buffer, at: number): Buffer {
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes;
}

describe("a restore refuses", () => {
  it("a database that is not empty (decision 0072)", async () => {
    await assert.rejects(restoreBackup(world.connection, file, passphrase), /not empty \(.*users/);
    assert.equal((await world.call("/api/v4/user", { as: "dev" })).status, 200);
  });

  it("a database whose first account is created while it waits for the tables (decision 0072)", async () => {
    const connection = await emptyDatabase();
    await migrate(connection);
    const made = "insert into users (username, name, email) values ('first', 'First', 'first@example.org')";
    const restoring = meanwhile({ connection }, [[made]], () => restoreBackup(connection, file, passphrase));
    await assert.rejects(restoring, /not empty \(users/);
    const client = new pg.Client(connection);
    await client.connect();
    const { rows } = await client.query("select username from users");
    await client.end();
    assert.deepEqual(rows, [{ username: "first" }]);
  });

  it("the whole backup, with all rows rolled back, if the last step fails (decision 0072)", async () => {
    const target = await emptyDatabase();
    const refusal = () => Promise.reject(new Error("no place for the key"));
    await assert.rejects(
      restoreBackup(target, file, passphrase, { beforeCommit: refusal }),
      /no place for the key/,
    );
    await restoreBackup(target, file, passphrase);
  });

  it("a schema newer than this version's (decision 0072)", async () => {
    const ahead = await emptyDatabase();
    await migrate(ahead);
    const client = new pg.Client(ahead);
    await client.connect();
    await client.query(
      "insert into schema_migrations (number, name, sha256) values (9999, '9999-later.sql', 'x')",
    );
    await client.end();
    const path = join(folder, "ahead.backup");
    await makeBackup(ahead, { path, passphrase, masterKeys, version: "9.0.0" });
    await assert.rejects(restoreBackup(await emptyDatabase(), path, passphrase), /9\.0\.0.*9999-later/);
    await rm(path);
  });
});

it("a backup of an older schema is restored as it was and then migrated (decision 0072)", async () => {
  const old = await emptyDatabase();
  await migrate(old, 5);
  const client = new pg.Client(old);
  await client.connect();
  await client.query("insert into users (username, name, email) values ('old', 'Old', 'old@example.org')");
  await client.end();
  const path = join(folder, "old.backup");
  await makeBackup(old, { path, passphrase, masterKeys, version });
  const target = await emptyDatabase();
  const { upgraded } = await restoreBackup(target, path, passphrase);
  assert.ok(upgraded.includes("0006-oauth-depth.sql"), upgraded.join());
  const newer = await emptyDatabase();
  await migrate(newer);
  await assert.rejects(restoreBackup(newer, path, passphrase), /newer than the backup/);
  await rm(path);
});
