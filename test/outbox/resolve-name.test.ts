/** How the names of targets are resolved: by the hosts file and name servers, with an end. */
import assert from "node:assert/strict";
import { createSocket, type Socket } from "node:dgram";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, test } from "node:test";
import { resolveName } from "../../src/outbox/resolve-name.ts";
import { whenDone } from "../support/cleanup.ts";
import { until } from "../support/until.ts";

const A = 1;
const AAAA = 28;
const NAME_ERROR = 3;
/**
 * What the name server knows; a name that is missing does not exist. Of `silent.example.org` it says nothing, and of
 * `half.example.org` and names in `drops.test` nothing about IPv6.
 */
const KNOWN: Readonly<Record<string, Readonly<Record<number, Buffer>>>> = {
  "both.example.org": {
    [A]: Buffer.from([93, 184, 216, 34]),
    [AAAA]: Buffer.from("26062800022000010248189325c81946", "hex"),
  },
  "four.example.org": { [A]: Buffer.from([93, 184, 216, 35]) },
  "half.example.org": { [A]: Buffer.from([93, 184, 216, 36]) },
  "relay.monitoring.svc.cluster.test": { [A]: Buffer.from([10, 96, 0, 7]) },
};

let servers: string[];
let directory: string;
const asked: string[] = [];
before(async () => {
  const server = createSocket("udp4");
  server.on("message", (query, { port }) => answer(server, query, port));
  await new Promise<void>((done) => server.bind(0, "127.0.0.1", done));
  servers = [`127.0.0.1:${server.address().port}`];
  directory = await mkdtemp(join(tmpdir(), "gatehouse-hosts-"));
  await writeFile(
    join(directory, "hosts"),
    "# comment four.example.org\n127.0.0.1\tlocalhost\n\n10.1.2.3 Wiki.Example.org wiki # both.example.org\nfd00::3 wiki.example.org\n",
  );
  whenDone(async () => {
    server.close();
    await rm(directory, { recursive: true });
  });
});

/** Answers one question (RFC 1035 §4.1). */
function answer(server: Socket, query: Buffer, port: number): void {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.subarray(at + 1, at + 1 + length).toString());
    at += length + 1;
  }
  const name = labels.join(".").toLowerCase();
  const type = query.readUInt16BE(at + 1);
  asked.push(`${name} ${type}`);
  const isHalf = name === "half.example.org" || name.endsWith(".drops.test");
  if (name === "silent.example.org" || (isHalf && type === AAAA)) return;
  const known = KNOWN[name];
  const address = known?.[type];
  const head = Buffer.from(query.subarray(0, 12));
  head.writeUInt16BE(0x8180 | (known ? 0 : NAME_ERROR), 2);
  head.writeUInt16BE(address ? 1 : 0, 6);
  head.writeUInt16BE(0, 8);
  head.writeUInt16BE(0, 10);
  const record = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, address?.length ?? 0]);
  const parts = [head, query.subarray(12, at + 5), ...(address ? [record, address] : [])];
  server.send(Buffer.concat(parts), port, "127.0.0.1");
}

const resolved = async (host: string, signal = new AbortController().signal, conf = "none.conf") => {
  const [hostsFile, resolvConf] = [join(directory, "hosts"), join(directory, conf)];
  return (await resolveName(host, signal, { hostsFile, resolvConf, servers })).map(({ address }) => address);
};

test("a name has the addresses of both families that name servers know, and one that they do not know has none (decision 0049)", async () => {
  assert.deepEqual((await resolved("both.example.org")).sort(), [
    "2606:2800:220:1:248:1893:25c8:1946",
    "93.184.216.34",
  ]);
  assert.deepEqual(await resolved("four.example.org."), ["93.184.216.35"]);
  await assert.rejects(resolved("missing.example.org"), { code: "ENOTFOUND" });
});

test("a name in the hosts file has the addresses of that file, in any case, and no server is asked (decision 0049)", async () => {
  asked.length = 0;
  assert.deepEqual(await resolved("wiki.example.org"), ["10.1.2.3", "fd00::3"]);
  assert.deepEqual(await resolved("WIKI.example.org."), ["10.1.2.3", "fd00::3"]);
  assert.deepEqual(asked, []);
});

