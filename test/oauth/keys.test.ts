/**
 * The public keys of an application: who sets them, how they are shown and audited, and that private keys are rejected
 * (decision 0206).
 */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { calculateJwkThumbprint } from "jose";
import { flushRefusals } from "../../src/oauth/record-refusal.ts";
import { boolean, integer, jsonb, row, text } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { aKey, assertionForm, type Pair, setOf } from "../support/assertions.ts";
import { meanwhile } from "../support/meanwhile.ts";
import {
  anApplication,
  hiddenFields,
  signedIn,
  type TestApplication,
  type Visitor,
} from "../support/oauth.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let olga: Visitor;
const key = aKey("ES256", "first");
const second = aKey("EdDSA");
const HOME = "/profile/applications";

before(async () => {
  world = await startWorld();
  olga = await signedIn(world, "olga");
});

const thumbprint = ({ jwk }: Pair) => calculateJwkThumbprint(jwk);
const FIELDS = {
  name: "Night shift",
  redirect_uri: "https://shift.example.org/cb",
  scopes: "read_user",
  grant_types: "client_credentials",
  confidential: "1",
};
const send = async (path: string, more: Record<string, string>, by = olga) =>
  by.post(path, { ...hiddenFields((await by.get(HOME)).text), ...FIELDS, ...more });
const editing = ({ id }: { id: number }, more: Record<string, string>, by = olga) =>
  send(`${HOME}/${id}`, more, by);
const machine = (of: TestApplication, pair: Pair) =>
  world.call("/oauth/token", {
    form: { grant_type: "client_credentials", ...assertionForm(world, of, pair) },
  });
const put = ({ id }: { id: number }, json: Record<string, unknown>) =>
  world.call(`/api/v4/applications/${id}`, { as: "ada", method: "PUT", json });
const stored = ({ id }: { id: number }) =>
  world.platform.db.one(
    row({ jwks: text, onlyByKey: boolean }),
    sql`select jwks, only_by_key from applications where id = ${id}`,
  );
/** Audit entries about keys, newest first. */
const entries = () =>
  world.platform.db.many(
    row({ details: jsonb<Record<string, string>>(), actorId: integer }),
    sql`select details, actor_id from audit_entries where action = 'keys_changed' order by id desc`,
  );
const aged = () =>
  world.platform.db.run(
    sql`update sessions set authenticated_at = now() - interval '20 minutes' where user_id = ${world.ids.olga}`,
  );

test("an application registered with public keys by the form shows their thumbprints and authenticates by key alone (RFC 7638; decision 0206)", async () => {
  const made = await send(HOME, { jwks: setOf(key, second), only_by_key: "1" });
  assert.equal(made.status, 303, made.text);
  const { id, uid } = await world.platform.db.one(
    row({ id: integer, uid: text }),
    sql`select id, uid from applications order by id desc limit 1`,
  );
  assert.equal(made.headers.get("location"), `${HOME}/${id}`);
  const page = (await olga.get(`${HOME}/${id}`)).text;
  assert.match(page, /is ready, and proves itself by its key/);
  assert.doesNotMatch(page, /gos_/);
  for (const pair of [key, second]) assert.ok(page.includes(await thumbprint(pair)));
  assert.match(page, /EC P-256, kid “first”/);
  assert.match(page, /Made <time[^>]*>[^<]*<\/time>, does not count/);
  assert.match(page, /it keeps its key on a server/);
  assert.match(page, /It does not count: the application proves itself only by key/);
  const form = (await olga.get(`${HOME}/${id}/edit`)).text;
  assert.match(form, /<details class="more full" open><summary>Public keys/);
  assert.match(form, /name="only_by_key" value="1" checked/);
  const typed = /<textarea[^>]*name="jwks"[^>]*>([^<]*)</.exec(form)?.[1] ?? "";
  assert.deepEqual(JSON.parse(typed.replaceAll("&quot;", '"').replaceAll("&#34;", '"')).keys, [
    key.jwk,
    second.jwk,
  ]);
  assert.equal((await machine({ uid } as TestApplication, second)).status, 200);
});

