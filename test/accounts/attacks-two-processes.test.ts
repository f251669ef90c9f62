/** Two processes of the service on one database: a session ended by one is ended for the other. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { addressOf, freshDatabase } from "../support/database.ts";
import { withLongWaits } from "../support/failures.ts";
import { aService, type Service } from "../support/service.ts";
import { Visitor } from "../support/visitor.ts";

const PASSWORD = "correct horse battery staple";
let here: Service;
let there: Service;
let connection: Awaited<ReturnType<typeof freshDatabase>>;

before(async () => {
  connection = await freshDatabase();
  const environment = {
    DATABASE_URL: addressOf(connection),
    GATEHOUSE_MASTER_KEY: "ab".repeat(32),
    GATEHOUSE_WORKERS: "1",
  };
  here = await aService(environment);
  there = await aService(environment);
  await here.start();
  await there.start();
});

async function api(service: Service, path: string, json?: object) {
  const reply = await fetch(`${service.url}/api/v4${path}`, {
    method: "POST",
    headers: { "private-token": service.token, "content-type": "application/json" },
    body: JSON.stringify(json ?? {}),
  });
  assert.equal(reply.status, 201, path);
  return (await reply.json()) as { id: number };
}

async function aPerson(username: string): Promise<number> {
  const fields = { username, name: username, email: `${username}@example.org`, password: PASSWORD };
  return (await api(here, "/users", fields)).id;
}

async function signedIn(service: Service, username: string): Promise<Visitor> {
  const visitor = new Visitor(service.url);
  const page = await visitor.submit("/users/sign_in", { username, password: PASSWORD });
  assert.equal(page.status, 303);
  return visitor;
}

/** The same session cookie, sent to the other process. */
function atOther(visitor: Visitor): Visitor {
  const other = new Visitor(there.url);
  other.setCookie("session", visitor.cookie("session") ?? "");
  return other;
}

const isIn = async (visitor: Visitor) => (await visitor.get("/profile/sessions")).status === 200;

test("a session created by one process is valid at the other, and signing out ends it at both (reference reliability S54)", async () => {
  await aPerson("paula");
  const visitor = await signedIn(here, "paula");
  const other = atOther(visitor);
  assert.equal(await isIn(other), true);
  await visitor.submit("/users/sign_out", {}, "/projects");
  assert.equal(await isIn(other), false);
});

test("a password change ends the user's other sessions at every process (reference reliability S54)", async () => {
  await aPerson("petra");
  const thief = await signedIn(there, "petra");
  const owner = await signedIn(here, "petra");
  assert.equal(await isIn(thief), true);
  const next = "another long passphrase";
  const changed = await owner.submit("/profile/password", { current_password: PASSWORD, password: next });
  assert.equal(changed.status, 303);
  assert.equal(await isIn(thief), false);
  assert.equal(await isIn(owner), true);
  assert.equal(await isIn(atOther(owner)), true);
});

test("a user blocked through one process is signed out at the other at once (reference reliability S54)", async () => {
  const id = await aPerson("pia");
  const visitor = await signedIn(there, "pia");
  assert.equal(await isIn(visitor), true);
  await api(here, `/users/${id}/block`);
  assert.equal(await isIn(visitor), false);
  const again = new Visitor(there.url);
  const refused = await again.submit("/users/sign_in", { username: "pia", password: PASSWORD });
  assert.equal(refused.status, 422);
});

test("an administrator role revoked through one process is gone at the other (reference reliability S54)", async () => {
  const root = await signedIn(here, "root");
  const id = await aPerson("pola");
  await root.get("/admin/users");
  assert.equal((await root.post(`/admin/users/${id}/make_admin`, {})).status, 303);
  const pola = await signedIn(there, "pola");
  assert.equal((await pola.get("/admin/users")).status, 200);
  await root.get("/admin/users");
  assert.equal((await root.post(`/admin/users/${id}/end_admin`, {})).status, 303);
  assert.equal((await pola.get("/admin/users")).location, "/users/sign_in");
  assert.equal((await (await signedIn(there, "pola")).get("/admin/users")).status, 404);
});

test("processes share the count of wrong passwords (reference oauth D52)", async () => {
  await aPerson("pepe");
  const waits: (string | null)[] = [];
  await withLongWaits({ connection }, async () => {
    for (const service of [here, there, here, there, here]) {
      const visitor = new Visitor(service.url);
      const fields = { username: "pepe", password: "wrong wrong wrong" };
      const page = await visitor.submit("/users/sign_in", fields);
      assert.equal(page.status, 422);
      waits.push(page.headers.get("retry-after"));
    }
  });
  assert.deepEqual(waits.slice(0, 4), [null, null, null, null]);
  assert.ok(Number(waits[4]) >= 1, `${waits[4]}`);
});