test("a query that no server answers ends with the request, however many there are (decision 0049; reference reliability S126)", async () => {
  const ending = new AbortController();
  asked.length = 0;
  const many = Array.from({ length: 40 }, () => resolved("silent.example.org", ending.signal));
  // The others need not wait: the names are not resolved by the few threads that read files.
  assert.deepEqual(await resolved("four.example.org"), ["93.184.216.35"]);
  ending.abort();
  const ended = await Promise.allSettled(many);
  const codes = ended.map((one) => (one.status === "rejected" ? one.reason.code : "none"));
  assert.deepEqual(new Set(codes), new Set(["ECANCELLED"]));
  await assert.rejects(resolved("four.example.org", ending.signal), { name: "AbortError" });
});

test("a name that needs a search domain is asked for in each, in the order of the system's resolver (decision 0049)", async () => {
  const domains = ["team.svc.cluster.test", "svc.cluster.test."];
  await writeFile(join(directory, "few.conf"), `nameserver 127.0.0.1\nsearch ${domains.join(" ")}\n`);
  await writeFile(
    join(directory, "many.conf"),
    `domain lost.test\nsearch ${domains.join(" ")}\noptions edns0 ndots:5\n`,
  );
  const names = async (host: string, conf: string) => {
    asked.length = 0;
    const addresses = await resolved(host, undefined, conf).catch(() => []);
    return [addresses[0], asked.filter((one) => one.endsWith(` ${A}`)).map((one) => one.replace(/ 1$/, ""))];
  };
  const [team, all] = domains.map((domain) => `relay.monitoring.${domain.replace(/\.$/, "")}`);
  assert.deepEqual(await names("relay.monitoring", "few.conf"), [
    "10.96.0.7",
    ["relay.monitoring", team, all],
  ]);
  assert.deepEqual(await names("Relay.Monitoring", "many.conf"), ["10.96.0.7", [team, all]]);
  assert.deepEqual(await names("relay.monitoring.", "many.conf"), [undefined, ["relay.monitoring"]]);
  assert.deepEqual(await names("four.example.org", "few.conf"), ["93.184.216.35", ["four.example.org"]]);
});

test("the search for a name in all domains ends with the request (decision 0049; reference reliability S126)", async () => {
  await writeFile(join(directory, "silent.conf"), "search example.org other.test\noptions ndots:3\n");
  const ending = new AbortController();
  asked.length = 0;
  const waiting = resolved("silent", ending.signal, "silent.conf");
  let isOver = false;
  waiting.catch(() => {
    isOver = true;
  });
  await until(async () => isOver || asked.includes(`silent.example.org ${A}`));
  assert.equal(isOver, false);
  asked.length = 0;
  ending.abort();
  await assert.rejects(waiting, { name: "AbortError" });
  assert.deepEqual(asked, []);
});

test("a name whose IPv6 addresses no server tells of has its IPv4 addresses before that query ends (decision 0049)", async () => {
  asked.length = 0;
  assert.deepEqual(await resolved("half.example.org"), ["93.184.216.36"]);
  assert.deepEqual(
    asked.filter((one) => one === `half.example.org ${AAAA}`),
    [`half.example.org ${AAAA}`],
    "asked once: the second try, after a second, was not awaited",
  );
});

test("a name that does not exist in a search domain is asked for in the next one, though no server tells of its IPv6 addresses (decision 0049)", async () => {
  const domains = ["a.drops.test", "b.drops.test", "c.drops.test"];
  await writeFile(join(directory, "drops.conf"), `search ${domains.join(" ")}\noptions ndots:5\n`);
  asked.length = 0;
  assert.deepEqual(await resolved("four.example.org", undefined, "drops.conf"), ["93.184.216.35"]);
  assert.deepEqual(
    asked.filter((one) => one.endsWith(` ${AAAA}`)),
    [...domains.map((domain) => `four.example.org.${domain} ${AAAA}`), `four.example.org ${AAAA}`],
    "each asked once: the second try, after a second, was not awaited",
  );
  await assert.rejects(resolved("missing.drops.test"), { code: "ENOTFOUND" });
});
