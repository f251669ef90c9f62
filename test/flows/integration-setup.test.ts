/** The set-up examples on the page of an integration work as they are, once the key is filled in. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, test } from "node:test";
import { promisify } from "node:util";
import { whenDone } from "../support/cleanup.ts";
import { signedIn } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

const run = promisify(execFile);

let world: World;
let folder: string;
before(async () => {
  world = await startWorld();
  folder = await mkdtemp(join(tmpdir(), "gatehouse-set-up-"));
  whenDone(() => rm(folder, { recursive: true, force: true }));
});

const LIST = "/api/v4/projects/acme%2Frocket/alert_integrations";

async function made(json: object): Promise<{ id: number; authorization_key: string }> {
  const { status, json: record } = await world.call(LIST, { as: "max", json });
  assert.equal(status, 201);
  return record;
}

/** The set-up examples by name, with the key filled in. */
async function pieces({ id, authorization_key: key }: { id: number; authorization_key: string }) {
  const max = await signedIn(world, "max");
  const { text } = await max.get(`/acme/rocket/-/settings/operations/integrations/${id}`);
  const [, shown = ""] = /id="set-up"(.*?)<\/section>/s.exec(text) ?? [];
  assert.doesNotMatch(shown, new RegExp(key), "the set-up section does not show the key");
  const found = [...shown.matchAll(/<pre[^>]*id="set-up-(\w+)"[^>]*>(.*?)<\/pre>/gs)];
  const plain = (part: string) =>
    part.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&").replaceAll("gak_…", key);
  return Object.fromEntries(found.map(([, name = "", part = ""]) => [name, plain(part)]));
}

/** Passes the file to a real tool; throws if the tool refuses it. */
async function taken(name: string, content: string, tool: string, ...words: string[]): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return (await run(tool, [...words, path])).stdout;
}

test("a shell, Alertmanager and Prometheus accept the set-up examples of an HTTP endpoint (decision 0147)", async () => {
  const own = await pieces(await made({ type: "http", name: "Yard" }));
  assert.deepEqual(Object.keys(own), ["shell", "alertmanager", "prometheus"]);
  const { stdout } = await run("sh", ["-c", own.shell as string]);
  assert.match(stdout, /"title":"Disk is full"/);
  const routed = `route: {receiver: gatehouse}\n${own.alertmanager}`;
  assert.match(await taken("alertmanager.yml", routed, "amtool", "check-config"), /1 receivers/);
  assert.match(own.alertmanager as string, /\/alerts\/notify\/yard\/[0-9a-f]{16}\.json/);
  assert.match(
    await taken("prometheus.yml", own.prometheus as string, "promtool", "check", "config"),
    /SUCCESS/,
  );
  const { host } = new URL(world.url);
  assert.ok(own.prometheus?.includes(`targets: ["${host}"]`));
  assert.match(own.prometheus as string, /scheme: http\n +path_prefix: \/acme\/rocket\/alertmanager\n/);
});

test("a Prometheus endpoint has examples for Alertmanager and Prometheus, but not while it is disabled, and the link to an external tool has no such section (decision 0147)", async () => {
  const metrics = await made({ type: "prometheus", name: "Prom" });
  const own = await pieces(metrics);
  assert.deepEqual(Object.keys(own), ["alertmanager", "prometheus"]);
  assert.match(own.alertmanager as string, /url: http:\S+\/acme\/rocket\/prometheus\/alerts\/notify\.json\n/);
  await world.call(`${LIST}/${metrics.id}`, { as: "max", method: "PUT", json: { active: false } });
  assert.deepEqual(await pieces(metrics), {});
  const tool = { type: "external_tool", api_url: "https://tool.example.org/api" };
  const posted = await world.call("/api/v4/projects/acme%2Fopen/alert_integrations", {
    as: "olga",
    json: tool,
  });
  assert.equal(posted.status, 201, posted.text);
  const olga = await signedIn(world, "olga");
  const page = await olga.get(`/acme/open/-/settings/operations/integrations/${posted.json.id}`);
  assert.equal(page.status, 200);
  assert.doesNotMatch(page.text, /set-up/);
});

test("the page of an integration links to the test alert form with this integration chosen, while it is active (reference ux §6, test alert)", async () => {
  await made({ type: "http", name: "First" });
  const { id } = await made({ type: "http", name: "Second" });
  const max = await signedIn(world, "max");
  const own = `/acme/rocket/-/settings/operations/integrations/${id}`;
  const [, way = ""] = /href="([^"#]*)#test"/.exec((await max.get(own)).text) ?? [];
  assert.match((await max.get(way)).text, new RegExp(`<option value="${id}" selected>Second<`));
  await world.call(`${LIST}/${id}`, { as: "max", method: "PUT", json: { active: false } });
  assert.doesNotMatch((await max.get(own)).text, /#test"/);
});
