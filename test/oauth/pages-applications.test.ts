/** `/profile/applications`: registering, editing, renewing and deleting applications, and revoking authorized ones. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { digest } from "../../src/platform/secret.ts";
import { sql } from "../../src/platform/sql.ts";
import {
  aCode,
  anApplication,
  authorizePath,
  aVisitor,
  exchange,
  hiddenFields,
  refresh,
  signedIn,
  type Visitor,
} from "../support/oauth.ts";
import { offeredBy } from "../support/page-forms.ts";
import { PASSWORD, type Person, startWorld, type World } from "../support/world.ts";

const HOME = "/profile/applications";
let world: World;
let olga: Visitor;
let dev: Visitor;

before(async () => {
  world = await startWorld();
  olga = await signedIn(world, "olga");
  dev = await signedIn(world, "dev");
});

async function csrfOf(visitor: Visitor): Promise<string> {
  return hiddenFields((await visitor.get(HOME)).text, HOME).csrf_token ?? "";
}

/** Posts a form in which a field may occur several times. */
async function send(visitor: Visitor, path: string, fields: [string, string][]) {
  const all = [["csrf_token", await csrfOf(visitor)], ...fields];
  return visitor.post(path, all as unknown as Record<string, string>);
}

/** Makes the person's last authentication too old for sensitive actions. */
async function aged(person: Person): Promise<void> {
  await world.platform.db.run(
    sql`update sessions set authenticated_at = now() - interval '20 minutes' where user_id = ${world.ids[person]}`,
  );
}

/** Enters the password on the page that asks for it again; returns the location of the redirect. */
async function proven(visitor: Visitor): Promise<string> {
  const proof = hiddenFields((await visitor.get("/users/prove")).text, "/users/prove");
  const reply = await visitor.post("/users/prove", { ...proof, password: PASSWORD });
  return reply.headers.get("location") ?? "";
}

const fields: [string, string][] = [
  ["name", "Pilot roster"],
  ["redirect_uri", "https://roster.example.net/callback\r\nhttp://127.0.0.1:4000/callback"],
  ["scopes", "read_user"],
  ["scopes", "profile"],
  ["grant_types", "authorization_code"],
  ["grant_types", "refresh_token"],
  ["confidential", "1"],
];

test("a person registers an application and sees its id and secret once (spec: Application 1; spec: Application 2; spec: Application 3)", async () => {
  const made = await send(olga, HOME, fields);
  assert.equal(made.status, 303);
  const shown = await olga.get(HOME);
  assert.match(shown.text, /Pilot roster is ready/);
  const [, uid = ""] = /id="application-id"[^>]*>([0-9a-f]{64})</.exec(shown.text) ?? [];
  const [, secret = ""] = /id="client-secret"[^>]*>(gos_\w+)</.exec(shown.text) ?? [];
  assert.equal(shown.headers.get("cache-control"), "no-store");
  const again = await olga.get(HOME);
  assert.equal(again.text.includes(secret), false);
  assert.ok(again.text.includes("Pilot roster"));
  const application = { id: 0, uid, secret, redirectUri: "https://roster.example.net/callback", basic: "" };
  const issued = await exchange(world, application, await aCode(dev, application));
  assert.equal(issued.json.scope, "read_user profile", "without api: all registered scopes");
  const beyond = await dev.get(authorizePath(application, { scope: "api" }));
  assert.match(beyond.headers.get("location") ?? "", /error=invalid_scope/);
});

