/** Applications of groups and of the instance: who sees them, who changes them, and which fields a form cannot set. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { row, text as textual } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import {
  anApplication,
  authorizePath,
  decide,
  hiddenFields,
  signedIn,
  tokenCall,
  type Visitor,
} from "../support/oauth.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

const GROUP = "/groups/acme/-/settings/applications";
const ADMIN = "/admin/applications";
let world: World;
const people = {} as Record<Person, Visitor>;

before(async () => {
  world = await startWorld();
  for (const name of ["ada", "olga", "max", "dev"] as const) people[name] = await signedIn(world, name);
});

const fields = {
  name: "Night shift",
  redirect_uri: "https://shift.example.org/cb",
  scopes: "read_user",
  grant_types: "authorization_code",
  confidential: "1",
};

async function csrf(visitor: Visitor): Promise<string> {
  return hiddenFields((await visitor.get("/profile/applications")).text).csrf_token ?? "";
}

const send = async (visitor: Visitor, path: string, form: Record<string, string>) =>
  visitor.post(path, { csrf_token: await csrf(visitor), ...form });

/** The id of the application with this name in the list at this path. */
async function numberOf(visitor: Visitor, home: string, name: string): Promise<string> {
  const { text } = await visitor.get(home);
  return new RegExp(`href="[^"]*/applications/(\\d+)">${name}<`).exec(text)?.[1] ?? "";
}

test("owners of a group register and manage its applications together; to everybody else the applications do not exist (D79, D82)", async () => {
  const made = await send(people.olga, GROUP, {
    ...fields,
    trusted: "1",
    uid: "f".repeat(64),
    secret: "chosen",
    owner_id: String(world.ids.dev),
  });
  assert.equal(made.status, 303, made.text);
  const shown = await people.olga.get(GROUP);
  assert.match(shown.text, /Night shift is ready/);
  const [, uid = ""] = /id="application-id"[^>]*>([0-9a-f]{64})</.exec(shown.text) ?? [];
  const id = await numberOf(people.olga, GROUP, "Night shift");
  assert.match((await people.olga.get("/acme")).text, new RegExp(`href="${GROUP}"`));
  assert.equal((await people.dev.get("/acme")).text.includes(GROUP), false);
  const record = (await world.call(`/api/v4/applications/${id}`, { as: "ada" })).json;
  assert.deepEqual([record.owner_id, record.trusted], [null, false]);
  assert.notEqual(record.application_id, "f".repeat(64));
  for (const path of [
    GROUP,
    `${GROUP}/${id}`,
    `${GROUP}/${id}/edit`,
    `${GROUP}/${id}/events`,
    `${GROUP}/${id}/usage`,
  ]) {
    assert.equal((await people.olga.get(path)).status, 200, path);
    // The existence of the settings page is no secret; that of an application is.
    for (const name of ["max", "dev"] as const)
      assert.equal((await people[name].get(path)).status, path === GROUP ? 403 : 404, path);
  }
  for (const path of [GROUP, `${GROUP}/${id}`, `${GROUP}/${id}/renew_secret`, `${GROUP}/${id}/delete`]) {
    assert.equal((await send(people.max, path, fields)).status, path === GROUP ? 403 : 404, path);
  }
  assert.equal(
    (await people.olga.get(`/profile/applications/${id}`)).status,
    404,
    "it is not an application of the user",
  );
  assert.equal((await people.olga.get(`/groups/free/-/settings/applications/${id}`)).status, 404);
  assert.equal((await people.olga.get("/groups/absent/-/settings/applications")).status, 404);
  const question = await people.dev.get(authorizePath({ uid, redirectUri: fields.redirect_uri }));
  assert.match(question.text, /Made by the group <a href="\/acme">acme<\/a>[\s\S]*Unverified/);
  await world.platform.db.run(
    sql`insert into members (namespace_id, user_id, access_level)
      select id, ${world.ids.max}, 50 from namespaces where full_path = 'acme'
      on conflict (namespace_id, user_id) where namespace_id is not null do update set access_level = 50`,
  );
  assert.equal((await people.max.get(`${GROUP}/${id}`)).status, 200);
  assert.equal((await send(people.max, `${GROUP}/${id}/delete`, {})).status, 303);
  assert.equal((await people.olga.get(`${GROUP}/${id}`)).status, 404);
});

