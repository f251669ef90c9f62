/** The findings of gatehouse doctor for healthy and faulty installations. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { chmod, utimes, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import pg from "pg";
import { examineDatabase } from "../../src/operations/examine-database.ts";
import { examineMachine } from "../../src/operations/examine-machine.ts";
import {
  type Finding,
  judgeCertificate,
  judgeClock,
  judgeCookie,
  judgeKeys,
  judgeMigrations,
  judgeNode,
  judgeSpace,
} from "../../src/operations/finding.ts";
import { readConfig } from "../../src/platform/config.ts";
import { openDb } from "../../src/platform/db.ts";
import { keysFrom } from "../../src/platform/secret.ts";
import { sql } from "../../src/platform/sql.ts";
import { certificateUntil } from "../support/certificate.ts";
import { emptyDatabase, PATIENCE_MS } from "../support/database.ts";
import { newInstallation, runGatehouse, startService } from "../support/installation.ts";
import { startMailServer } from "../support/receivers.ts";
import { startWorld, type World } from "../support/world.ts";

const MEBIBYTE = 1024 * 1024;
const NOW = new Date("2026-05-01T12:00:00Z");
const inDays = (days: number) => new Date(NOW.getTime() + days * 86_400_000);
const HOST = { name: "__Host-session", secure: true };
const COOKIE = "__Host-session=x; HttpOnly; Path=/; SameSite=Lax; Secure";
const keys = keysFrom(Buffer.alloc(32, 7));

function stateOf(findings: readonly Finding[], name: string): string | undefined {
  return findings.find((finding) => finding.name === name)?.state;
}

const BREAKING = { name: "0003-c.sql", sha256: "3", breaking: true };

describe("the doctor judges", () => {
  const known = [
    { name: "0001-a.sql", sha256: "1" },
    { name: "0002-b.sql", sha256: "2" },
  ];
  for (const [what, finding, state] of [
    ["plenty of space", judgeSpace(9000 * MEBIBYTE, 10_000 * MEBIBYTE), "ok"],
    ["little space", judgeSpace(900 * MEBIBYTE, 10_000 * MEBIBYTE), "warn"],
    ["a nearly full disk", judgeSpace(40_000 * MEBIBYTE, 1_000_000 * MEBIBYTE), "warn"],
    ["a full disk", judgeSpace(255 * MEBIBYTE, 10_000 * MEBIBYTE), "bad"],
    ["a small disk with room for days (decision 0178)", judgeSpace(200 * MEBIBYTE, 1024 * MEBIBYTE), "warn"],
    ["a small disk that is full", judgeSpace(50 * MEBIBYTE, 1024 * MEBIBYTE), "bad"],
    ["clocks that agree", judgeClock(-0.2), "ok"],
    ["clocks ten seconds apart", judgeClock(10), "warn"],
    ["clocks an hour apart", judgeClock(-3600), "bad"],
    ["a single master key that is years old", judgeKeys("master.key", 1, inDays(-900), NOW), "ok"],
    ["a master key created yesterday beside an older one", judgeKeys("master.key", 2, inDays(-1), NOW), "ok"],
    ["an older master key left for a week", judgeKeys("master.key", 2, inDays(-7), NOW), "warn"],
    ["a new runtime", judgeNode("24.21.0"), "ok"],
    ["a runtime of a future release line", judgeNode("28.0.0"), "ok"],
    ["a runtime with known vulnerabilities", judgeNode("26.0.0"), "warn"],
    ["an old runtime", judgeNode("20.20.2"), "bad"],
    ["a current schema", judgeMigrations(known, known), "ok"],
    ["a schema that is behind", judgeMigrations(known.slice(0, 1), known), "warn"],
    ["a schema that is ahead", judgeMigrations(known, known.slice(0, 1)), "ok"],
    ["a newer schema that this version cannot use", judgeMigrations([...known, BREAKING], known), "bad"],
    ["a certificate valid for a year", judgeCertificate(inDays(365), NOW), "ok"],
    ["a certificate valid for two weeks", judgeCertificate(inDays(14), NOW), "ok"],
    ["a certificate valid for thirteen days", judgeCertificate(inDays(13), NOW), "warn"],
    ["an expired certificate", judgeCertificate(inDays(-0.1), NOW), "bad"],
    ["a session cookie as it was sent", judgeCookie([COOKIE], HOST), "ok"],
    [
      "a session cookie among other cookies",
      judgeCookie(["a=b; Path=/", COOKIE.toLowerCase().replace("__host", "__Host")], HOST),
      "ok",
    ],
    ["no session cookie", judgeCookie(["session=x; HttpOnly; Path=/; SameSite=Lax; Secure"], HOST), "bad"],
    ["a session cookie that scripts can read", judgeCookie([COOKIE.replace("; HttpOnly", "")], HOST), "bad"],
    [
      "a session cookie that is also sent over HTTP",
      judgeCookie([COOKIE.replace("; Secure", "")], HOST),
      "bad",
    ],
    ["a session cookie for a whole domain", judgeCookie([`${COOKIE}; Domain=example.org`], HOST), "bad"],
    [
      "a session cookie of a local server over HTTP",
      judgeCookie(["session=x; Path=/; HttpOnly; SameSite=Lax"], { name: "session", secure: false }),
      "ok",
    ],
    ["a changed migration", judgeMigrations([{ name: "0001-a.sql", sha256: "x" }], known), "bad"],
  ] as const) {
    it(`${what}: ${state} (reference ux 2.7)`, () => {
      assert.equal(finding.state, state, finding.text);
      assert.equal(
        finding.remedy === undefined,
        state === "ok",
        "a finding has a remedy exactly if it is not ok",
      );
    });
  }
});

it("warns of Node.js versions with known vulnerabilities, and the pinned version is not one (docs/advisories.md; reference reliability S121)", () => {
  for (const [version, state] of [
    ["22.18.0", "warn"],
    ["22.23.1", "warn"],
    ["22.23.2", "ok"],
    ["23.11.0", "warn"],
    ["24.16.0", "warn"],
    ["24.18.0", "warn"],
    ["24.18.1", "ok"],
    ["25.9.0", "warn"],
    ["26.5.0", "warn"],
    ["26.5.1", "ok"],
  ] as const)
    assert.equal(judgeNode(version).state, state, version);
  const { optionalDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
  const pinned = Object.keys(optionalDependencies).filter((name) => name.startsWith("node-"));
  assert.ok(pinned.length >= 2);
  for (const name of pinned) assert.equal(judgeNode(optionalDependencies[name]).state, "ok", name);
});

/** Commands connect as the owner of the tables (decision 0210). */
const asOwner = ({ platform, owner }: World) => ({ ...platform, db: owner });

