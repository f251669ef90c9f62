/** Event streams: events are sent as they are recorded, resumed without loss, and end with the permission to see them. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { arrivalText } from "../../src/events/position.ts";
import { sql } from "../../src/platform/sql.ts";
import { comment, push, record } from "../support/events.ts";
import { whileDevLeaves } from "../support/meanwhile.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

interface Message {
  id: string;
  data: { id: number; project_id: number } | undefined;
}

/** Opens a stream; `next` returns its next message with data, or undefined at the end. */
async function open(path: string, as: Person, headers: Record<string, string> = {}) {
  const token = await world.tokenOf(as, "api");
  return follow(path, { authorization: `Bearer ${token}`, ...headers });
}

async function follow(path: string, headers: Record<string, string> = {}) {
  const reply = await fetch(`${world.url}/api/v4${path}`, { headers });
  const reader = (reply.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  let position = "";
  const next = async (): Promise<Message | undefined> => {
    for (;;) {
      const end = text.indexOf("\n\n");
      if (end < 0) {
        const { done, value } = await reader.read();
        if (done) return undefined;
        text += value;
        continue;
      }
      const lines = text.slice(0, end).split("\n");
      text = text.slice(end + 2);
      const member = (name: string) =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      position = member("id") ?? position;
      const data = member("data");
      if (data !== undefined) return { id: position, data: JSON.parse(data) };
    }
  };
  return { reply, next, position: () => position, close: () => reader.cancel() };
}

const write = async (project: { id: number }, author: Person) =>
  (await record(world, [{ ...push, projectId: project.id, authorId: world.ids[author] }]))[0];

test("a stream sends the events of the member's projects as they are recorded, and after a reconnect those missed (contract-events §4, stream)", async () => {
  const stream = await open("/events/stream?scope=all", "rep");
  assert.equal(stream.reply.status, 200);
  assert.equal(stream.reply.headers.get("content-type"), "text/event-stream");
  const first = await write(world.rocket, "dev");
  const message = await stream.next();
  assert.equal(message?.data?.id, first);
  await stream.close();
  const missed = [await write(world.open, "dev"), await write(world.rocket, "max")];
  const again = await open("/events/stream?scope=all", "rep", { "last-event-id": message?.id as string });
  missed.push(await write(world.rocket, "rep"));
  const seen = [await again.next(), await again.next(), await again.next()];
  assert.deepEqual(
    seen.map((given) => given?.data?.id),
    missed,
  );
  await again.close();
});

test("an empty Last-Event-ID, which a client without a position may send, does not hide `since` (contract-events §4, stream; WHATWG HTML, server-sent events)", async () => {
  const empty = { "last-event-id": "" };
  const authorization = `Bearer ${await world.tokenOf("rep", "api")}`;
  const headers = { authorization, ...empty };
  const refused = await fetch(`${world.url}/api/v4/events/stream?since=never`, { headers });
  assert.equal(refused.status, 400);
  assert.deepEqual(await refused.json(), { error: "since is invalid" });
  const old = await write(world.open, "dev");
  const stream = await open("/projects/acme%2Fopen/events/stream?since=start", "rep", empty);
  const seen: unknown[] = [];
  while (!seen.includes(old)) seen.push((await stream.next())?.data?.id);
  await stream.close();
});

test("a project's stream sends only the project's events that the reader may see (reference events A9)", async () => {
  const guest = await open("/projects/acme%2Frocket/events/stream", "gus");
  await write(world.rocket, "dev");
  await write(world.open, "dev");
  const made = {
    action: "joined",
    targetType: null,
    projectId: world.rocket.id,
    authorId: world.ids.max,
  } as const;
  const [joined] = await record(world, [made]);
  assert.equal((await guest.next())?.data?.id, joined);
  await guest.close();
  const refused = await world.call("/api/v4/projects/acme%2Frocket/events/stream", { as: "stan" });
  assert.deepEqual([refused.status, refused.json], [404, { message: "404 Project Not Found" }]);
  assert.equal((await world.call("/api/v4/events/stream")).status, 401);
  const wrong = await world.call("/api/v4/events/stream?since=never", { as: "dev" });
  assert.deepEqual([wrong.status, wrong.json], [400, { error: "since is invalid" }]);
});

test("a token in the query opens streams, and they end when it is revoked (spec: Authentication 5; contract-events §4, stream)", async () => {
  const { db } = world.platform;
  const token = await world.tokenOf("olga", "api");
  const paths = ["/events/stream", "/events/stream?scope=all", "/projects/acme%2Frocket/events/stream"];
  const streams = await Promise.all(
    paths.flatMap((path) =>
      ["access_token", "private_token"].map((name) =>
        follow(`${path}${path.includes("?") ? "&" : "?"}${name}=${token}`),
      ),
    ),
  );
  const id = await write(world.rocket, "olga");
  for (const stream of streams) assert.equal((await stream.next())?.data?.id, id, stream.reply.url);
  // The membership stays, so that only the token can end the streams of the project.
  await db.run(sql`update access_tokens set revoked_at = now() where user_id = ${world.ids.olga}`);
  await write(world.rocket, "olga");
  for (const stream of streams) assert.equal(await stream.next(), undefined, stream.reply.url);
});

test("a stream ends when the membership or the token ends, before it sends another event (contract-events §4, stream)", async () => {
  const { db } = world.platform;
  const member = await open("/projects/acme%2Frocket/events/stream", "rep");
  const token = await open("/events/stream", "max");
  await db.run(sql`delete from members where project_id = ${world.rocket.id} and user_id = ${world.ids.rep}`);
  await db.run(sql`update access_tokens set revoked_at = now() where user_id = ${world.ids.max}`);
  await write(world.rocket, "max");
  assert.equal(await member.next(), undefined);
  assert.equal(await token.next(), undefined);
});

test("events that were read while the membership ended are not sent (contract-events §4, stream)", async () => {
  const read = async () => (await open("/projects/acme%2Frocket/events/stream?since=start", "dev")).next();
  assert.equal(await whileDevLeaves(world, "events", read), undefined);
});

test("a stream that is still sending missed events ends with the membership, too (contract-events §4, stream)", async () => {
  const many = Array.from({ length: 400 }, (_, n) => ({
    ...comment("Issue", n + 1, { body: `${n} ${"word ".repeat(20_000)}` }),
    projectId: world.rocket.id,
    authorId: world.ids.dev,
  }));
  for (let from = 0; from < many.length; from += 50) await record(world, many.slice(from, from + 50));
  const stream = await open("/projects/acme%2Frocket/events/stream?since=start", "gus");
  // The reader pauses, so that the service waits for it somewhere in the middle.
  assert.ok((await stream.next())?.data);
  await world.platform.db.run(
    sql`delete from members where project_id = ${world.rocket.id} and user_id = ${world.ids.gus}`,
  );
  let seen = 1;
  while (await stream.next()) seen++;
  assert.ok(seen < many.length, `${seen} events`);
});

test("a cursor from before a restore, or an invalid one, is refused with the name of its parameter or header (decision 0108; contract-events §4, stream)", async () => {
  const other = arrivalText({ epoch: "fedcba98", transaction: "1", id: 1 });
  const authorization = `Bearer ${await world.tokenOf("rep", "api")}`;
  for (const [path, headers, error] of [
    [`/events/stream?since=${other}`, {}, /^since is of the time before a restore; read anew/],
    [
      "/events/stream?since=start",
      { "last-event-id": other },
      /^Last-Event-ID is of the time before a restore; leave it out/,
    ],
    ["/events/stream?since=start", { "last-event-id": "42" }, /^Last-Event-ID is invalid$/],
  ] as const) {
    const reply = await fetch(`${world.url}/api/v4${path}`, { headers: { authorization, ...headers } });
    assert.equal(reply.status, 400);
    assert.match(((await reply.json()) as { error: string }).error, error);
  }
});

test("a filter that only lists have is refused, as the events of everybody would come instead (contract-events §4, stream)", async () => {
  for (const [path, filter] of [
    ["/events/stream?scope=all", "author_id=5"],
    ["/events/stream?scope=all", "author_id[0]=5"],
    ["/events/stream?scope=all", "not%5Baction%5D%5B1%5D=pushed"],
    ["/events/stream?scope=all", "search=berth"],
    ["/events/stream?scope=all", "group_id=acme"],
    ["/projects/acme%2Frocket/events/stream?since=start", "not[author_username][]=dev"],
    ["/projects/acme%2Frocket/events/stream?since=start", "after=2026-01-01"],
  ]) {
    const refused = await open(`${path}&${filter}`, "dev");
    await refused.close();
    assert.equal(refused.reply.status, 400, filter);
  }
  const { json } = await world.call("/api/v4/events/stream?author_id=5&not[action][]=pushed", { as: "dev" });
  assert.deepEqual(json, {
    error: "author_id is no filter of streams, not[action] is no filter of streams",
  });
  const stream = await open("/events/stream?scope=all&action=pushed&page=1", "dev");
  assert.equal(stream.reply.status, 200);
  await stream.close();
});

test("when the service shuts down, its streams end, and it does not wait for their readers (contract-events §4, stream)", async () => {
  const stream = await open("/events/stream", "dev");
  const ended = stream.next();
  const closed = world.app.close();
  assert.equal(await ended, undefined);
  await closed;
});
