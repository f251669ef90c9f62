/** The pages of event sources: creating, rotating secrets, disabling, deliveries, and replaying them (decision 0105). */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { before, test } from "node:test";
import { sql } from "../../src/platform/sql.ts";
import { offeredBy } from "../support/page-forms.ts";
import { signedIn, type Visitor } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let max: Visitor;
before(async () => {
  world = await startWorld();
  max = await signedIn(world, "max");
});

const HOME = "/acme/rocket/-/settings/sources";
const shownIn = (page: { text: string }, id: string) =>
  new RegExp(`<code id="${id}"[^>]*data-value="([^"]+)"`).exec(page.text)?.[1] ?? "";

async function deliver(url: string, secret: string, event: string, payload: object, number: string) {
  const body = JSON.stringify(payload);
  const signature = createHmac("sha256", secret).update(body).digest("hex");
  return fetch(url.replace(/^https?:\/\/[^/]+/, world.url), {
    method: "POST",
    body,
    headers: {
      "content-type": "application/json",
      "x-github-event": event,
      "x-github-delivery": number,
      "x-hub-signature-256": `sha256=${signature}`,
    },
  });
}

async function made(name: string) {
  const page = await max.follow(await max.submit(HOME, { name, type: "github" }));
  assert.equal(page.status, 200, page.text);
  return { page, url: shownIn(page, "source-url"), secret: shownIn(page, "source-secret") };
}

test("a maintainer creates a source, sees its secret once, and sees which deliveries came and why one was ignored (decision 0105)", async () => {
  assert.match((await max.get(HOME)).text, /No source yet[\s\S]*href="#new"[\s\S]*New source/);
  const { page: fresh, url, secret } = await made("Our <forge>");
  assert.match(fresh.text, /Secret <span class="badge brass">Shown once</);
  assert.match(secret, /.{16}/);
  // The setup instructions are shown until the first delivery.
  assert.match(fresh.text, /id="set-up"[\s\S]*GitHub[\s\S]*as Payload URL/);
  assert.doesNotMatch(fresh.text, /Secret token|Target URL/);
  assert.equal((await deliver(url, secret, "watch", { action: "started" }, "w-1")).status, 202);
  const issue = {
    action: "opened",
    issue: { id: 1, number: 1, title: "<b>Leak" },
    sender: { login: "octo" },
  };
  assert.equal((await deliver(url, secret, "issues", issue, "i-1")).status, 202);
  assert.equal((await deliver(url, "wrong", "issues", issue, "i-2")).status, 401);
  const list = await max.get(HOME);
  assert.match(list.text, /Our &lt;forge&gt;/);
  const own = /href="([^"]+\/-\/settings\/sources\/\d+)"/.exec(list.text)?.[1] ?? "";
  const page = await max.get(own);
  assert.doesNotMatch(page.text, new RegExp(secret));
  assert.doesNotMatch(page.text, /id="set-up"/);
  assert.match(page.text, /watch/);
  assert.match(page.text, /has no counterpart among events/);
  const [, delivery = ""] = /href="([^"]+\/deliveries\/\d+)">issues</.exec(page.text) ?? [];
  const shown = await max.get(delivery);
  assert.match(shown.text, /What came/);
  assert.match(shown.text, /&lt;b&gt;Leak/);
  assert.doesNotMatch(shown.text, /x-hub-signature|Read it again/);
});

test("replaying an ignored delivery records its event once (decision 0105)", async () => {
  const { page, url, secret } = await made("Replayed");
  const [, id = ""] = /sources\/(\d+)\/rotate/.exec(page.text) ?? [];
  const issue = {
    action: "opened",
    issue: { id: 50, number: 50, title: "Later" },
    sender: { login: "octo" },
  };
  await deliver(url, secret, "issues", issue, "r-1");
  const { db } = world.platform;
  // As if it had been ignored by a version that did not know issues.
  await db.run(sql`delete from events where target_iid = 50`);
  await db.run(
    sql`update event_deliveries set status = 'ignored', reason = 'unknown', event_ids = '{}' where delivery_id = 'r-1'`,
  );
  const source = await max.get(`${HOME}/${id}`);
  const [, delivery = ""] = /href="([^"]+\/deliveries\/\d+)">issues</.exec(source.text) ?? [];
  const done = await max.follow(await max.submit(`${delivery}/replay`, {}, delivery));
  assert.match(done.text, /Events made of it: 1/);
  assert.match(done.text, /Accepted/);
  const events = (await world.call("/api/v4/projects/acme%2Frocket/events?search=Later", { as: "max" })).json;
  assert.equal(events.length, 1);
  const number = delivery.split("/").at(-1);
  const again = await world.call(
    `/api/v4/projects/acme%2Frocket/event_sources/${id}/deliveries/${number}/replay`,
    { as: "max", method: "POST" },
  );
  assert.deepEqual([again.status, again.json], [409, { message: "Its events were already recorded." }]);
});

