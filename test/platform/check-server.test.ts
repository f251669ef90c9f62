/**
 * What is checked at the start before a database is used: version, encoding, locale and stable sessions. For standbys see
 * test/operations/replica.test.ts.
 */
import assert from "node:assert/strict";
import { type AddressInfo, createServer } from "node:net";
import { test } from "node:test";
import pg from "pg";
import { checkServer } from "../../src/platform/check-server.ts";
import { whenDone } from "../support/cleanup.ts";
import { addressOf, dropDatabase, freshDatabase } from "../support/database.ts";
import { newInstallation, runGatehouse } from "../support/installation.ts";

test("a server that keeps each session on its connection is accepted (decision 0145)", async () => {
  await checkServer(await freshDatabase());
});

const FIT = {
  is_standby: "f",
  version: "180004",
  release: "18.4",
  encoding: "UTF8",
  folds_plainly: "t",
  locale: "C.UTF-8",
};

/** Answers every query with the given session numbers, one after another, whatever the connection. */
async function aPooler(sessions: readonly string[], told: Partial<typeof FIT> = {}) {
  let asked = 0;
  const server = createServer((socket) => {
    let isGreeted = false;
    socket.on("error", () => {});
    socket.on("data", (data) => {
      if (!isGreeted) socket.write(Buffer.concat([message("R", int32(0)), message("Z", Buffer.from("I"))]));
      else if (data.toString("latin1", 0, 1) === "Q")
        socket.write(answer({ session: sessions[asked++] ?? "", ...FIT, ...told }));
      isGreeted = true;
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  whenDone(async () => {
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { host: "127.0.0.1", port, user: "gatehouse", password: "x", database: "gatehouse" };
}

function answer(row: Readonly<Record<string, string>>): Buffer {
  const types: Readonly<Record<string, number>> = { session: 23, is_standby: 16, folds_plainly: 16 };
  const columns = Object.keys(row).map((name) =>
    Buffer.concat([
      ...[Buffer.from(`${name}\0`), int32(0), int16(0)],
      ...[int32(types[name] ?? 25), int16(4), int32(-1), int16(0)],
    ]),
  );
  const values = Object.values(row).map((text) => Buffer.concat([int32(text.length), Buffer.from(text)]));
  return Buffer.concat([
    message("T", int16(columns.length), ...columns),
    message("D", int16(values.length), ...values),
    message("C", Buffer.from("SELECT 1\0")),
    message("Z", Buffer.from("I")),
  ]);
}

function message(kind: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(kind), int32(body.length + 4), body]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

test("a pooler that gives two connections one session, or one connection two, is refused with advice (decision 0145)", async () => {
  const refusal =
    /^Error: the pooler at DATABASE_URL does not keep one session per connection: use session pooling/;
  await assert.rejects(checkServer(await aPooler(["7", "7", "7"])), refusal);
  await assert.rejects(checkServer(await aPooler(["7", "8", "9"])), refusal);
  await checkServer(await aPooler(["7", "8", "7"]));
});

test("a server older than the oldest supported version is refused, with its version (README: Configure)", async () => {
  await assert.rejects(
    checkServer(await aPooler(["7", "8", "7"], { version: "140009", release: "14.9 (Debian 14.9-1)" })),
    {
      message:
        "the server at DATABASE_URL is PostgreSQL 14.9 (Debian 14.9-1), but the service needs 15 or newer",
    },
  );
  await checkServer(await aPooler(["7", "8", "7"], { version: "150000", release: "15.0" }));
});

/** A database on the test server, created with these options. */
async function aDatabase(words: string) {
  const template = await freshDatabase();
  const name = `${template.database}_made`;
  await onDatabase(template, `create database ${name} template template0 ${words}`);
  whenDone(() => dropDatabase(template, name));
  return { ...template, database: name };
}

async function onDatabase(connection: pg.ClientConfig, statement: string): Promise<unknown[]> {
  const client = new pg.Client(connection);
  await client.connect();
  return (await client.query(statement).finally(() => client.end())).rows;
}

test("a database that does not use UTF-8 is refused with the statement that creates a suitable one (decision 0275)", async () => {
  const database = await aDatabase("encoding 'SQL_ASCII' locale_provider libc locale 'C'");
  await assert.rejects(
    checkServer(database),
    /^Error: the database at DATABASE_URL has the encoding SQL_ASCII, .* encoding 'UTF8' locale 'C\.UTF-8'/,
  );
  const there = await newInstallation({
    DATABASE_URL: addressOf(database),
    GATEHOUSE_BACKUP_PASSPHRASE: "a passphrase of some length",
  });
  // A restore must not fill it either: no start would accept it then.
  const { code, stderr } = await runGatehouse(there, ["restore", "all.backup"]);
  assert.equal(code, 1);
  assert.match(stderr, /^gatehouse: the database at DATABASE_URL has the encoding SQL_ASCII/m);
});

test("a database in which I is not the capital of i is refused, with its locale (decision 0275)", async () => {
  const database = await aDatabase("encoding 'UTF8' locale_provider icu icu_locale 'tr' locale 'C'");
  await assert.rejects(checkServer(database), /^Error: the database at DATABASE_URL has the locale tr, /);
});

test("a database with the locale C is accepted, although it changes the case of ASCII letters only (decision 0275)", async () => {
  const database = await aDatabase("encoding 'UTF8' locale_provider libc locale 'C'");
  assert.deepEqual(await onDatabase(database, "select lower('IÄ') as folded"), [{ folded: "iÄ" }]);
  await checkServer(database);
});
