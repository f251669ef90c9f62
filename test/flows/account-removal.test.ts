/** Deleting and erasing user accounts through the API and the admin pages keeps all event counts (decision 0104). */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { findNamespace } from "../../src/accounts/store-namespaces.ts";
import { verifyAudit } from "../../src/accounts/verify-audit.ts";
import { compactEventCounts } from "../../src/events/compact-counts.ts";
import { enqueue } from "../../src/outbox/enqueue.ts";
import type { Queries } from "../../src/platform/db.ts";
import { integer, row, text } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { createProject } from "../../src/projects/create-project.ts";
import { about, comment, eventCounts, push, record } from "../support/events.ts";
import { whileDoing } from "../support/meanwhile.ts";
import { signedIn, Visitor } from "../support/visitor.ts";
import { PASSWORD, type Person, startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

const PROJECT = "/api/v4/projects/acme%2Frocket/events";
const remove = (who: string | number, as: Person = "ada", query = "") =>
  world.call(`/api/v4/users/${who}${query}`, { as, method: "DELETE" });

/** Records events of a user in both projects: some confidential, one about an issue assigned to that user. */
async function busy(userId: number): Promise<void> {
  const of = (projectId: number) => (kind: object) => ({ projectId, authorId: userId, ...kind }) as never;
  await record(world, [push, about("created", "Issue", 1), comment("Issue", 1)].map(of(world.rocket.id)));
  await record(
    world,
    [{ ...about("created", "Issue", 2), confidential: true, assigneeIds: [userId] }].map(of(world.rocket.id)),
  );
  await compactEventCounts(world.platform);
  await record(world, [push, { action: "joined", targetType: null }].map(of(world.open.id)));
}

async function total(path: string): Promise<number> {
  return Number((await world.call(`${path}?per_page=1`, { as: "ada" })).headers.get("x-total"));
}

/** Returns all event counts after compaction. */
async function counted(): Promise<string> {
  await compactEventCounts(world.platform);
  return eventCounts(world);
}

test("an erased user is gone, their events show a pseudonym, and all counts stay the same (contract-events §4; decision 0104; reference reliability S84)", async () => {
  const id = world.ids.dev;
  await busy(id);
  const token = await world.tokenOf("dev", "api");
  const before = await total(PROJECT);
  const reply = await remove(id, "ada", "?erase=true");
  assert.equal(reply.status, 204, reply.text);
  assert.equal((await world.call(`/api/v4/users/${id}`, { as: "ada" })).status, 404);
  assert.equal((await world.call("/api/v4/user", { token })).status, 401);
  assert.equal(await total(PROJECT), before);
  const events = (await world.call(PROJECT, { as: "max" })).json as {
    author: { id: number; name: string; username: string };
  }[];
  const authors = [...new Set(events.map(({ author }) => `${author.id} ${author.name} ${author.username}`))];
  assert.equal(authors.length, 1);
  const [author] = events.map((event) => event.author);
  assert.equal(author?.name, "Erased person");
  assert.match(author?.username ?? "", /^erased-/);
  assert.notEqual(author?.id, id);
  assert.equal(await total(`/api/v4/users/${author?.id}/events`), 6);
  const kept = await counted();
  await world.owner.run(sql`select rebuild_event_rollups()`);
  assert.equal(await counted(), kept, "rebuilt counts match");
  const { n } = await world.platform.db.one(
    row({ n: integer }),
    sql`select count(*) as n from event_targets where ${id}::bigint = any (assignee_ids) or author_id = ${id}`,
  );
  assert.equal(n, 0);
  const chain = await verifyAudit(world.platform.db);
  assert.equal(chain.broken, undefined);
  const told = await world.platform.db.one(
    row({ action: text, person: text }),
    sql`select action, person from audit_entries order by id desc limit 1`,
  );
  assert.deepEqual(told, { action: "user_erased", person: "" });
});

test("events of users deleted without erasure show one shared ghost user, as in GitLab (decision 0104)", async () => {
  await busy(world.ids.rep);
  await busy(world.ids.gus);
  const all = await total(PROJECT);
  assert.equal((await remove("rep")).status, 204);
  assert.equal((await remove("gus")).status, 204);
  assert.equal(await total(PROJECT), all);
  const events = (await world.call(`${PROJECT}?per_page=8`, { as: "max" })).json;
  assert.deepEqual(
    [...new Set(events.map((event: { author: { name: string } }) => event.author.name))],
    ["Ghost user"],
  );
  assert.equal(await total(`/api/v4/users/${events[0].author_id}/events`), 12);
});

test("DELETE /users/:id returns 403 to non-administrators and for oneself, 404 for unknown users and 409 for a group's only owner (decision 0104)", async () => {
  assert.equal((await remove("stan", "max", "?erase=true")).status, 403);
  assert.equal((await remove(world.ids.ada, "ada", "?erase=true")).status, 403);
  assert.equal((await remove(999_999, "ada", "?erase=true")).status, 404);
  const owner = await remove("olga", "ada", "?erase=true");
  assert.equal(owner.status, 409);
  assert.match(owner.text, /acme/);
});

test("deleting a group's last active owner returns 409: a blocked owner and one whose role expires do not count, an owner of the parent group does (decisions 0104, 0165)", async () => {
  const person = async (username: string) => {
    const json = {
      username,
      name: username,
      email: `${username}@example.org`,
      password: "correct horse battery 9",
    };
    return (await world.call("/api/v4/users", { as: "ada", json })).json.id as number;
  };
  const group = async (path: string, parent_id?: number) => {
    const made = await world.call("/api/v4/groups", { as: "olga", json: { name: path, path, parent_id } });
    assert.equal(made.status, 201, made.text);
    return made.json.id as number;
  };
  const own = async (id: number, user_id: number) => {
    const json = { user_id, access_level: 50 };
    assert.equal((await world.call(`/api/v4/groups/${id}/members`, { as: "olga", json })).status, 201);
  };
  const leave = (id: number) =>
    world.call(`/api/v4/groups/${id}/members/${world.ids.olga}`, { as: "olga", method: "DELETE" });
  const { db } = world.platform;
  const [last, blocked] = [await person("last"), await person("blocked")];
  const alone = await group("alone");
  for (const id of [last, blocked]) await own(alone, id);
  assert.equal((await leave(alone)).status, 204);
  const above = await group("above");
  const below = await group("below", above);
  await own(below, last);
  assert.equal((await leave(below)).status, 204);

  await world.call(`/api/v4/users/${blocked}/block`, { as: "ada", method: "POST" });
  const held = await remove(last, "ada", "?erase=true");
  assert.deepEqual(
    [held.status, held.json],
    [409, { message: "Groups have no other owner: alone. Name one first." }],
  );
  await world.call(`/api/v4/users/${blocked}/unblock`, { as: "ada", method: "POST" });
  const until = async (end: ReturnType<typeof sql>) =>
    db.run(
      sql`update members set expires_at = ${end} where namespace_id = ${alone} and user_id = ${blocked}`,
    );
  await until(sql`now() + interval '1 day'`);
  assert.equal((await remove(last, "ada", "?erase=true")).status, 409, "the other owner's role ends");
  await until(sql`null`);
  assert.equal((await remove(last, "ada", "?erase=true")).status, 204);
});

test("deleting the owner of projects returns 409 with their names, also if one comes into the namespace during the removal (decisions 0104, 0140)", async () => {
  const { db } = world.platform;
  const json = { username: "lark", name: "Lark", email: "lark@example.org", password: PASSWORD };
  const { id } = (await world.call("/api/v4/users", { as: "ada", json })).json;
  const namespace = await findNamespace(db, "lark");
  assert.ok(namespace);
  const comes = (tx: Queries) => createProject(tx, world.ids.max, { namespace, path: "late", name: "Late" });
  const { worked } = await whileDoing(world, comes, () => remove(id, "ada", "?erase=true"));
  const during = { message: "The user became active during the removal. Try again." };
  assert.deepEqual([worked.status, worked.json], [409, during]);
  const owned = await remove(id, "ada", "?erase=true");
  const before = { message: "The user owns projects: lark/late. Move or delete them first." };
  assert.deepEqual([owned.status, owned.json], [409, before]);
  await db.run(sql`delete from projects where full_path = 'lark/late'`);
  assert.equal((await remove(id, "ada", "?erase=true")).status, 204);
});

test("an administrator erases a user from the list of users, after entering the password again if that was 20 minutes ago (decisions 0047, 0104)", async () => {
  const ada = await signedIn(world, "ada");
  const page = await ada.get("/admin/users");
  assert.match(page.text, /Erase/);
  await world.platform.db.run(
    sql`update sessions set authenticated_at = now() - interval '20 minutes' where user_id = ${world.ids.ada}`,
  );
  const refused = await ada.submit(`/admin/users/${world.ids.stan}/erase`, {}, "/admin/users");
  assert.deepEqual([refused.status, refused.location], [303, "/users/prove"]);
  assert.equal((await world.call("/api/v4/users/stan", { as: "ada" })).status, 200);
  assert.equal((await ada.submit("/users/prove", { password: PASSWORD })).status, 303);
  const done = await ada.submit(`/admin/users/${world.ids.stan}/erase`, {}, "/admin/users");
  assert.equal(done.status, 303, done.text);
  assert.equal((await world.call("/api/v4/users/stan", { as: "ada" })).status, 404);
});

test("erasing a user deletes invitations to their email address, compared case-insensitively (decisions 0104, 0111)", async () => {
  const person = { username: "wren", name: "Wren", email: "Wren@Example.org", password: PASSWORD };
  const { status, json, text } = await world.call("/api/v4/users", { as: "ada", json: person });
  assert.equal(status, 201, text);
  const invitations = "/api/v4/projects/acme%2Frocket/invitations";
  for (const email of ["wren@example.ORG", "wrens@example.org"]) {
    const invited = await world.call(invitations, { as: "max", json: { email, access_level: 30 } });
    assert.equal(invited.status, 201, invited.text);
  }
  assert.equal((await remove(json.id, "ada", "?erase=true")).status, 204);
  const left = (await world.call(invitations, { as: "max" })).json;
  assert.deepEqual(
    left.map(({ invite_email }: { invite_email: string }) => invite_email),
    ["wrens@example.org"],
  );
});

test("erasing a user deletes the mails to their address and the failed sign-ins under their names, of nobody else (decision 0104)", async () => {
  const person = { username: "finch", name: "Finch", email: "Finch@Example.org", password: PASSWORD };
  const { status, json, text: why } = await world.call("/api/v4/users", { as: "ada", json: person });
  assert.equal(status, 201, why);
  const mails = ["finch@example.ORG", "finches@example.org"].map((to) => {
    return { channel: "mail", to, subject: "News", text: `For ${to}` } as const;
  });
  const { db } = world.platform;
  await db.transaction((tx) => enqueue(tx, mails));
  const visitor = new Visitor(world.url);
  const logins = ["finch", "finch@example.org", "finches"];
  for (const username of ["FINCH", ...logins.slice(1)])
    await visitor.submit("/users/sign_in", { username, password: "a wrong passphrase" });
  const kept = async () => {
    const rows = await db.many(
      row({ name: text }),
      sql`select target as name from outbox_deliveries where target ilike 'finch%'
        union all select name from sign_in_failures, unnest(${logins}::text[]) name where login = counted_login(name)
        order by 1`,
    );
    return rows.map(({ name }) => name);
  };
  assert.equal((await kept()).length, 5);
  assert.equal((await remove(json.id, "ada", "?erase=true")).status, 204);
  assert.deepEqual(await kept(), ["finches", "finches@example.org"]);
});
