/** The applications API of the instance. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { aKey } from "../support/assertions.ts";
import { tokenCall } from "../support/oauth.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;

before(async () => {
  world = await startWorld();
});

const fields = { name: "Importer", redirect_uri: "https://app.example.org/cb", scopes: "api read_user" };
const create = (json: unknown) => world.call("/api/v4/applications", { as: "ada", json });

test("an administrator creates an application, and its secret is returned only in that response (contract §3; spec: Application 3; spec: Versioning 1)", async () => {
  const { status, json, headers } = await create({ ...fields, confidential: false });
  assert.equal(status, 201);
  assert.equal(headers.get("cache-control"), "no-store");
  assert.equal(json.application_name, "Importer");
  assert.match(json.application_id, /^[0-9a-f]{64}$/);
  assert.match(json.secret, /^gos_/);
  assert.equal(json.callback_url, fields.redirect_uri);
  assert.equal(json.confidential, false);
  assert.deepEqual(json.grant_types, ["authorization_code", "refresh_token"]);
  const list = await world.call("/api/v4/applications", { as: "ada" });
  assert.equal(list.status, 200);
  const found = list.json.find((one: { id: number }) => one.id === json.id);
  assert.equal(found.application_id, json.application_id);
  assert.equal(list.text.includes(json.secret), false);
  assert.equal("secret" in found, false);
  assert.equal(list.headers.get("x-total"), String(list.json.length));
});

test("grant types, several redirect URIs and omit_iss can be set (contract §3, §4)", async () => {
  const { status, json } = await create({
    ...fields,
    redirect_uri: "https://a.example/1\nhttps://a.example/2",
    grant_types: ["password", "urn:ietf:params:oauth:grant-type:device_code", "device_code"],
    omit_iss: true,
  });
  assert.equal(status, 201);
  assert.deepEqual(json.grant_types, ["password", "device_code"]);
  assert.equal(json.callback_url, "https://a.example/1\nhttps://a.example/2");
  assert.equal(json.omit_iss, true);
  const wrong = await create({ ...fields, grant_types: ["magic"] });
  assert.deepEqual([wrong.status, wrong.json], [400, { error: "grant_types does not have a valid value" }]);
});

test("an update keeps every field that it omits (contract §3)", async () => {
  const all = {
    ...fields,
    post_logout_redirect_uris: ["https://app.example.org/after"],
    backchannel_logout_uri: "https://app.example.org/backchannel",
    backchannel_logout_session_required: true,
    grant_types: ["authorization_code", "device_code"],
    home_page: "https://app.example.org/",
    omit_iss: true,
    require_pushed_authorization_requests: true,
    id_token_signed_response_alg: "ES256",
    dpop_bound_access_tokens: true,
    access_token_seconds: 600,
    refresh_idle_seconds: 7200,
    refresh_absolute_seconds: 86_400,
  };
  const { jwk } = aKey("ES256");
  for (const more of [{ trusted: true, jwks: { keys: [jwk] }, only_by_key: true }, { confidential: false }]) {
    const { status, json, text } = await create({ ...all, ...more });
    assert.equal(status, 201, text);
    const { secret: _, ...made } = json;
    const change = { as: "ada", method: "PUT", json: { name: "Renamed" } } as const;
    const changed = await world.call(`/api/v4/applications/${made.id}`, change);
    assert.deepEqual(changed.json, { ...made, application_name: "Renamed" });
    // Every field not listed here has a value other than its default, including fields added in future.
    const plain = (await create(fields)).json;
    const asPlain = Object.keys(made).filter((name) => isDeepStrictEqual(made[name], plain[name]));
    const others = "trusted" in more ? ["confidential"] : ["trusted", "jwks", "only_by_key"];
    const given = ["application_name", "callback_url", "scopes", "owner_id", "self_registered"];
    assert.deepEqual(asPlain.sort(), [...given, ...others].sort());
  }
});

test("null means the default when creating an application, and is an error in an update (contract §3; decision 0024)", async () => {
  const unset = { confidential: null, grant_types: null, trusted: null, omit_iss: null, home_page: null };
  const { status, json } = await create({ ...fields, ...unset });
  assert.equal(status, 201);
  assert.deepEqual(
    [json.confidential, json.trusted, json.omit_iss, json.home_page],
    [true, false, false, ""],
  );
  assert.deepEqual(json.grant_types, ["authorization_code", "refresh_token"]);
  const changed = await world.call(`/api/v4/applications/${json.id}`, {
    as: "ada",
    method: "PUT",
    json: { confidential: null },
  });
  assert.deepEqual([changed.status, changed.json], [400, { error: "confidential is invalid" }]);
  for (const name of ["name", "redirect_uri", "scopes"]) {
    assert.equal((await create({ ...fields, [name]: null })).status, 400, name);
  }
});

test("missing and invalid fields are reported in GitLab's format (reference oauth A9)", async () => {
  for (const [json, expected] of [
    [{ ...fields, name: undefined }, { error: "name is missing" }],
    [{ ...fields, redirect_uri: undefined }, { error: "redirect_uri is missing" }],
    [{ ...fields, scopes: undefined }, { error: "scopes is missing, scopes is empty" }],
    [{ ...fields, scopes: "" }, { error: "scopes is empty" }],
    [{ ...fields, scopes: [] }, { error: "scopes is empty" }],
    [{ ...fields, scopes: ["api", " "] }, { error: "scopes is empty" }],
    ...[5, null, {}, true, ["api", 5], [["api"]]].map((scopes) => [
      { ...fields, scopes },
      { error: "scopes is invalid" },
    ]),
    [{ ...fields, redirect_uri: "http://" }, { message: { redirect_uri: ["must be a valid URI."] } }],
    [{ ...fields, redirect_uri: "" }, { message: { redirect_uri: ["can't be blank"] } }],
    [
      { ...fields, redirect_uri: "javascript:alert(1)" },
      { message: { redirect_uri: ["is forbidden by the server."] } },
    ],
    ...["root", ["root"], ["api", "root"]].map((scopes) => [
      { ...fields, scopes },
      { message: { scopes: ["doesn't match configured on the server."] } },
    ]),
  ]) {
    const reply = await create(json);
    assert.equal(reply.status, 400, reply.text);
    assert.deepEqual(reply.json, expected);
  }
});

test("scopes are accepted as text and as a list, in JSON and in forms (contract §3; reference oauth A9)", async () => {
  const { scopes, ...rest } = fields;
  const listed = await create({ ...rest, scopes: ["api", "read_user"] });
  assert.deepEqual([listed.status, listed.json.scopes], [201, ["api", "read_user"]]);
  const form = (...members: [string, string][]) =>
    world.call("/api/v4/applications", { as: "ada", form: [...Object.entries(rest), ...members] });
  for (const members of [
    [["scopes", scopes]],
    [
      ["scopes[]", "api"],
      ["scopes[]", "read_user"],
    ],
  ] as [string, string][][]) {
    const { status, json } = await form(...members);
    assert.deepEqual([status, json.scopes], [201, ["api", "read_user"]], JSON.stringify(members));
  }
  assert.deepEqual((await form(["scopes[]", "openid"])).json.scopes, ["openid"]);
  assert.deepEqual((await form(["scopes", ""])).json, { error: "scopes is empty" });
  const path = `/api/v4/applications/${listed.json.id}`;
  for (const [said, now] of [
    [{ scopes: ["openid", "profile"] }, ["openid", "profile"]],
    [{ name: "Importer 3" }, ["openid", "profile"]],
    [{ scopes: "read_api" }, ["read_api"]],
  ])
    assert.deepEqual((await world.call(path, { as: "ada", method: "PUT", json: said })).json.scopes, now);
  const wrong = await world.call(path, { as: "ada", method: "PUT", json: { scopes: [] } });
  assert.deepEqual([wrong.status, wrong.json], [400, { error: "scopes is empty" }]);
});

test("GitLab's scopes for repositories and registries are ignored beside others, and rejected alone (reference oauth A11; decision 0123)", async () => {
  const both = ["repository", "registry", "virtual_registry"].flatMap((what) => [
    `read_${what}`,
    `write_${what}`,
  ]);
  for (const scopes of [["api", ...both], ["api", ...both].join(" ")]) {
    const made = await create({ ...fields, scopes });
    assert.deepEqual([made.status, made.json.scopes], [201, ["api"]], made.text);
  }
  for (const scopes of [both, ["api", "read_repositories"]]) {
    const { status, json } = await create({ ...fields, scopes });
    assert.deepEqual(
      [status, json],
      [400, { message: { scopes: ["doesn't match configured on the server."] } }],
    );
  }
});

test("only administrators with scope api can use the applications API, and read-only fields are ignored (reference oauth D80; S81)", async () => {
  assert.equal((await world.call("/api/v4/applications")).status, 401);
  assert.equal((await world.call("/api/v4/applications", { as: "olga" })).status, 403);
  const token = await world.tokenOf("ada", "read_api");
  assert.equal((await world.call("/api/v4/applications", { token })).status, 403);
  const made = await create({
    ...fields,
    owner_id: world.ids.dev,
    uid: "x",
    secret: "chosen",
  });
  assert.equal(made.json.owner_id, null);
  assert.notEqual(made.json.application_id, "x");
  assert.notEqual(made.json.secret, "chosen");
  assert.equal(made.json.trusted, false);
});

async function provenWith(uid: string, secret: string): Promise<boolean> {
  const reply = await tokenCall(world, {
    grant_type: "authorization_code",
    code: "x",
    redirect_uri: "x",
    client_id: uid,
    client_secret: secret,
  });
  return reply.json.error !== "invalid_client";
}

test("renewing a secret invalidates the old one at once, or after grace_seconds (contract §4, secrets; reference oauth D34)", async () => {
  const { json } = await create(fields);
  const { json: other } = await create(fields);
  const renew = (body: unknown) =>
    world.call(`/api/v4/applications/${json.id}/renew-secret`, { as: "ada", method: "POST", json: body });
  const second = await renew({});
  assert.equal(second.status, 200);
  assert.match(second.json.secret, /^gos_/);
  assert.equal(second.headers.get("cache-control"), "no-store");
  assert.equal(await provenWith(json.application_id, json.secret), false);
  assert.equal(await provenWith(json.application_id, second.json.secret), true);
  const third = await renew({ grace_seconds: 3600 });
  assert.equal(await provenWith(json.application_id, second.json.secret), true);
  assert.equal(await provenWith(json.application_id, third.json.secret), true);
  assert.equal(
    await provenWith(json.application_id, json.secret),
    false,
    "a grace period does not revive expired secrets",
  );
  const fourth = await world.call(`/api/v4/applications/${json.id}/renew-secret`, {
    as: "ada",
    method: "POST",
  });
  assert.equal(await provenWith(json.application_id, third.json.secret), false);
  assert.equal(await provenWith(json.application_id, fourth.json.secret), true);
  for (const grace_seconds of [-1, 86_401, 1.5, "10"])
    assert.equal((await renew({ grace_seconds })).status, 400);
  assert.equal(
    await provenWith(other.application_id, other.secret),
    true,
    "another application's secret is unaffected",
  );
});

test("an update that omits confidential leaves a public application public (contract §3)", async () => {
  const { json } = await create({ ...fields, confidential: false });
  const change = (said: unknown) =>
    world.call(`/api/v4/applications/${json.id}`, { as: "ada", method: "PUT", json: said });
  const renamed = await change({ name: "Importer 2" });
  assert.deepEqual([renamed.json.application_name, renamed.json.confidential], ["Importer 2", false]);
  assert.equal((await change({ confidential: true })).json.confidential, true);
});

test("a deleted application no longer authenticates, and unknown ids are 404 (contract §3)", async () => {
  const { json } = await create(fields);
  const remove = (id: unknown) => world.call(`/api/v4/applications/${id}`, { as: "ada", method: "DELETE" });
  assert.equal((await remove(json.id)).status, 204);
  assert.equal(await provenWith(json.application_id, json.secret), false);
  for (const id of [json.id, 0, -1, "x", "9".repeat(30), json.application_id]) {
    const missing = await remove(id);
    assert.equal(missing.status, 404, String(id));
    assert.deepEqual(missing.json, { message: "404 Application Not Found" });
  }
});
