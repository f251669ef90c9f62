/** Reading lists continuously: by cursor, by arrival while many writers are active, and conditionally. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { recordEvents } from "../../src/events/record.ts";
import { about, allArrived, push, record, recordOnly } from "../support/events.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
  const moments = [1, 1, 2, 2, 2, 3, 500, 501, 502, 503, 504];
  for (const [index, minutes] of moments.entries()) {
    const createdAt = new Date(Date.now() - minutes * 60_000);
    const kind = index % 2 ? push : about("created", "Issue", index);
    const project = index % 3 ? world.rocket : world.open;
    await record(world, [{ ...kind, projectId: project.id, authorId: world.ids.dev, createdAt }]);
  }
});

const get = (path: string, as: Person, headers = {}) => world.call(path, { as, headers });
const ids = (json: { id: number }[]) => json.map(({ id }) => id);

for (const path of ["/events", "/events?scope=all", "/users/dev/events", "/projects/acme%2Frocket/events"]) {
  test(`walking ${path} by cursor keeps all filters and exact totals, and ends without a next link (contract-events §4, keyset)`, async () => {
    for (const filter of ["", "&action=created", "&sort=asc", "&after=2024-12-31&sort=desc&action=pushed"]) {
      const start = `/api/v4${path}${path.includes("?") ? "&" : "?"}${filter.slice(1)}${filter && "&"}`;
      const whole = await get(`${start}per_page=100`, "dev");
      let next: string | undefined = `${start}per_page=2&pagination=keyset`;
      const walked: number[] = [];
      while (next) {
        const reply = await get(next, "dev");
        assert.equal(reply.status, 200, reply.text);
        assert.equal(reply.headers.get("x-page"), null);
        assert.equal(reply.headers.get("x-total"), String(whole.json.length));
        walked.push(...ids(reply.json));
        const link: string | null = reply.headers.get("link");
        next = link?.match(/^<(.*)>; rel="next"$/)?.[1]?.slice(world.url.length);
        if (next) assert.equal(reply.json.length, 2);
      }
      assert.deepEqual(walked, ids(whole.json), filter);
    }
  });
}

test("a client that follows X-Next-Since while 40 others write misses no event and reads none twice (contract-events §4, gap-free tail)", async () => {
  const made: number[] = [];
  let isOver = false;
  const writer = async (n: number) => {
    for (let i = 0; i < 5; i++) {
      // Transactions end in another order than they began.
      await world.platform.db.transaction(async (tx) => {
        const projectId = (n % 2 ? world.rocket : world.open).id;
        const events = [{ ...push, projectId, authorId: world.ids.dev }];
        for (const { id } of await recordEvents(tx, events, 0)) made.push(id);
        await new Promise((done) => setTimeout(done, (n * 7 + i * 3) % 20));
      });
    }
  };
  const walk = async (path: string, as: Person) => {
    const seen: number[] = [];
    let since = "start";
    for (;;) {
      const isLast = isOver;
      const reply = await get(`/api/v4${path}since=${since}&per_page=7`, as);
      assert.equal(reply.status, 200, reply.text);
      since = reply.headers.get("x-next-since") as string;
      assert.ok(since);
      seen.push(...ids(reply.json));
      if (reply.json.length > 0) continue;
      if (isLast) return seen;
      await new Promise((done) => setTimeout(done, 10));
    }
  };
  const walks = [
    walk("/events?", "dev"),
    walk("/events?scope=all&", "max"),
    walk("/users/dev/events?", "rep"),
  ];
  await Promise.all(Array.from({ length: 40 }, (_, n) => writer(n)));
  await allArrived(world.platform.db);
  isOver = true;
  for (const seen of await Promise.all(walks)) {
    assert.equal(new Set(seen).size, seen.length);
    assert.deepEqual(
      made.filter((id) => !seen.includes(id)),
      [],
    );
  }
  assert.equal(made.length, 200);
});

test("an event is listed by `since` only once all transactions that began before it have ended, so that none is missed (contract-events §4, gap-free tail; reference reliability F41)", async () => {
  const { db } = world.platform;
  const events = [{ ...push, projectId: world.rocket.id, authorId: world.ids.dev }];
  const read = async (since: string) => {
    const { json, headers } = await get(`/api/v4/events?since=${since}&per_page=2`, "dev");
    return { read: ids(json), next: headers.get("x-next-since") as string };
  };
  let at = await read("start");
  while (at.read.length > 0) at = await read(at.next);
  const [zeroth] = await recordOnly(world, events);
  await allArrived(db);
  const [isWritten, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow = db.transaction(async (tx) => {
    const written = await recordEvents(tx, events, 0);
    isWritten.resolve();
    await mayEnd.promise;
    return written;
  });
  await isWritten.promise;
  const [second] = await recordOnly(world, events);
  const early = await read(at.next);
  mayEnd.resolve();
  const [first] = await slow;
  await allArrived(db);
  const late = await read(early.next);
  assert.deepEqual([early.read, late.read], [[zeroth], [first?.id, second]]);
  assert.deepEqual((await read(late.next)).read, []);
});

test("an unchanged list is answered with 304, and a changed one with 200 (contract-events §4, conditional)", async () => {
  for (const path of [
    "/api/v4/events",
    "/api/v4/projects/acme%2Fopen/events",
    "/api/v4/events?since=start",
  ]) {
    const first = await get(path, "dev");
    const etag = first.headers.get("etag") as string;
    assert.match(etag, /^W\/"[\w-]+"$/);
    const again = await get(path, "dev", { "if-none-match": `"other", ${etag}` });
    assert.deepEqual([again.status, again.text, again.headers.get("etag")], [304, "", etag]);
    assert.equal(again.headers.get("x-total"), first.headers.get("x-total"));
    assert.notEqual((await get(path, "rep")).headers.get("etag"), null);
  }
  const { headers } = await get("/api/v4/events", "dev");
  await record(world, [{ ...push, projectId: world.open.id, authorId: world.ids.dev }]);
  const changed = await get("/api/v4/events", "dev", { "if-none-match": headers.get("etag") as string });
  assert.equal(changed.status, 200);
});

test("an invalid cursor, since or pagination is refused with the parameter's name (spec: Events 3)", async () => {
  for (const text of ["x", "AAAA", "YzEuMQ%3D%3D%00", "a".repeat(100), "YTk5OTk5OTk5OTk5OTk5OTk5OTk5OS4x"]) {
    const since = await get(`/api/v4/events?since=${text}`, "dev");
    assert.deepEqual([since.status, since.json], [400, { error: "since is invalid" }], text);
  }
  const cursor = await get("/api/v4/events?pagination=keyset&cursor=Ym9vLjE", "dev");
  assert.deepEqual([cursor.status, cursor.json], [400, { error: "cursor is invalid" }]);
  const word = await get("/api/v4/events?pagination=seek", "dev");
  assert.deepEqual([word.status, word.json], [400, { error: "pagination does not have a valid value" }]);
});
