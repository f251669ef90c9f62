/** The post-receive hook in a real repository reports real pushes, also those made while the service was not reachable. */
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, test } from "node:test";
import { whenDone } from "../support/cleanup.ts";
import { startWorld, type World } from "../support/world.ts";

const directory = mkdtempSync(join(tmpdir(), "gatehouse-hook-"));
whenDone(() => rm(directory, { recursive: true, force: true }));
const bare = join(directory, "rocket.git");
const work = join(directory, "work");
const environment = {
  PATH: process.env.PATH,
  HOME: directory,
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "Dev",
  GIT_AUTHOR_EMAIL: "dev@example.org",
  GIT_COMMITTER_NAME: "Dev",
  GIT_COMMITTER_EMAIL: "dev@example.org",
};
const git = (at: string, ...args: string[]) =>
  execFileSync("git", ["-C", at, ...args], { env: environment, stdio: ["ignore", "pipe", "pipe"] });

let world: World;
before(async () => {
  world = await startWorld();
  git(directory, "init", "--quiet", "--bare", "rocket.git");
  git(directory, "init", "--quiet", "--initial-branch=main", "work");
  git(work, "remote", "add", "origin", bare);
  copyFileSync("examples/post-receive", join(bare, "hooks/post-receive"));
  const tokenFile = join(directory, "token");
  writeFileSync(tokenFile, `${await world.tokenOf("dev", "write_events")}\n`);
  git(bare, "config", "gatehouse.url", world.url);
  git(bare, "config", "gatehouse.project", "acme/rocket");
  git(bare, "config", "gatehouse.tokenFile", tokenFile);
});

/** Pushes without blocking this process, which serves the hook's requests. */
async function push(...args: string[]): Promise<string> {
  const child = spawn("git", ["-C", work, "push", "origin", ...args], { env: environment });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const code = await new Promise((done) => child.once("close", done));
  assert.equal(code, 0, said);
  return said;
}

const commit = (message: string) => git(work, "commit", "--quiet", "--allow-empty", "-m", message);
const waiting = () => readdirSync(join(bare, "gatehouse-queue")).filter((name) => name.endsWith(".json"));

async function pushes() {
  const path = "/api/v4/projects/acme%2Frocket/events?action=pushed&sort=asc";
  const { json } = await world.call(path, { as: "dev" });
  return json.map(({ push_data: data }: { push_data: Record<string, unknown> }) => [
    data.action,
    data.ref_type,
    data.ref,
    data.commit_count,
    data.commit_title,
  ]);
}

test("pushes of branches and tags and removals of branches become push events with their commits (reference events C1)", async () => {
  commit('First "words" with \\ and é');
  commit("Second\n\nbody");
  await push("main");
  git(work, "tag", "v1");
  await push("v1");
  commit("Third");
  git(work, "branch", "side");
  await push("main", "side");
  await push("--delete", "side");
  assert.deepEqual(waiting(), []);
  const told = await pushes();
  assert.deepEqual(told.slice(0, 2), [
    ["created", "branch", "main", 2, "Second"],
    ["created", "tag", "v1", 0, "Second"],
  ]);
  assert.ok(
    told.some((row: unknown[]) => row.join() === "pushed,branch,main,1,Third"),
    JSON.stringify(told),
  );
  assert.deepEqual(told.at(-1), ["removed", "branch", "side", 0, null]);
  const path = "/api/v4/projects/acme%2Frocket/events?action=pushed&sort=asc&include=commits";
  const [first, tag] = (await world.call(path, { as: "dev" })).json;
  const hashes = git(work, "log", "--reverse", "--format=%H", "v1").toString().trim().split("\n");
  assert.deepEqual(
    first.commits.map((one: Record<string, string>) => [one.id, one.title, one.author_name]),
    [
      [hashes[0], 'First "words" with \\ and é', "Dev"],
      [hashes[1], "Second", "Dev"],
    ],
  );
  assert.match(first.commits[0].timestamp, /^\d{4}-\d\d-\d\dT/);
  assert.deepEqual(tag.commits, [{ id: hashes[1], title: "Second" }]);
  assert.equal(told.length, 5);
});

