/** What a start looks at before it uses a database: its age, and sessions that are kept. Standbys: test/operations/replica.test.ts. */
import assert from "node:assert/strict";
import { type AddressInfo, createServer } from "node:net";
import { test } from "node:test";
import { checkServer } from "../../src/platform/check-server.ts";
import { whenDone } from "../support/cleanup.ts";
import { freshDatabase } from "../support/database.ts";

test("a server whose sessions stay with their connections is taken (decision 0145)", async () => {
  await checkServer(await freshDatabase());
});

/** Answers every question with the numbers of sessions it is given, one after another, whichever connection asks. */
async function aPooler(sessions: readonly string[], version = "180004", release = "18.4") {
  let asked = 0;
  const server = createServer((socket) => {
    let isGreeted = false;
    socket.on("error", () => {});
    socket.on("data", (data) => {
      if (!isGreeted) socket.write(Buffer.concat([message("R", int32(0)), message("Z", Buffer.from("I"))]));
      else if (data.toString("latin1", 0, 1) === "Q")
        socket.write(answer(sessions[asked++] ?? "", version, release));
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

function answer(session: string, version: string, release: string): Buffer {
  const types = { session: 23, is_standby: 16, version: 25, release: 25 };
  const columns = Object.entries(types).map(([name, type]) =>
    Buffer.concat([Buffer.from(`${name}\0`), int32(0), int16(0), int32(type), int16(4), int32(-1), int16(0)]),
  );
  const values = [session, "f", version, release].map((text) =>
    Buffer.concat([int32(text.length), Buffer.from(text)]),
  );
  return Buffer.concat([
    message("T", int16(4), ...columns),
    message("D", int16(4), ...values),
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

test("a pooler that gives two connections one session, or one connection two, is refused with what to do (decision 0145)", async () => {
  const refusal =
    /^Error: the pooler at DATABASE_URL hands its sessions from one connection to another: let it keep/;
  await assert.rejects(checkServer(await aPooler(["7", "7", "7"])), refusal);
  await assert.rejects(checkServer(await aPooler(["7", "8", "9"])), refusal);
  await checkServer(await aPooler(["7", "8", "7"]));
});

test("a server older than the oldest that the migrations run on is refused by its number (README: Configure)", async () => {
  await assert.rejects(checkServer(await aPooler(["7", "8", "7"], "140009", "14.9 (Debian 14.9-1)")), {
    message:
      "the server at DATABASE_URL is PostgreSQL 14.9 (Debian 14.9-1), and the service needs 15 or newer",
  });
  await checkServer(await aPooler(["7", "8", "7"], "150000", "15.0"));
});