describe("the doctor examines a database", () => {
  it("of a newer version: fine if this version can run on it, as at a start, and bad otherwise (operations: Upgrade and downgrade)", async () => {
    const platform = asOwner(await startWorld());
    const newer = (breaking: boolean) =>
      platform.db.run(
        sql`insert into schema_migrations (number, name, sha256, breaking) values (9999, '9999-later.sql', 'x', ${breaking})
          on conflict (number) do update set breaking = excluded.breaking`,
      );
    await newer(false);
    const found = await examineDatabase(platform);
    assert.match(
      found.find(({ name }) => name === "migrations")?.text ?? "",
      /1 of a newer version, with which this one is compatible/,
    );
    assert.equal(stateOf(found, "write"), "ok");
    await newer(true);
    assert.equal(stateOf(await examineDatabase(platform), "migrations"), "bad");
  });

  it("of a healthy service, and finds only durability, which tests switch off (reference ux 2.7)", async () => {
    const world = await startWorld();
    const findings = await examineDatabase(asOwner(world));
    const others = findings.filter(({ name, state }) => state !== "ok" && name !== "durability");
    assert.deepEqual(others, []);
    // Test data need not survive, so the server does not wait for the disk.
    const durability = findings.find(({ name }) => name === "durability");
    assert.equal(durability?.state, "bad");
    assert.match(durability?.text ?? "", /with fsync and synchronous_commit off$/);
    assert.deepEqual(
      findings.map(({ name }) => name),
      [
        "database",
        "durability",
        "connections",
        "clock",
        "migrations",
        "write",
        "administrators",
        "event months",
        "event numbers",
        "event arrivals",
        "sweeps",
        "clock mark",
        "sealed secrets",
      ],
    );
  });

  it("without administrators, without a partition for the next month, with a sweep backlog (reference ux 2.7)", async () => {
    const world = await startWorld();
    const client = new pg.Client(world.connection);
    await client.connect();
    await client.query("update users set state = 'blocked' where is_admin");
    await client.query(
      "insert into sessions (digest, expires_at) select int4send(n), now() - interval '2 days' from generate_series(1, 10001) n",
    );
    const { rows } = await client.query(
      "select to_char(now() at time zone 'UTC' + interval '1 month', 'YYYY_MM') as next",
    );
    await client.query(`drop table events_${rows[0].next}`);
    await client.end();
    const findings = await examineDatabase(asOwner(world));
    for (const name of ["administrators", "event months", "sweeps"]) {
      assert.equal(stateOf(findings, name), "warn", name);
    }
  });

  it("whose connection limit, of database or server, is below what the workers open (decision 0073)", async () => {
    const world = await startWorld();
    const workers = 2;
    const limited = async (limit: number) => {
      const client = new pg.Client(world.connection);
      await client.connect();
      await client.query(`alter database ${world.connection.database} connection limit ${limit}`);
      await client.end();
      return (await examineDatabase(asOwner(world), workers)).find(({ name }) => name === "connections");
    };
    const few = await limited(41);
    assert.equal(few?.state, "warn");
    assert.match(few?.text ?? "", /allows 41 connections, and the service opens up to 42$/);
    assert.equal((await limited(42))?.state, "ok");
    assert.equal(
      stateOf(await examineDatabase(asOwner(world), 1000), "connections"),
      "warn",
      "max_connections",
    );
  });

  it("that takes a row, but not the file of a larger write, as on a full disk (decision 0178)", async () => {
    const world = await startWorld();
    const { database, user } = world.connection;
    const client = new pg.Client(world.connection);
    await client.connect();
    await client.query(`revoke temporary on database ${database} from public, ${user}`);
    const found = async () => (await examineDatabase(asOwner(world))).find(({ name }) => name === "write");
    assert.equal((await found())?.state, "ok", "a role need not be allowed temporary tables");
    // Refuses the new file, as a full disk does, and lets existing tables take rows.
    await client.query("revoke create on schema public from public, pg_database_owner");
    await client.end();
    const write = await found();
    assert.equal(write?.state, "bad");
    assert.match(write.text, /permission denied for schema public/);
    assert.match(write.remedy ?? "", /Free space on the disk of the database/);
  });

  it("without a schema, which is a warning, and one that cannot be reached, which is bad (decision 0073)", async () => {
    const db = openDb({ connection: await emptyDatabase(), patienceMs: PATIENCE_MS });
    const empty = await examineDatabase({ db, keys });
    await db.close();
    assert.equal(stateOf(empty, "migrations"), "warn");
    assert.equal(stateOf(empty, "write"), undefined);
    const away = openDb({ connection: { host: "127.0.0.1", port: 1 } });
    const [found, ...more] = await examineDatabase({ db: away, keys });
    assert.deepEqual([found?.state, more], ["bad", []]);
    assert.match(found?.remedy ?? "", /^Check DATABASE_URL/);
    await away.close();
  });
});