test("a private key is rejected with the warning that it has leaked, and is stored nowhere (decision 0206; reference oauth D35)", async () => {
  const application = await anApplication(world);
  const secret = key.privateKey.export({ format: "jwk" });
  const d = String(secret.d);
  const jwks = JSON.stringify({ keys: [secret] });
  for (const [path, form] of [
    [`${HOME}/${application.id}`, { jwks }],
    [HOME, { jwks }],
    [HOME, { jwks: String(key.privateKey.export({ format: "pem", type: "pkcs8" })) }],
  ] as const) {
    const reply = await send(path, form);
    assert.equal(reply.status, 422, path);
    assert.match(reply.text, /must be considered leaked/);
    assert.equal(reply.text.includes(d), false, "not shown again");
    assert.doesNotMatch(reply.text, /PRIVATE KEY/);
  }
  const pem = String(key.privateKey.export({ format: "pem", type: "pkcs8" }));
  for (const given of [JSON.parse(jwks), { keys: [{ kty: "oct", k: d }] }, jwks, pem]) {
    const reply = await put(application, { jwks: given });
    assert.equal(reply.status, 400);
    assert.match(reply.json.message.jwks[0], /private or symmetric key.*leaked/);
    assert.equal(reply.text.includes(d), false);
  }
  // Not even in the address that prefills the form after the password check.
  await aged();
  const asked = await send(HOME, { jwks });
  assert.equal(asked.headers.get("location"), "/users/prove");
  await flushRefusals(world.platform);
  const { n } = await world.platform.db.one(
    row({ n: integer }),
    sql`select (select count(*) from applications where strpos(applications::text, ${d}) > 0)
      + (select count(*) from sessions where strpos(sessions::text, ${d}) > 0)
      + (select count(*) from audit_entries where strpos(audit_entries::text, ${d}) > 0)
      + (select count(*) from application_events where strpos(application_events::text, ${d}) > 0) as n`,
  );
  assert.equal(n, 0);
  olga = await signedIn(world, "olga");
});