test("a form with errors comes back with the typed values and a message at each field (WCAG 3.3.1)", async () => {
  const wrong = await send(olga, HOME, [
    ["name", "Pilot <roster>"],
    ["redirect_uri", "https://fine.example/cb\njavascript:alert(1)"],
    ["grant_types", "implicit"],
    ["grant_types", "magic"],
  ]);
  assert.equal(wrong.status, 422);
  assert.match(wrong.text, /value="Pilot &lt;roster&gt;"/);
  assert.match(wrong.text, /Line 2 is forbidden by the server\./);
  assert.match(wrong.text, /The choice of scopes can&#39;t be blank\./);
  assert.match(wrong.text, /2 things need fixing/);
  assert.match(wrong.text, /name="grant_types" value="implicit" checked/);
  assert.doesNotMatch(wrong.text, /name="confidential" value="1" checked/);
});

test("only the owner can edit an application, renew its secret and delete it (reference oauth D79; S79)", async () => {
  const { id, uid, secret } = await anApplication(world);
  const page = `${HOME}/${id}`;
  for (const path of [page, `${page}/edit`]) {
    assert.equal((await olga.get(path)).status, 200);
    assert.equal((await dev.get(path)).status, 404);
    assert.equal((await aVisitor(world).get(path)).headers.get("location"), "/users/sign_in");
  }
  for (const path of [page, `${page}/renew_secret`, `${page}/delete`]) {
    assert.equal((await send(dev, path, fields)).status, 404, path);
    assert.equal((await olga.post(path, { name: "x" })).status, 403, path);
  }
  assert.equal((await send(olga, page, fields)).status, 303);
  const changed = await olga.get(page);
  assert.match(changed.text, /Application saved\./);
  assert.match(changed.text, /roster\.example\.net/);
  await send(olga, `${page}/renew_secret`, [["grace_seconds", "0"]]);
  const renewed = await olga.get(page);
  const [, next = ""] = /id="client-secret"[^>]*>(gos_\w+)</.exec(renewed.text) ?? [];
  assert.notEqual(next, secret);
  const form = { grant_type: "authorization_code", code: "x", redirect_uri: "x", client_id: uid };
  const tried = async (given: string) =>
    (await world.call("/oauth/token", { form: { ...form, client_secret: given } })).json.error;
  assert.equal(await tried(secret), "invalid_client");
  assert.equal(await tried(next), "invalid_grant");
  assert.equal((await send(olga, `${page}/delete`, [])).status, 303);
  assert.equal((await olga.get(page)).status, 404);
  assert.equal(await tried(next), "invalid_client");
});

test("the form cannot set trusted, uid or owner (reference oauth D80; S81)", async () => {
  const { id, uid } = await anApplication(world);
  await send(olga, `${HOME}/${id}`, [
    ...fields,
    ["trusted", "1"],
    ["uid", "f".repeat(64)],
    ["owner_id", String(world.ids.dev)],
  ]);
  const { findApplication } = await import("../../src/oauth/store.ts");
  const found = await findApplication(world.platform.db, id);
  assert.deepEqual([found?.trusted, found?.uid, found?.ownerId], [false, uid, world.ids.olga]);
});

/** The hidden fields of the form with this action, except its CSRF token. */
const unseenIn = (text: string, page: string): [string, string][] =>
  Object.entries(offeredBy(text).find(({ action }) => action === page)?.fields ?? {});

test("saving a form opened earlier does not restore scopes and grant types that were removed since (decision 0246)", async () => {
  const flows = ["authorization_code", "refresh_token", "implicit"] as const;
  const one = await anApplication(world, { scopes: ["read_user", "api"], grantTypes: flows });
  const page = `/profile/applications/${one.id}`;
  const stands: [string, string][] = [
    ["redirect_uri", one.redirectUri],
    ["scopes", "api"],
    ["scopes", "read_user"],
    ...flows.map((flow): [string, string] => ["grant_types", flow]),
    ["confidential", "1"],
  ];
  const kept = (text: string) => unseenIn(text, page);
  const now = async () => (await world.call(`/api/v4/applications/${one.id}`, { as: "ada" })).json;
  const opened = await olga.get(`${page}/edit`);
  const narrow = { scopes: "read_user", grant_types: ["authorization_code"] };
  await world.call(`/api/v4/applications/${one.id}`, { as: "ada", method: "PUT", json: narrow });
  const refused = await send(olga, page, [...kept(opened.text), ...stands, ["name", ""]]);
  assert.equal(refused.status, 422);
  assert.equal((await send(olga, page, [...kept(refused.text), ...stands, ["name", "Renamed"]])).status, 303);
  const { application_name: name, scopes, grant_types: grants } = await now();
  assert.deepEqual([name, scopes, grants], ["Renamed", ["read_user"], ["authorization_code"]]);
  // Changes made in the form are saved, whatever is stored by then.
  const again = await olga.get(`${page}/edit`);
  const wider = stands.filter(([, value]) => value !== "implicit");
  assert.equal((await send(olga, page, [...kept(again.text), ...wider, ["name", "Renamed"]])).status, 303);
  const after = await now();
  assert.deepEqual(
    [after.scopes, after.grant_types],
    [
      ["api", "read_user"],
      ["authorization_code", "refresh_token"],
    ],
  );
});

test("saving a form opened earlier does not restore trust that was withdrawn since (decision 0246)", async () => {
  const one = await anApplication(world, { owner: null, trusted: true, scopes: ["read_user"] });
  const page = `/admin/applications/${one.id}`;
  const ada = await signedIn(world, "ada");
  const stands: [string, string][] = [
    ["redirect_uri", one.redirectUri],
    ["scopes", "read_user"],
    ["grant_types", "authorization_code"],
    ["confidential", "1"],
  ];
  const [first, second] = [await ada.get(`${page}/edit`), await ada.get(`${page}/edit`)];
  const kept = (text: string) => unseenIn(text, page);
  const isTrusted = async () => /name="trusted"[^>]*\schecked/.test((await ada.get(`${page}/edit`)).text);
  assert.equal(await isTrusted(), true);
  const untrusted = await send(ada, page, [...kept(first.text), ...stands, ["name", "Desk"]]);
  assert.deepEqual([untrusted.status, untrusted.headers.get("location")], [303, page]);
  assert.equal(await isTrusted(), false);
  const other: [string, string][] = [...kept(second.text), ...stands, ["name", "Board"], ["trusted", "1"]];
  assert.equal((await send(ada, page, other)).status, 303);
  assert.equal(await isTrusted(), false);
});

test("scopes removed from an application are removed from its issued tokens at every endpoint (decision 0029; reference oauth D63)", async () => {
  const application = await anApplication(world);
  const tokens = async (scope: string) =>
    (await exchange(world, application, await aCode(dev, application, { scope }))).json;
  const wide = await tokens("api");
  const narrow = await tokens("profile read_user");
  const beyond = await tokens("api");
  await world.platform.db.run(
    sql`update access_tokens set scopes = '{write_events}' where digest = ${digest(beyond.access_token)}`,
  );
  const status = async (token: string, path: string) => (await world.call(path, { token })).status;
  assert.equal(await status(wide.access_token, "/api/v4/personal_access_tokens"), 200);
  await send(olga, `${HOME}/${application.id}`, fields);
  // What remains of `api` are the registered scopes that it includes.
  assert.equal(await status(wide.access_token, "/api/v4/user"), 200);
  assert.equal(await status(wide.access_token, "/api/v4/personal_access_tokens"), 403);
  assert.equal(await status(narrow.access_token, "/api/v4/user"), 200);
  assert.equal(await status(beyond.access_token, "/api/v4/user"), 401);
  const info = (token: string) => world.call("/oauth/token/info", { token });
  assert.deepEqual((await info(wide.access_token)).json.scope, ["read_user", "profile"]);
  assert.equal((await info(beyond.access_token)).status, 401);
  const asked = await world.call("/oauth/introspect", {
    form: { token: wide.access_token },
    headers: { authorization: application.basic },
  });
  assert.equal(asked.json.scope, "read_user profile");
  const again = await refresh(world, application, wide.refresh_token, { scope: "api" });
  assert.equal(again.json.error, "invalid_scope");
  const renewed = await refresh(world, application, wide.refresh_token);
  assert.equal(renewed.json.scope, "read_user profile");
});

test("a person sees the authorized applications, and revoking one ends all its tokens and unredeemed codes (reference oauth A9, D16)", async () => {
  const gus = await signedIn(world, "gus");
  const application = await anApplication(world, { name: "Quayside reports" });
  assert.match((await gus.get(HOME)).text, /No application acts for you/);
  const issued = await exchange(world, application, await aCode(gus, application));
  const waiting = await aCode(gus, application);
  const list = await gus.get(HOME);
  assert.match(list.text, /Quayside reports[\s\S]*by @olga/);
  assert.equal(list.text.includes(application.secret), false);
  assert.equal((await send(dev, `${HOME}/${application.id}/revoke`, [])).status, 404);
  assert.equal((await world.call("/api/v4/user", { token: issued.json.access_token })).status, 200);
  assert.equal((await send(gus, `${HOME}/${application.id}/revoke`, [])).status, 303);
  assert.equal((await world.call("/api/v4/user", { token: issued.json.access_token })).status, 401);
  assert.equal((await exchange(world, application, waiting)).json.error, "invalid_grant");
  assert.match((await gus.get(HOME)).text, /No application acts for you/);
});

test("revoking an application's access affects neither other applications nor other people (reference oauth A9, D16)", async () => {
  const [gus, rep] = [await signedIn(world, "gus"), await signedIn(world, "rep")];
  const [gone, kept] = [await anApplication(world), await anApplication(world)];
  const tokens: string[] = [];
  for (const [visitor, application] of [
    [gus, gone],
    [gus, kept],
    [rep, gone],
  ] as const) {
    const { json } = await exchange(world, application, await aCode(visitor, application));
    tokens.push(json.access_token);
  }
  assert.equal((await send(gus, `${HOME}/${gone.id}/revoke`, [])).status, 303);
  const statuses = [];
  for (const token of tokens) statuses.push((await world.call("/api/v4/user", { token })).status);
  assert.deepEqual(statuses, [401, 200, 200]);
  const asked = [gus.get(authorizePath(gone)), gus.get(authorizePath(kept)), rep.get(authorizePath(gone))];
  assert.deepEqual(
    (await Promise.all(asked)).map(({ status }) => status),
    [200, 303, 303],
    "only the person who revoked it is asked again, and only by this application",
  );
});

test("after the password check the form is prefilled with as many whole addresses as fit (decision 0047; reference oauth D4)", async () => {
  const callback = "https://roster.example.net/of/a/port/with/a/long/name/callback";
  for (const [many, padding, all] of [
    [40, 0, true],
    [50, 400, false],
  ] as const) {
    const typed = Array.from({ length: many }, (_, n) => `${callback}/${"p".repeat(padding)}${n}`);
    const stan = await signedIn(world, "stan");
    await aged("stan");
    const asked = await send(stan, HOME, [
      ["name", "Pilot roster"],
      ["redirect_uri", typed.join("\r\n")],
      ["post_logout_redirect_uris", typed.join("\r\n")],
      ["home_page", `https://roster.example.net/${"h".repeat(1000)}`],
      ["scopes", "read_user"],
      ["grant_types", "authorization_code"],
    ]);
    assert.equal(asked.headers.get("location"), "/users/prove");
    const page = await stan.get(await proven(stan));
    assert.equal(page.status, 200, page.text);
    const [, shown = ""] = /<textarea[^>]*name="redirect_uri"[^>]*>\n?([^<]*)</.exec(page.text) ?? [];
    const lines = shown.split(/\s+/).filter((line) => line !== "");
    assert.deepEqual(lines, typed.slice(0, lines.length), "no address is truncated");
    assert.ok(all ? lines.length === many : lines.length > 5, `${lines.length}`);
    assert.match(page.text, /value="Pilot roster"/);
  }
});

test("the chosen grace period of the old secret is kept across the password check (decision 0047; contract §4, secrets)", async () => {
  const { id } = await anApplication(world, { owner: "max" });
  const max = await signedIn(world, "max");
  await aged("max");
  const asked = await send(max, `${HOME}/${id}/renew_secret`, [["grace_seconds", "86400"]]);
  assert.equal(asked.headers.get("location"), "/users/prove");
  const page = await max.get(await proven(max));
  assert.match(page.text, /<option value="86400" selected>/);
  assert.match((await max.get(`${HOME}/${id}?grace_seconds=7`)).text, /<option value="0" selected>/);
});