describe("gatehouse doctor", () => {
  it("exits with 0 beside a running service, as text and as JSON (contract §1)", async () => {
    const installation = await newInstallation();
    const service = await startService(installation);
    const text = await runGatehouse(installation, ["doctor"]);
    assert.equal(text.code, 0, text.stdout);
    assert.match(text.stdout, /^ok {4}node/m);
    assert.match(text.stdout, /^ok {4}public address +http:\/\/localhost:\d+ answers$/m);
    assert.match(text.stdout, /^warn {2}administrators .*\n +→ Run gatehouse setup-link/m);
    const told = await runGatehouse(installation, ["doctor", "--json"]);
    const { ok, findings } = JSON.parse(told.stdout) as { ok: boolean; findings: Finding[] };
    assert.equal(ok, true);
    for (const name of ["database", "durability", "master key"])
      assert.equal(stateOf(findings, name), "ok", name);
    const { PORT: _, ...elsewhere } = installation.environment;
    const other = await runGatehouse({ ...installation, environment: elsewhere }, ["doctor", "--json"]);
    const address = JSON.parse(other.stdout).findings.find((one: Finding) => one.name === "public address");
    assert.equal(address.text, `${installation.url} answers`, "from a shell without PORT");
    await service.stop();
  });

  it("exits with 1 and gives remedies for a faulty installation (contract §1)", async () => {
    const installation = await newInstallation({ DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" });
    await chmod(installation.dataDir, 0o755);
    await writeFile(join(installation.dataDir, "master.key"), "not a key\n");
    const { code, stdout, stderr } = await runGatehouse(installation, ["doctor", "--json"]);
    assert.equal(code, 1, stderr);
    const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: Finding[] };
    assert.equal(ok, false);
    for (const name of ["data directory", "master key", "database"])
      assert.equal(stateOf(findings, name), "bad", name);
    assert.equal(stateOf(findings, "public address"), "warn");
    assert.equal((await runGatehouse(installation, ["doctor", "--what"])).code, 64);
  });
});

describe("the doctor examines the port", () => {
  it("and reports another program on it, and advises to stop that or set PORT before starting the service (operations: When something is wrong)", async () => {
    const other = createServer((_request, answer) => void answer.writeHead(404).end("no")).listen(
      0,
      "127.0.0.1",
    );
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const findings = await examineMachine(readConfig({ PORT: String(port) }));
    other.close();
    const address = findings.find(({ name }) => name === "public address");
    assert.equal(address?.state, "bad");
    assert.match(
      address?.text ?? "",
      new RegExp(
        `^Another program than Gatehouse answers at http://127\\.0\\.0\\.1:${port} \\(status 404\\)`,
      ),
    );
    assert.match(address?.remedy ?? "", /^Stop it, or set PORT .* then start/);
  });
});

describe("the doctor examines the master key", () => {
  it("and warns of an older one left beside it for 20 days (decision 0197)", async () => {
    const { dataDir, environment } = await newInstallation();
    const path = join(dataDir, "master.key");
    await writeFile(path, `${"1".repeat(64)}\n${"2".repeat(64)}\n`, { mode: 0o600 });
    const look = async () => {
      const findings = await examineMachine(readConfig(environment));
      return findings.find(({ name }) => name === "master key");
    };
    assert.equal((await look())?.state, "ok");
    const then = new Date(Date.now() - 20.5 * 86_400_000);
    await utimes(path, then, then);
    const { state, text, remedy } = (await look()) ?? {};
    assert.equal(state, "warn");
    assert.match(text ?? "", /with older keys beside the newest for 20 days$/);
    assert.match(remedy ?? "", /^Run gatehouse rotate-key --finish/);
    assert.doesNotMatch(`${text} ${remedy}`, /1{8}|2{8}/);
  });
});

describe("the doctor examines the public address", () => {
  const look = async (environment: Record<string, string>) => {
    const findings = await examineMachine(readConfig(environment));
    return (name: string) => findings.find((one) => one.name === name);
  };

  it("and its cookie, but over http no certificate (reference ux 2.7)", async () => {
    const world = await startWorld();
    const { port } = new URL(world.url);
    const told = await look({ PORT: port });
    assert.equal(told("public address")?.state, "ok");
    assert.equal(told("cookies")?.text, "session arrives unchanged");
    assert.equal(told("certificate"), undefined);
  });

  it("and reports, from the public keys, that it leads to another installation (operations: When something is wrong)", async () => {
    const [one, other] = [await startWorld(), await startWorld()];
    const told = await look({ PORT: new URL(one.url).port, GATEHOUSE_PUBLIC_URL: other.url });
    const { state, text } = told("public address") ?? {};
    assert.equal(state, "bad");
    assert.match(text ?? "", /^http:\/\/localhost:\d+ leads to another Gatehouse than the one at /);
  });

  it("and reports when its certificate expires, trusted or not, or that there is none (reference ux 2.7)", async () => {
    const server = createTlsServer(
      certificateUntil(new Date(Date.now() + 9.5 * 86_400_000)),
      (_request, answer) => {
        answer.end("no");
      },
    ).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const environment = { PORT: "9", GATEHOUSE_PUBLIC_URL: `https://localhost:${port}` };
    const told = await look(environment);
    server.close();
    server.closeAllConnections();
    const { state, text, remedy } = told("certificate") ?? {};
    assert.equal(state, "warn");
    assert.match(text ?? "", /^It expires on 20\d\d-\d\d-\d\d, in 9 days$/);
    assert.match(remedy ?? "", /^Renew it/);
    const gone = (await look(environment))("certificate");
    assert.equal(gone?.state, "warn");
    assert.match(gone?.text ?? "", /presents none \(ECONNREFUSED\)$/);
  });
});

describe("the doctor examines mail", () => {
  const look = async (environment: Record<string, string>) => {
    const findings = await examineMachine(readConfig({ PORT: "9", ...environment }));
    return findings.find(({ name }) => name === "mail");
  };
  const from = { GATEHOUSE_MAIL_FROM: "gatehouse@example.org" };

  it("and reports whether it is off, works, or fails (decision 0048)", async () => {
    const server = await startMailServer();
    assert.match((await look({}))?.text ?? "", /^Off/);
    const works = await look({ ...from, GATEHOUSE_SMTP_URL: server.url });
    assert.equal(works?.state, "ok");
    // Servers may refuse the sender of a mail later.
    assert.match(works?.text ?? "", / accepts our connection; .* from gatehouse@example\.org was not tried$/);
    assert.equal(server.mails.length, 0);
    const away = await look({ ...from, GATEHOUSE_SMTP_URL: "smtp://u:hunter22@127.0.0.1:9" });
    assert.equal(away?.state, "bad");
    assert.match(away?.text ?? "", /could not be reached/);
    assert.doesNotMatch(JSON.stringify(away), /hunter22/);
  });
});