test("the list of authorized applications says whether a group, a person or the administrators own each one (D79)", async () => {
  const ofGroup = await anApplication(world, { name: "Of a group", owner: null });
  await world.platform.db.run(
    sql`update applications set owner_group_id = (select id from namespaces where full_path = 'acme')
      where id = ${ofGroup.id}`,
  );
  const others = [
    await anApplication(world, { name: "Of a person" }),
    await anApplication(world, { name: "Of the instance", owner: null }),
  ];
  for (const application of [ofGroup, ...others]) await decide(people.max, authorizePath(application));
  const { text } = await people.max.get("/profile/applications");
  const makers = [...text.matchAll(/<strong[^>]*>(Of [^<]*)<\/strong><br><span[^>]*>([^<]*)</g)];
  assert.deepEqual(Object.fromEntries(makers.map(([, name, maker]) => [name, maker])), {
    "Of a group": "by the group acme",
    "Of a person": "by @olga",
    "Of the instance": "by the administrators",
  });
});

test("a membership as owner that has expired, or one as maintainer, gives no access to the group's applications (D82; reference reliability S82)", async () => {
  const until = async (days: number) => {
    await world.platform.db.run(
      sql`update members set expires_at = now() + make_interval(days => ${days}::integer)
        where user_id = ${world.ids.dev} and namespace_id is not null`,
    );
    return (await people.dev.get(GROUP)).status;
  };
  const json = { user_id: world.ids.dev, access_level: 50 };
  await world.call("/api/v4/groups/acme/members", { as: "olga", json });
  await send(people.olga, GROUP, { ...fields, name: "Day shift" });
  const one = `${GROUP}/${await numberOf(people.olga, GROUP, "Day shift")}`;
  assert.deepEqual([await until(1), (await people.dev.get(one)).status], [200, 200]);
  assert.deepEqual([await until(-1), (await people.dev.get(one)).status], [403, 404]);
  await until(1);
  const at = `/api/v4/groups/acme/members/${world.ids.dev}`;
  await world.call(at, { as: "olga", method: "PUT", json: { access_level: 40 } });
  assert.deepEqual([(await people.dev.get(GROUP)).status, (await people.dev.get(one)).status], [403, 404]);
  await world.call(at, { as: "olga", method: "DELETE" });
});

test("a subgroup has its own applications page, and owners inherited from parent groups can open it (decision 0081)", async () => {
  const acme = (await world.call("/api/v4/groups/acme", { as: "olga" })).json;
  await world.call("/api/v4/groups", { as: "olga", json: { name: "Sub", path: "sub", parent_id: acme.id } });
  const led = await people.olga.get("/groups/acme/sub/-/settings/applications");
  assert.equal(led.headers.get("location"), "/groups/acme%2Fsub/-/settings/applications");
  const page = await people.olga.get(led.headers.get("location") ?? "");
  assert.equal(page.status, 200);
  assert.match(page.text, /href="\/groups">Groups<[\s\S]*href="\/acme\/sub">Sub<[\s\S]*aria-current="page"/);
  // Sub is private, and dev is not a member.
  assert.equal((await people.dev.get("/groups/acme%2Fsub/-/settings/applications")).status, 404);
});

test("a group's settings pages are 403 for those who see it without owning it, 404 for those who cannot see it (D82; contract §4, visibility)", async () => {
  const acme = (await world.call("/api/v4/groups/acme", { as: "olga" })).json;
  const json = { name: "Hidden", path: "hidden", parent_id: acme.id, visibility: "private" };
  await world.call("/api/v4/groups", { as: "olga", json });
  for (const page of ["", "/move", "/applications"]) {
    const statuses = [];
    for (const group of ["acme", "acme%2Fhidden", "absent"]) {
      statuses.push((await people.dev.get(`/groups/${group}/-/settings${page}`)).status);
    }
    assert.deepEqual(statuses, [403, 404, 404], page);
  }
  const hidden = "/groups/acme%2Fhidden/-/settings/applications";
  assert.equal((await people.olga.get(hidden)).status, 200);
  // Removal of the group has begun (decision 0152).
  await world.platform.db.run(
    sql`update namespaces set removal_began_at = now() where full_path = 'acme/hidden'`,
  );
  assert.equal((await people.olga.get(hidden)).status, 404);
});

