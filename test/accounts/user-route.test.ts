import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

/** All members listed in reference events B1. */
const MEMBERS =
  "id username name state locked avatar_url web_url public_email created_at bio location skype linkedin twitter discord website_url github organization job_title pronouns bot work_information local_time followers following last_sign_in_at confirmed_at last_activity_on email theme_id color_scheme_id projects_limit current_sign_in_at identities can_create_group can_create_project two_factor_enabled external private_profile commit_email namespace_id".split(
    " ",
  );

describe("GET /user", () => {
  it("returns the caller's full record (spec: Calling the API; contract §3)", async () => {
    const { status, json, headers } = await world.call("/api/v4/user", { as: "dev" });
    assert.equal(status, 200);
    assert.equal(headers.get("content-type"), "application/json");
    assert.deepEqual(Object.keys(json).sort(), [...MEMBERS].sort());
    assert.equal(json.id, world.ids.dev);
    assert.equal(json.username, "dev");
    assert.equal(json.email, "dev@example.org");
    assert.equal(json.state, "active");
    assert.equal(json.web_url, `${world.url}/dev`);
    assert.match(json.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it("returns is_admin, note and created_by to administrators too (reference events B1)", async () => {
    const { json } = await world.call("/api/v4/user", { as: "ada" });
    assert.equal(json.is_admin, true);
    assert.ok("note" in json && "created_by" in json);
  });

  it("accepts the token as Bearer, in the query and as PRIVATE-TOKEN (spec: Authentication 5, 6)", async () => {
    const token = await world.tokenOf("dev", "read_user");
    for (const reply of [
      await world.call("/api/v4/user", { token }),
      await world.call(`/api/v4/user?access_token=${token}`),
      await world.call("/api/v4/user", { headers: { "private-token": token } }),
      await world.call(`/api/v4/user?access_token=${token}`, { token }),
    ]) {
      assert.equal(reply.status, 200);
      assert.equal(reply.json.username, "dev");
    }
  });

  it("needs the scope read_user, read_api or api (reference reliability S80)", async () => {
    assert.equal(
      (await world.call("/api/v4/user", { token: await world.tokenOf("dev", "read_api") })).status,
      200,
    );
    const refused = await world.call("/api/v4/user", { token: await world.tokenOf("dev", "profile") });
    assert.equal(refused.status, 403);
    assert.equal(refused.json.error, "insufficient_scope");
    assert.equal(refused.json.scope, "read_user read_api api");
    assert.match(refused.headers.get("www-authenticate") ?? "", /insufficient_scope/);
  });

  it("refuses missing and unknown tokens, and two different ones (contract §4, token/info)", async () => {
    const nobody = await world.call("/api/v4/user");
    assert.equal(nobody.status, 401);
    assert.deepEqual(nobody.json, { message: "401 Unauthorized" });
    assert.ok(nobody.headers.get("www-authenticate"));
    assert.equal((await world.call("/api/v4/user", { token: "not-a-token" })).status, 401);
    const first = await world.tokenOf("dev", "read_user");
    const second = await world.tokenOf("max", "read_user");
    const both = await world.call(`/api/v4/user?access_token=${first}`, { token: second });
    assert.equal(both.status, 400);
    assert.equal(both.json.error, "invalid_request");
  });

  it("returns 405 for other methods; unknown paths return 404 (reference events A1)", async () => {
    const refused = await world.call("/api/v4/user", { as: "dev", method: "PATCH" });
    assert.equal(refused.status, 405);
    assert.match(refused.headers.get("allow") ?? "", /GET/);
    const unknown = await world.call("/api/v4/nothing", { as: "dev" });
    assert.equal(unknown.status, 404);
    assert.deepEqual(unknown.json, { error: "404 Not Found" });
  });
});