test("an ignored delivery whose body is no longer stored cannot be replayed (decision 0105)", async () => {
  const { page, url, secret } = await made("Emptied");
  const [, id = ""] = /sources\/(\d+)\/rotate/.exec(page.text) ?? [];
  await deliver(url, secret, "watch", { action: "started" }, "w-2");
  await world.platform.db.run(
    sql`update event_deliveries set raw = null, headers = null where delivery_id = 'w-2'`,
  );
  const path = `/api/v4/projects/acme%2Frocket/event_sources/${id}/deliveries`;
  const [delivery] = (await world.call(path, { as: "max" })).json;
  const reply = await world.call(`${path}/${delivery.id}/replay`, { as: "max", method: "POST" });
  assert.deepEqual([reply.status, reply.json], [409, { message: "Its payload is no longer stored." }]);
});

test("a rotated secret replaces the old one, a disabled source accepts no deliveries, and a deleted source is gone (decision 0105)", async () => {
  const { page, url, secret } = await made("Short-lived");
  const [, id = ""] = /sources\/(\d+)\/rotate/.exec(page.text) ?? [];
  const own = `${HOME}/${id}`;
  const rotated = await max.follow(await max.submit(`${own}/rotate`, {}, own));
  const fresh = shownIn(rotated, "source-secret");
  assert.notEqual(fresh, secret);
  assert.equal((await deliver(url, secret, "ping", {}, "p-1")).status, 401);
  assert.equal((await deliver(url, fresh, "ping", {}, "p-1")).status, 200);
  await max.submit(`${own}/switch`, {}, own);
  assert.equal((await deliver(url, fresh, "ping", {}, "p-2")).status, 404);
  assert.equal((await max.submit(`${own}/delete`, {}, own)).status, 303);
  assert.equal((await max.get(own)).status, 404);
});

test("a source that two people turn off with the same page stays off (decision 0105)", async () => {
  const { page, url, secret } = await made("Pressed twice");
  const [, id = ""] = /sources\/(\d+)\/rotate/.exec(page.text) ?? [];
  const own = `${HOME}/${id}`;
  const olga = await signedIn(world, "olga");
  const press = async (visitor: Visitor, seen: string) => {
    const button = offeredBy(seen).find(({ action }) => action === `${own}/switch`);
    return visitor.post(`${own}/switch`, button?.fields ?? {});
  };
  const [hers, his] = [(await olga.get(own)).text, (await max.get(own)).text];
  for (const pressed of [await press(olga, hers), await press(max, his)]) {
    assert.match((await max.follow(pressed)).text, /Turn on/);
  }
  assert.equal((await deliver(url, secret, "ping", {}, "p-3")).status, 404);
  await press(max, (await max.get(own)).text);
  assert.equal((await deliver(url, secret, "ping", {}, "p-4")).status, 200);
});

test("the pages of a source are only for maintainers of its project (decision 0105)", async () => {
  const { page } = await made("Private");
  const [, id = ""] = /sources\/(\d+)\/rotate/.exec(page.text) ?? [];
  const dev = await signedIn(world, "dev");
  assert.equal((await dev.get(HOME)).status, 403);
  assert.equal((await max.get(`/acme/open/-/settings/sources/${id}`)).status, 404);
  const empty = await max.submit(HOME, { name: " ", type: "github" });
  assert.equal(empty.status, 422);
  assert.match(empty.text, /Name can&#39;t be blank\./);
});

test("deliveries of one source are neither shown nor replayed through the address of another (contract §4, visibility; decision 0105)", async () => {
  const { page, url, secret } = await made("Its own");
  const [, id = ""] = /sources\/(\d+)\/rotate/.exec(page.text) ?? [];
  assert.equal((await deliver(url, secret, "watch", { action: "started" }, "own-1")).status, 202);
  const sources = (project: string) => `/api/v4/projects/acme%2F${project}/event_sources`;
  const came = await world.call(`${sources("rocket")}/${id}/deliveries`, { as: "max" });
  const path = `deliveries/${came.json[0].id}`;
  assert.equal((await max.get(`${HOME}/${id}/${path}`)).status, 200);
  const json = { name: "Another", type: "github" };
  const other = (await world.call(sources("open"), { as: "max", json })).json;
  assert.equal((await max.get(`/acme/open/-/settings/sources/${other.id}/${path}`)).status, 404);
  const replay = (project: string, source: number | string) =>
    world.call(`${sources(project)}/${source}/${path}/replay`, { as: "max", method: "POST" });
  assert.equal((await replay("open", other.id)).status, 404);
  assert.equal((await replay("rocket", id)).status, 201);
});