test("administrators manage the instance's applications and everybody's, and only they can mark one as trusted (reference oauth A9, D80)", async () => {
  assert.equal((await people.olga.get(ADMIN)).status, 404);
  assert.equal((await send(people.olga, ADMIN, fields)).status, 404);
  const open = await send(people.ada, ADMIN, { ...fields, confidential: "", trusted: "1" });
  assert.equal(open.status, 422);
  assert.match(open.text, /Trust is for confidential applications alone/);
  assert.equal((await send(people.ada, ADMIN, { ...fields, name: "Payroll", trusted: "1" })).status, 303);
  const id = await numberOf(people.ada, ADMIN, "Payroll");
  const record = (await world.call(`/api/v4/applications/${id}`, { as: "ada" })).json;
  assert.deepEqual([record.owner_id, record.trusted], [null, true]);
  const own = await anApplication(world, { name: "Olgas own" });
  assert.equal(await numberOf(people.ada, ADMIN, "Olgas own"), "");
  assert.equal(await numberOf(people.ada, `${ADMIN}?of=everybody&search=olga`, "Olgas own"), String(own.id));
  assert.equal((await send(people.ada, `${ADMIN}/${own.id}`, { ...fields, trusted: "1" })).status, 303);
  const trusted = async () =>
    (await world.call(`/api/v4/applications/${own.id}`, { as: "ada" })).json.trusted;
  assert.equal(await trusted(), true);
  const page = `/profile/applications/${own.id}`;
  assert.equal((await send(people.olga, page, { ...fields, name: "Mine" })).status, 303);
  assert.equal(await trusted(), true, "the owner can neither set nor unset trusted");
  assert.equal((await send(people.olga, page, { ...fields, confidential: "" })).status, 303);
  assert.equal(await trusted(), false, "a public application is never trusted");
  assert.equal((await send(people.ada, `${ADMIN}/${id}/delete`, {})).status, 303);
});

test("an owner who gives a trusted application another scope, redirect URI or flow ends the trust, and people are asked again; administrators keep it (decision 0296)", async () => {
  const trusted = { scopes: ["read_api"], redirectUris: [fields.redirect_uri], trusted: true };
  const flow = { grantTypes: ["authorization_code"] as const };
  const stands = { ...fields, scopes: "read_api" };
  const now = async (id: number) => (await world.call(`/api/v4/applications/${id}`, { as: "ada" })).json;
  for (const [what, change, isTrusted] of [
    ["another name", { name: "Renamed", home_page: "https://shift.example.org" }, true],
    ["a scope that the old one includes", { scopes: "read_user" }, true],
    ["another scope", { scopes: "api" }, false],
    ["another redirect URI", { redirect_uri: `${stands.redirect_uri}\r\nhttps://evil.example/cb` }, false],
    ["another flow", { grant_types: "password" }, false],
  ] as const) {
    const one = await anApplication(world, { ...trusted, ...flow });
    const page = `/profile/applications/${one.id}`;
    assert.match(
      (await people.olga.get(`${page}/edit`)).text,
      /redirect URI or flow it is no longer trusted/,
    );
    assert.equal((await send(people.olga, page, { ...stands, ...change })).status, 303, what);
    assert.equal((await now(one.id)).trusted, isTrusted, what);
    const said = (await people.olga.get(page)).text;
    assert.equal(/It is no longer trusted: people are asked for consent/.test(said), !isTrusted, what);
    const entry = await world.platform.db.one(
      row({ trust: textual }),
      sql`select coalesce(details->>'trust', 'kept') as trust from audit_entries
        where action = 'application_changed' and details->>'uid' = ${one.uid}`,
    );
    assert.equal(entry.trust, isTrusted ? "kept" : "ended", what);
  }

  const own = await anApplication(world, { ...trusted, ...flow });
  const asked = authorizePath(own, { scope: "api", redirect_uri: "https://evil.example/cb" });
  const wider = { ...stands, scopes: "api", redirect_uri: "https://evil.example/cb" };
  assert.equal((await people.max.get(authorizePath(own, { scope: "read_api" }))).status, 303, "not asked");
  await send(people.olga, `/profile/applications/${own.id}`, wider);
  const question = await people.max.get(asked);
  assert.deepEqual([question.status, question.headers.get("location")], [200, null], "asked");

  const kept = await anApplication(world, { ...trusted, ...flow });
  await send(people.ada, `${ADMIN}/${kept.id}`, { ...wider, trusted: "1" });
  assert.deepEqual([(await now(kept.id)).trusted, (await now(kept.id)).scopes], [true, ["api"]]);
  const json = { scopes: "api read_user", redirect_uri: "https://other.example/cb" };
  await world.call(`/api/v4/applications/${kept.id}`, { as: "ada", method: "PUT", json });
  assert.equal((await now(kept.id)).trusted, true);
});