test("refs that are pushed together are reported with only the commits new to the repository, and other kinds of refs are left out (reference events C1)", async () => {
  git(work, "checkout", "--quiet", "-b", "tagged");
  commit("Fourth");
  git(work, "tag", "-a", "-m", "Words of the tag", "v2");
  await push("tagged", "v2");
  commit("Fifth");
  git(work, "branch", "beside");
  await push("tagged", "beside");
  await push(":beside", "tagged:renamed");
  git(work, "notes", "add", "-m", "A note");
  const said = await push("refs/notes/commits");
  git(work, "checkout", "--quiet", "main");
  const told = (await pushes()).slice(5).map((row: unknown[]) => row.join());
  assert.deepEqual(told.sort(), [
    "created,branch,beside,0,Fifth",
    "created,branch,renamed,0,Fifth",
    "created,branch,tagged,1,Fourth",
    "created,tag,v2,0,Fourth",
    "pushed,branch,tagged,1,Fifth",
    "removed,branch,beside,0,",
  ]);
  assert.doesNotMatch(said, /refused/);
  assert.deepEqual(readdirSync(join(bare, "gatehouse-queue/refused")), []);
});

test("a commit message that is not valid UTF-8 is reported without the invalid bytes (reference events C1)", async () => {
  const before = (await pushes()).length;
  const tree = git(work, "rev-parse", "main^{tree}").toString().trim();
  const words = `tree ${tree}\nauthor A <a@b> 1764000000 +0000\ncommitter A <a@b> 1764000000 +0000\n\nGr\u00fcn\n`;
  const hash = execFileSync("git", ["-C", work, "hash-object", "-t", "commit", "-w", "--stdin"], {
    env: environment,
    input: Buffer.from(words, "latin1"),
  });
  assert.doesNotMatch(await push(`${hash.toString().trim()}:refs/heads/old`), /refused/);
  const told = (await pushes()).slice(before);
  assert.deepEqual(told, [["created", "branch", "old", 1, "Grn"]]);
});

test("a push succeeds while the service is not reachable, and its event is sent once later (reference events C1)", async () => {
  const before = (await pushes()).length;
  git(bare, "config", "gatehouse.url", "http://127.0.0.1:9");
  commit('Away: say "\\n" and \t tab');
  assert.match(await push("main"), /not told yet/);
  assert.equal(waiting().length, 1);
  git(bare, "config", "gatehouse.url", world.url);
  const child = spawn("sh", ["hooks/post-receive", "--send"], {
    cwd: bare,
    env: environment,
    stdio: "ignore",
  });
  await new Promise((done) => child.once("close", done));
  assert.deepEqual(waiting(), []);
  const told = await pushes();
  assert.equal(told.length, before + 1);
  assert.equal(told.at(-1)?.[4], 'Away: say "\\n" and   tab');
});

test("a push of many new branches is reported as one event, however many commits they have, beside that of an existing branch (contract-events §1, pushes; reference events A8)", async () => {
  const before = (await pushes()).length;
  const subject = "words ".repeat(500);
  for (const branch of Array.from({ length: 20 }, (_, number) => `crowd-${number}`)) {
    git(work, "checkout", "--quiet", "-b", branch, "main");
    for (let number = 0; number < 20; number++) commit(`${branch} ${number} ${subject}`);
  }
  git(work, "checkout", "--quiet", "main");
  commit("Beside the crowd");
  assert.doesNotMatch(await push("main", "refs/heads/crowd-*"), /gatehouse: (refused|not told)/);
  const rows: unknown[][] = (await pushes()).slice(before);
  assert.deepEqual(
    rows.toSorted((a, b) => String(a[0]).localeCompare(String(b[0]))),
    [
      ["created", "branch", null, 0, null],
      ["pushed", "branch", "main", 1, "Beside the crowd"],
    ],
  );
});