test("errors in public keys are shown at their field, with the typed text kept (decision 0206)", async () => {
  for (const [more, words] of [
    [{ jwks: "{ not JSON" }, /public keys must be a JWK Set in JSON:/],
    [{ jwks: "-----BEGIN PUBLIC KEY-----\nMFkw\n" }, /public keys must be a JWK Set in JSON, not PEM:/],
    [{ jwks: setOf(key, key) }, /two keys with the same kid/],
    [{ only_by_key: "1" }, /“Only by key” needs a public key/],
    [
      { jwks: setOf(key), confidential: "", grant_types: "authorization_code" },
      /confidential applications alone/,
    ],
  ] as const) {
    const reply = await send(HOME, more);
    assert.equal(reply.status, 422);
    assert.match(reply.text, words);
    assert.match(reply.text, /<details class="more full" open><summary>Public keys/);
  }
  assert.match((await send(HOME, { jwks: "{ not JSON" })).text, />\s*\{ not JSON</);
});

test("the API sets and returns keys as a JWK Set, and an update that omits them keeps them (RFC 7517 §5; decision 0206)", async () => {
  const application = await anApplication(world);
  const bare = await put(application, {});
  assert.deepEqual([bare.json.jwks, bare.json.only_by_key], [null, false]);
  const jwks = JSON.parse(setOf(key));
  const set = await put(application, { jwks, only_by_key: true });
  assert.deepEqual([set.json.jwks, set.json.only_by_key], [jwks, true]);
  const renamed = await put(application, { name: "Other" });
  assert.deepEqual([renamed.json.jwks, renamed.json.only_by_key], [jwks, true]);
  const shown = await world.call(`/api/v4/applications/${application.id}`, { as: "ada" });
  assert.deepEqual(shown.json.jwks, jwks);
  const strict = await put(application, { jwks: null });
  assert.deepEqual([strict.status, strict.json.message], [400, { only_by_key: ["needs a public key"] }]);
  for (const bad of ["x", [], { keys: {} }, { keys: [7] }, { keys: [{ kty: "EC" }] }, {}]) {
    assert.equal((await put(application, { jwks: bad })).status, 400, JSON.stringify(bad));
  }
  const none = await put(application, { jwks: null, only_by_key: false });
  assert.deepEqual([none.json.jwks, none.json.only_by_key], [null, false]);
  // A form sends the set as text; empty text removes it.
  for (const [text, kept] of [
    [setOf(key), jwks],
    ["", null],
  ] as const) {
    const path = `/api/v4/applications/${application.id}`;
    const reply = await world.call(path, { as: "ada", method: "PUT", form: { jwks: text } });
    assert.deepEqual([reply.status, reply.json.jwks], [200, kept]);
  }
  assert.deepEqual(await stored(application), { jwks: "", onlyByKey: false });
});

test("a change of keys is audited with their thumbprints; an update of other fields is not audited as one (reference oauth D89; decision 0206)", async () => {
  const application = await anApplication(world);
  const before = (await entries()).length;
  assert.equal((await editing(application, { jwks: setOf(key) })).status, 303);
  assert.equal((await editing(application, { jwks: setOf(second), only_by_key: "1" })).status, 303);
  assert.equal(
    (await editing(application, { jwks: setOf(second), only_by_key: "1", name: "B" })).status,
    303,
  );
  const all = await entries();
  assert.equal(all.length, before + 2);
  const details = { application: FIELDS.name, uid: application.uid };
  assert.deepEqual(all.slice(0, 2), [
    {
      details: {
        ...details,
        added: await thumbprint(second),
        removed: await thumbprint(key),
        proof: "only by key",
      },
      actorId: world.ids.olga,
    },
    {
      details: { ...details, added: await thumbprint(key), proof: "secrets count" },
      actorId: world.ids.olga,
    },
  ]);
  const log = (await (await signedIn(world, "ada")).get("/admin/audit")).text;
  assert.match(log, /class="title">Changed the public keys of an application</);
  assert.ok(log.includes(await thumbprint(second)));
});

test("adding a key or accepting secrets again asks for the password after 20 minutes; other changes do not (decisions 0047, 0206)", async () => {
  const application = await anApplication(world, { jwks: setOf(key), onlyByKey: true });
  const as = { jwks: setOf(key), only_by_key: "1" };
  await aged();
  for (const more of [{ ...as, jwks: setOf(key, second) }, { jwks: setOf(key) }, { jwks: "" }]) {
    assert.equal((await editing(application, more)).headers.get("location"), "/users/prove");
  }
  assert.equal((await stored(application)).onlyByKey, true, "nothing was saved");
  assert.equal(
    (await editing(application, { ...as, name: "Day shift" })).headers.get("location"),
    `${HOME}/${application.id}`,
  );
  // The address prefills the form with what was typed.
  const asked = await send(HOME, { jwks: setOf(key), only_by_key: "1" });
  assert.equal(asked.headers.get("location"), "/users/prove");
  const page = await olga.get(`${HOME}?jwks=${encodeURIComponent(setOf(key))}&only_by_key=true`);
  assert.match(page.text, /name="only_by_key" value="1" checked/);
  olga = await signedIn(world, "olga");
});

test("keys cannot be set by a session that ended while the request was handled (decision 0155)", async () => {
  const application = await anApplication(world);
  const max = await signedIn(world, "max");
  const own = await anApplication(world, { owner: "max" });
  const csrf = hiddenFields((await max.get(HOME)).text);
  const ended = [
    ["update users set password_hash = password_hash || ' ' where id = $1", world.ids.max],
    ["delete from sessions where user_id = $1", world.ids.max],
  ] as const;
  const late = await meanwhile(world, ended, () =>
    max.post(`${HOME}/${own.id}`, { ...csrf, ...FIELDS, jwks: setOf(key) }),
  );
  assert.deepEqual([late.status, late.headers.get("location")], [302, "/users/sign_in"]);
  assert.equal((await stored(own)).jwks, "");
  assert.equal((await editing(application, { jwks: setOf(key) })).status, 303);
});

test("other people get 404 when they set keys, and the API lets only administrators do it (reference oauth D79)", async () => {
  const application = await anApplication(world, { jwks: setOf(key) });
  const stan = await signedIn(world, "stan");
  assert.equal((await editing(application, { jwks: setOf(second) }, stan)).status, 404);
  const { status } = await world.call(`/api/v4/applications/${application.id}`, {
    as: "olga",
    method: "PUT",
    json: { jwks: null },
  });
  assert.equal(status, 403);
  assert.notEqual((await stored(application)).jwks, "");
});