test("the API updates an application, rejects an update with an invalid field as a whole, and is for administrators only (contract §3; reference oauth A9)", async () => {
  const made = (
    await world.call("/api/v4/applications", {
      as: "ada",
      json: { name: "Tool", redirect_uri: "https://tool.example/cb", scopes: "read_user" },
    })
  ).json;
  const put = (json: unknown, as: Person = "ada") =>
    world.call(`/api/v4/applications/${made.id}`, { as, method: "PUT", json });
  const changed = await put({ name: "Tool 2", omit_iss: true });
  assert.equal(changed.status, 200, changed.text);
  assert.deepEqual(
    [changed.json.application_name, changed.json.omit_iss, changed.json.callback_url],
    ["Tool 2", true, "https://tool.example/cb"],
  );
  assert.equal("secret" in changed.json, false);
  assert.deepEqual((await put({ name: "Tool 3", omit_iss: false, redirect_uri: "javascript:x" })).json, {
    message: { redirect_uri: ["is forbidden by the server."] },
  });
  const kept = (await world.call(`/api/v4/applications/${made.id}`, { as: "ada" })).json;
  assert.deepEqual(
    [kept.application_name, kept.omit_iss, kept.callback_url],
    ["Tool 2", true, "https://tool.example/cb"],
  );
  assert.equal((await put({ trusted: true })).json.trusted, true);
  assert.equal((await put({ name: "x" })).json.trusted, true);
  assert.equal((await put({ confidential: false })).json.trusted, false);
  assert.equal((await put({}, "olga")).status, 403);
  assert.equal((await world.call("/api/v4/applications/99999999", { as: "ada" })).status, 404);
});

test("after a secret rotation the page shows both client secrets and when the old one expires (reference ux §6)", async () => {
  const { id, uid, secret } = await anApplication(world);
  const page = `/profile/applications/${id}`;
  assert.match((await people.olga.get(page)).text, /valid until you renew it/);
  await send(people.olga, `${page}/renew_secret`, { grace_seconds: "3600" });
  const shown = await people.olga.get(page);
  assert.match(shown.text, /Client secrets: 2 are valid/);
  assert.match(shown.text, /The one before the newest ends at once\./);
  assert.match(shown.text, /Before it[\s\S]*valid until <time/);
  const form = { grant_type: "refresh_token", refresh_token: "x", client_id: uid, client_secret: secret };
  assert.equal((await tokenCall(world, form)).json.error, "invalid_grant", "the old secret is still valid");
});

test("creating an application, renewing its secret and deleting it ask for the password again after 20 minutes, and keep the typed fields (decision 0047)", async () => {
  const { id } = await anApplication(world);
  const page = `/profile/applications/${id}`;
  await world.platform.db.run(
    sql`update sessions set authenticated_at = now() - interval '20 minutes' where user_id = ${world.ids.olga}`,
  );
  for (const path of [`${page}/renew_secret`, `${page}/delete`, "/profile/applications"]) {
    assert.equal((await send(people.olga, path, fields)).headers.get("location"), "/users/prove", path);
  }
  assert.equal((await people.olga.get(page)).status, 200, "not deleted");
  assert.equal((await send(people.olga, page, fields)).status, 303, "an update needs no password");
  const kept =
    "/profile/applications?name=Night+shift&redirect_uri=https%3A%2F%2Fshift.example.org%2Fcb&scopes=read_user";
  const form = (await people.olga.get(kept)).text;
  assert.match(form, /value="Night shift"/);
  assert.match(form, /name="scopes" value="read_user" checked/);
});

