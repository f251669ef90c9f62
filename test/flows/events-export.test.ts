/** Exports: a whole list as lines, with the permissions and filters of the list, and a last line that proves completeness. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { about, comment, push, record } from "../support/events.ts";
import { signedIn } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
const TOTAL = 1203;
before(async () => {
  world = await startWorld();
  const rocket = { projectId: world.rocket.id, authorId: world.ids.dev };
  const issues = Array.from({ length: TOTAL - 3 }, (_, n) => ({
    ...about("created", "Issue", n + 10),
    ...rocket,
  }));
  await record(world, [
    { ...about("created", "Issue", 1), ...rocket, title: '=HYPERLINK("x"),\n2' },
    { ...about("created", "Issue", 2), ...rocket, confidential: true, title: "A secret matter" },
    { ...push, ...rocket },
    ...issues,
  ]);
  await record(world, [
    { ...comment("Issue", 1, { body: "-1+1" }), projectId: world.open.id, authorId: world.ids.dev },
  ]);
});

const lines = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

test("an export is the whole list in its order, and its last line has the number of events (decision 0107)", async () => {
  const answer = await world.call("/api/v4/projects/acme%2Frocket/events/export", { as: "dev" });
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.headers.get("content-type"), "application/x-ndjson; charset=utf-8");
  assert.equal(answer.headers.get("content-disposition"), 'attachment; filename="events.ndjson"');
  const all = lines(answer.text);
  const end = all.pop();
  const list = await world.call("/api/v4/projects/acme%2Frocket/events?per_page=100", { as: "dev" });
  assert.equal(all.length, Number(list.headers.get("x-total")));
  assert.deepEqual(all.slice(0, 100), list.json);
  assert.equal(new Set(all.map(({ id }) => id)).size, all.length);
  assert.deepEqual(end, { end: true, events: all.length, next_since: answer.headers.get("x-next-since") });
  const url = `/api/v4/projects/acme%2Frocket/events?since=${end.next_since}`;
  assert.deepEqual((await world.call(url, { as: "dev" })).json, []);
  const [id] = await record(world, [
    { ...about("closed", "Issue", 10), projectId: world.rocket.id, authorId: world.ids.dev },
  ]);
  assert.deepEqual(
    (await world.call(url, { as: "dev" })).json.map((one: { id: number }) => one.id),
    [id],
  );
});

test("an export contains only events that its caller may see (contract §4, visibility; decision 0107)", async () => {
  const path = "/api/v4/projects/acme%2Frocket/events/export";
  assert.doesNotMatch((await world.call(path, { as: "gus" })).text, /A secret matter|"pushed"/);
  assert.match((await world.call(path, { as: "rep" })).text, /A secret matter/);
  assert.equal((await world.call(path, { as: "stan" })).status, 404);
  assert.equal((await world.call(path)).status, 404);
  assert.equal((await world.call("/api/v4/events/export")).status, 401);
  const open = lines((await world.call("/api/v4/projects/acme%2Fopen/events/export")).text);
  assert.equal(open.at(-1).events, open.length - 1);
  const own = lines((await world.call("/api/v4/events/export?action=pushed", { as: "dev" })).text);
  assert.deepEqual([own.length, own[0].action], [2, "pushed"]);
  const all = lines((await world.call("/api/v4/events/export?scope=all&sort=asc", { as: "rep" })).text);
  const counted = await world.call("/api/v4/events?scope=all", { as: "rep", method: "HEAD" });
  assert.equal(all.at(-1).events, Number(counted.headers.get("x-total")));
  const group = lines(
    (await world.call("/api/v4/groups/acme/events/export?action=commented", { as: "rep" })).text,
  );
  assert.equal(group.length, 2);
  const person = lines((await world.call("/api/v4/users/dev/events/export", { as: "stan" })).text);
  assert.equal(person.at(-1).events, 1);
  const wrong = await world.call(`${path}?format=xml`, { as: "dev" });
  assert.deepEqual([wrong.status, wrong.json], [400, { error: "format does not have a valid value" }]);
});

test("HEAD of an export returns the headers of GET, and a Content-Length only if GET has one (RFC 9110 §8.6, §9.3.2; decision 0107)", async () => {
  const path = "/api/v4/projects/acme%2Frocket/events/export?format=csv";
  const [head, get] = [
    await world.call(path, { as: "dev", method: "HEAD" }),
    await world.call(path, { as: "dev" }),
  ];
  assert.equal(head.status, 200);
  for (const name of ["content-type", "content-disposition", "content-length"]) {
    assert.equal(head.headers.get(name), get.headers.get(name), name);
  }
});

test("cells of a CSV export that begin like a formula are escaped with an apostrophe (decision 0107; OWASP CSV injection; reference reliability S111)", async () => {
  const url = "/api/v4/projects/acme%2Frocket/events/export?format=csv&search=HYPERLINK&action=created";
  const { text, headers } = await world.call(url, { as: "dev" });
  assert.equal(headers.get("content-type"), "text/csv; charset=utf-8; header=present");
  const [head, ...rest] = text.split("\r\n");
  assert.match(head ?? "", /^id,created_at,project_id,project,author_id,author_username,action,/);
  assert.ok(rest[0]?.includes(`,"'=HYPERLINK(""x""),\n2",`), rest[0]);
  assert.match(rest[1] ?? "", /^#end,1,\S+$/);
  const titles = ["@SUM(1)", "|calc", "%0A", "  =1", "\t=1", "+1", "two\nlines", "two\rlines"];
  await record(
    world,
    titles.map((title, n) => ({
      ...{ ...about("updated", "Snippet", n + 1), title },
      ...{ projectId: world.open.id, authorId: world.ids.max },
    })),
  );
  const odd = await world.call(
    "/api/v4/projects/acme%2Fopen/events/export?format=csv&action=updated&sort=asc",
  );
  for (const title of titles) {
    const cell = title.startsWith("two") ? `"${title}"` : `"'${title}"`;
    assert.ok(odd.text.includes(`,${cell},`), JSON.stringify(title));
  }
  const notes = await world.call("/api/v4/projects/acme%2Fopen/events/export?format=csv&action=commented");
  assert.match(notes.text, /,"'-1\+1"\r\n#end,1,/);
});

test("activity pages link to an export with their filters (decision 0107)", async () => {
  const visitor = await signedIn(world, "rep");
  for (const path of ["/acme/rocket/activity", "/groups/acme/-/activity", "/dev", "/-/activity"]) {
    const page = await visitor.get(`${path}?action=pushed`);
    assert.equal(page.status, 200, path);
    assert.ok(page.text.includes(`href="${path}?action=pushed&amp;export=csv"`), path);
    const file = await visitor.get(`${path}?action=pushed&export=csv`);
    assert.equal(file.headers.get("content-type"), "text/csv; charset=utf-8; header=present", path);
    assert.match(file.text, /\r\n#end,1,/);
  }
  const nobody = await world.call("/dev?export=ndjson");
  assert.equal(lines(nobody.text).at(-1).events, 1);
});
