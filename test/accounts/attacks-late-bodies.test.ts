/** Requests whose headers came before a revocation, block or demotion was answered, and whose body comes after it (decision 0313). */
import assert from "node:assert/strict";
import { before, beforeEach, it } from "node:test";
import { sql } from "../../src/platform/sql.ts";
import { aBoundScene } from "../support/bound-tokens.ts";
import { counting } from "../support/counting.ts";
import { proofBy } from "../support/dpop.ts";
import { aroundBody, aroundJson } from "../support/late-body.ts";
import { PASSWORD, type Person, startWorld, type World } from "../support/world.ts";

let world: World;
/** A second administrator. */
let bea: number;
before(async () => {
  world = await startWorld();
  const json = { username: "bea", name: "Bea", email: "bea@example.org", password: PASSWORD, admin: true };
  bea = (await world.call("/api/v4/users", { as: "ada", json })).json.id;
});
beforeEach(() => world.owner.run(sql`update users set is_admin = true where id = ${bea}`));

/** A personal token that was never used. */
async function aToken(userId: number): Promise<{ id: number; token: string }> {
  const json = { name: "Late", scopes: ["api"] };
  return (await world.call(`/api/v4/users/${userId}/personal_access_tokens`, { as: "ada", json })).json;
}

async function changed(path: string, method: string, json?: object, as: Person = "ada"): Promise<void> {
  const { status, text } = await world.call(`/api/v4/${path}`, { as, method, ...(json ? { json } : {}) });
  assert.ok(status < 300, text);
}

const demotes = () => changed(`users/${bea}`, "PUT", { admin: false });

it("an administrator who is demoted before the body comes creates no account and no token (contract §4, tokens and roles; decision 0313)", async () => {
  const { token } = await aToken(bea);
  const json = { username: "eve", name: "Eve", email: "eve@example.org", password: PASSWORD, admin: true };
  const made = await aroundJson(world, { path: "/api/v4/users", token, json }, demotes);
  assert.equal(made.status, 403, made.text);
  const { token: other } = await aToken(bea);
  await world.owner.run(sql`update users set is_admin = true where id = ${bea}`);
  const path = `/api/v4/users/${world.ids.ada}/personal_access_tokens`;
  const asked = { path, token: other, json: { name: "taken", scopes: ["api"] } };
  assert.equal((await aroundJson(world, asked, demotes)).status, 403);
});

it("a Maintainer who is blocked before the body comes publishes nothing (contract §4, tokens and roles; decision 0313)", async () => {
  const { token } = await aToken(world.ids.max);
  const path = `/api/v4/projects/${world.rocket.id}`;
  const asked = { method: "PUT", path, token, json: { visibility: "public" } };
  const reply = await aroundJson(world, asked, () => changed(`users/${world.ids.max}/block`, "POST"));
  assert.equal(reply.status, 403, reply.text);
  await changed(`users/${world.ids.max}/unblock`, "POST");
  assert.equal((await world.call(path, { as: "olga" })).json.visibility, "private");
});

it("a token that is revoked before the body comes writes nothing (contract §4, tokens and roles; decision 0313)", async () => {
  const issues = `/api/v4/projects/${world.rocket.id}/issues`;
  for (const [path, json] of [
    [issues, { title: "Late" }],
    ["/api/v4/events/bulk", {}],
  ] as const) {
    const { id, token } = await aToken(world.ids.dev);
    const revokes = () => changed(`personal_access_tokens/${id}`, "DELETE");
    const reply = await aroundJson(world, { path, token, json }, revokes);
    assert.equal(reply.status, 401, `${path} ${reply.text}`);
  }
  assert.deepEqual((await world.call(issues, { as: "dev" })).json, []);
});

it("a token that is still valid when the body comes writes as ever (decision 0313)", async () => {
  const { token } = await aToken(world.ids.dev);
  const asked = { path: `/api/v4/projects/${world.open.id}/issues`, token, json: { title: "Slow" } };
  const reply = await aroundJson(world, asked, async () => {});
  assert.equal(reply.status, 201, reply.text);
});

it("an event source that is removed, switched off or given another secret takes no late delivery (decision 0313)", async () => {
  const sources = `projects/${world.rocket.id}/event_sources`;
  for (const [method, ending, json, status] of [
    ["PUT", "", { active: false }, 404],
    ["POST", "/rotate_secret", {}, 401],
    ["DELETE", "", undefined, 404],
  ] as const) {
    const secret = "a secret of sixteen";
    const made = await world.call(`/api/v4/${sources}`, { as: "max", json: { name: "GitLab", secret } });
    assert.equal(made.status, 201, made.text);
    const reply = await aroundBody(
      world,
      {
        method: "POST",
        path: made.json.url.slice(world.url.length),
        headers: {
          "content-type": "application/json",
          "x-gitlab-event": "Push Hook",
          "x-gitlab-token": secret,
        },
        body: "{}",
      },
      () => changed(`${sources}/${made.json.id}${ending}`, method, json, "max"),
    );
    assert.equal(reply.status, status, `${method} ${JSON.stringify(json)} ${reply.text}`);
  }
});

it("an ordinary request looks its token up once, and one with a late body once more (decision 0313)", async () => {
  const { app, statements } = await counting(world);
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  const token = await world.tokenOf("ada", "api");
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const asked = { method: "POST", path: "/api/v4/users", headers, body: '{"name":"Without the rest"}' };
  try {
    const first = await fetch(url + asked.path, asked);
    assert.equal(first.status, 400);
    statements();
    const costs: number[] = [];
    const once = await fetch(url + asked.path, asked);
    costs.push(once.status, statements());
    const late = await aroundBody({ url }, asked, async () => {});
    costs.push(late.status, statements());
    assert.deepEqual(costs, [400, 1, 400, 2]);
  } finally {
    app.server.closeAllConnections();
    await app.close();
  }
});

it("the proof of a bound token may be shown once, also by a request with a late body (RFC 9449 §11.1; decision 0313)", async () => {
  const scene = await aBoundScene();
  const { access_token: token } = await scene.boundPair(scene.application);
  const path = `/api/v4/projects/${scene.world.open.id}/issues`;
  const dpop = proofBy(scene.key, { method: "POST", url: scene.world.url + path, accessToken: token });
  const headers = { authorization: `DPoP ${token}`, dpop, "content-type": "application/json" };
  const asked = { method: "POST", path, headers, body: '{"title":"Bound"}' };
  const statuses: number[] = [];
  for (let turn = 0; turn < 2; turn++) {
    statuses.push((await aroundBody(scene.world, asked, async () => {})).status);
  }
  assert.deepEqual(statuses, [201, 401]);
});