test("registering, changing, renewing and deleting an application by page or API are in the audit log, without the secret (reference oauth D89)", async () => {
  const olga = await signedIn(world, "olga");
  const home = "/profile/applications";
  assert.equal((await send(olga, home, { ...fields, name: "Logged" })).status, 303);
  const id = await numberOf(olga, home, "Logged");
  const { uid } = await world.platform.db.one(
    row({ uid: textual }),
    sql`select uid from applications where id = ${Number(id)}`,
  );
  assert.equal((await send(olga, `${home}/${id}`, { ...fields, name: "Logged 2" })).status, 303);
  const at = `/api/v4/applications/${id}`;
  const changed = await world.call(at, { as: "ada", method: "PUT", json: { name: "Logged 3" } });
  assert.equal(changed.status, 200, changed.text);
  assert.equal((await send(olga, `${home}/${id}/renew_secret`, { grace_seconds: "0" })).status, 303);
  const renewed = await world.call(`${at}/renew-secret`, { as: "ada", method: "POST" });
  assert.equal(renewed.status, 200, renewed.text);
  assert.equal((await world.call(at, { as: "ada", method: "DELETE" })).status, 204);
  const entries = await world.platform.db.many(
    row({ action: textual }),
    sql`select action from audit_entries where details->>'uid' = ${uid} order by id`,
  );
  assert.deepEqual(
    entries.map(({ action }) => action),
    [
      "application_created",
      ...["application_changed", "application_changed"],
      ...["secret_renewed", "secret_renewed"],
      "application_deleted",
    ],
  );
  const { text } = await people.ada.get("/admin/audit");
  for (const words of [
    "Registered an application",
    "Changed an application",
    "Renewed a client secret",
    "Deleted an application",
  ]) {
    // Matched by class, because the filter above the log names every action.
    assert.ok(text.includes(`class="title">${words}<`), words);
  }
  assert.doesNotMatch(text, /gos_/);
  assert.match(text, />Application ID [0-9a-f]{64}/);
  assert.match(text, />An application</);
});

test("no page names the private group that owns an application to people who cannot see the group (decision 0081; contract §4, visibility)", async () => {
  const group = { name: "Undercurrent", path: "undercurrent", visibility: "private" };
  const made = await world.call("/api/v4/groups", { as: "olga", json: group });
  assert.equal(made.status, 201, made.text);
  const application = await anApplication(world, {
    name: "Tidal",
    owner: null,
    grantTypes: ["authorization_code", "device_code"],
  });
  await world.platform.db.run(
    sql`update applications set owner_group_id = ${made.json.id} where id = ${application.id}`,
  );
  // Stan is a former member.
  const member = { user_id: world.ids.stan, access_level: 10 };
  await world.call(`/api/v4/groups/${made.json.id}/members`, { as: "olga", json: member });
  const left = await world.platform.db.run(
    sql`update members set expires_at = now() where user_id = ${world.ids.stan} and namespace_id = ${made.json.id}`,
  );
  assert.equal(left, 1);
  const stan = await signedIn(world, "stan");
  const asked = async (visitor: Visitor) => (await visitor.get(authorizePath(application))).text;
  const device = async (visitor: Visitor) => {
    const proof = { client_id: application.uid, client_secret: application.secret };
    const { user_code } = (await world.call("/oauth/authorize_device", { form: proof })).json;

    const { text } = await visitor.get("/oauth/device");
    return (await visitor.post("/oauth/device", { ...hiddenFields(text, "/oauth/device"), user_code })).text;
  };
  await decide(stan, authorizePath(application));
  const [question, atDevice, list] = [
    (await stan.get(`${authorizePath(application)}&prompt=consent`)).text,
    await device(stan),
    (await stan.get("/profile/applications")).text,
  ];
  for (const text of [question, atDevice]) {
    assert.match(text, /Made by a group of this Gatehouse[\s\S]*Unverified/);
  }
  assert.match(list, /Tidal<\/strong><br><span[^>]*>by a group of this Gatehouse</);
  for (const text of [question, atDevice, list]) assert.doesNotMatch(text, /undercurrent/i);
  // People who can see the group read its path: its owner, an administrator, and a member of a project below it.
  const made2 = { name: "Reef", namespace_id: made.json.id, visibility: "private" };
  const project = await world.call("/api/v4/projects", { as: "olga", json: made2 });
  await world.call(`/api/v4/projects/${project.json.id}/members`, {
    as: "olga",
    json: { user_id: world.ids.rep, access_level: 10 },
  });
  for (const person of ["olga", "ada", "rep"] as const) {
    const visitor = await signedIn(world, person);
    assert.match(await asked(visitor), /Made by the group <a href="\/undercurrent">/, person);
    assert.match(await device(visitor), /Made by the group <a href="\/undercurrent">/, person);
  }
  const opened = { as: "olga", method: "PUT", json: { visibility: "internal" } } as const;
  assert.equal((await world.call(`/api/v4/groups/${made.json.id}`, opened)).status, 200);
  assert.match((await stan.get("/profile/applications")).text, /by the group undercurrent/);
});
