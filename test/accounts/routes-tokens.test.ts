import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { SCOPES } from "../../src/accounts/scope.ts";
import { integer, row } from "../../src/platform/row.ts";
import { digest, newSecret } from "../../src/platform/secret.ts";
import { json, sql } from "../../src/platform/sql.ts";
import { meanwhile } from "../support/meanwhile.ts";
import { awayFromMidnight } from "../support/midnight.ts";
import { anApplication, tokenCall } from "../support/oauth.ts";
import { signedIn } from "../support/visitor.ts";
import { PASSWORD, startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
  await awayFromMidnight();
});

async function make(
  scopes: string[],
  more: Record<string, unknown> = {},
  person: "dev" | "stan" | "rep" = "dev",
) {
  const path = `/api/v4/users/${world.ids[person]}/personal_access_tokens`;
  return world.call(path, { as: "ada", json: { name: "ci", scopes, ...more } });
}

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

describe("creating personal access tokens", () => {
  it("returns a token for a user to administrators, which is valid at once (contract §3)", async () => {
    const made = await make(["read_user", "read_api"], { expires_at: inDays(30) });
    assert.equal(made.status, 201);
    const { token, ...record } = made.json;
    assert.match(token, /^gpat_[0-9A-Za-z]{36}$/);
    assert.deepEqual(
      { ...record, id: 0, created_at: "" },
      {
        id: 0,
        name: "ci",
        revoked: false,
        created_at: "",
        description: "",
        scopes: ["read_user", "read_api"],
        user_id: world.ids.dev,
        last_used_at: null,
        active: true,
        expires_at: inDays(30),
      },
    );
    assert.equal((await world.call("/api/v4/user", { token })).json.username, "dev");
    assert.equal(await stored(token), 0, "only the digest is stored");
  });

  it("accepts every single scope, including profile (contract-events §5)", async () => {
    for (const scope of SCOPES) {
      assert.equal((await make([scope])).status, 201, scope);
    }
  });

  it("accepts scopes as one string, as in python-gitlab's documentation (GitLab v4 API, POST /users/:user_id/personal_access_tokens)", async () => {
    const path = `/api/v4/users/${world.ids.dev}/personal_access_tokens`;
    const ask = (scopes: string) => world.call(path, { as: "ada", json: { name: "test", scopes } });
    const made = await ask("api");
    assert.deepEqual([made.status, made.json.scopes], [201, ["api"]]);
    assert.deepEqual((await ask("api,read_user")).json.scopes, ["api", "read_user"]);
    for (const wrong of ["root", "api read_user", "api,root"])
      assert.deepEqual((await ask(wrong)).json, { error: "scopes does not have a valid value" });
    const none = await ask("");
    assert.equal(none.status, 400, none.text);
  });

  it("refuses unknown and missing scopes, blank names and invalid dates (contract §4, API errors; reference events A2)", async () => {
    assert.deepEqual((await make(["root"])).json, { error: "scopes does not have a valid value" });
    assert.equal((await make([])).status, 400);
    assert.equal((await make(["api"], { name: " " })).status, 400);
    assert.deepEqual((await make(["api", "read_user", "api"])).json.scopes, ["api", "read_user"]);
    const page = await signedIn(world, "gus");
    for (const scopes of ["root", "api,read_api"]) {
      const form = { name: "by page", scopes, expires_at: "" };
      const refused = await page.submit("/profile/personal_access_tokens", form);
      assert.equal(refused.status, 422, scopes);
    }
    const today = { name: "by page", scopes: "api", expires_at: inDays(0) };
    const over = await page.submit("/profile/personal_access_tokens", today);
    const words = /The day on which it ends must be in the future\./;
    assert.deepEqual([over.status, words.test(over.text)], [422, true], "at whose start the token ends");
    assert.deepEqual((await make(["api"], { expires_at: "2024-02-30" })).json, {
      error: "expires_at is invalid",
    });
    for (const day of [inDays(-1), inDays(0)]) {
      const past = await make(["api"], { expires_at: day });
      assert.deepEqual(
        [past.status, past.json],
        [400, { message: { expires_at: ["must be in the future"] } }],
      );
    }
    assert.equal((await make({ api: true } as unknown as string[])).status, 400);
  });

  it("is for administrators only, and for existing users only (contract §3; reference events A1)", async () => {
    const path = `/api/v4/users/${world.ids.dev}/personal_access_tokens`;
    const json = { name: "x", scopes: ["api"] };
    assert.equal((await world.call(path, { json })).status, 401);
    assert.equal((await world.call(path, { as: "dev", json })).status, 403);
    const missing = await world.call("/api/v4/users/999999/personal_access_tokens", { as: "ada", json });
    assert.deepEqual([missing.status, missing.json], [404, { message: "404 User Not Found" }]);
  });
});

describe("a personal access token", () => {
  it("can read and revoke itself, whatever its scope (contract §3; GitLab v4 API, GET and DELETE /personal_access_tokens/self)", async () => {
    const { token, id } = (await make(["write_events"])).json;
    const self = await world.call("/api/v4/personal_access_tokens/self", { token });
    assert.equal(self.status, 200);
    assert.equal(self.json.id, id);
    assert.ok(!("token" in self.json));
    const ended = await world.call("/api/v4/personal_access_tokens/self", { token, method: "DELETE" });
    assert.equal(ended.status, 204);
    const refused = await world.call("/api/v4/user", { token });
    assert.equal(refused.status, 401);
    assert.equal(refused.json.error, "invalid_token");
    assert.match(refused.headers.get("www-authenticate") ?? "", /invalid_token/);
  });

  it("can rotate itself: the old one is revoked, the new one has the same scopes (reference oauth A10)", async () => {
    const { token, id } = (await make(["api"], { description: "for the build" })).json;
    const rotated = await world.call("/api/v4/personal_access_tokens/self/rotate", { token, method: "POST" });
    assert.equal(rotated.status, 200);
    assert.notEqual(rotated.json.id, id);
    assert.deepEqual(rotated.json.scopes, ["api"]);
    assert.equal(rotated.json.description, "for the build");
    assert.equal(rotated.json.expires_at, null);
    assert.equal((await world.call("/api/v4/user", { token })).status, 401);
    assert.equal((await world.call("/api/v4/user", { token: rotated.json.token })).status, 200);
  });
});

describe("a response with a new personal access token", () => {
  it("has Cache-Control: no-store (reference oauth A10; reference ux §4)", async () => {
    const made = await make(["api"]);
    const itself = "/api/v4/personal_access_tokens/self/rotate";
    const rotated = await world.call(itself, { token: made.json.token, method: "POST" });
    const again = `/api/v4/personal_access_tokens/${rotated.json.id}/rotate`;
    const byOwner = await world.call(again, { as: "dev", method: "POST" });
    for (const reply of [made, rotated, byOwner]) {
      assert.match(reply.json.token, /^gpat_/);
      assert.equal(reply.headers.get("cache-control"), "no-store");
    }
  });
});

describe("an expired token", () => {
  it("cannot be rotated with another token of its owner (contract §3; reference oauth A10)", async () => {
    const { id, token } = (await make(["api"], { expires_at: inDays(3) })).json;
    await world.platform.db.run(
      sql`update access_tokens set expires_at = now() - interval '1 second' where id = ${id}`,
    );
    for (const json of [{}, { expires_at: inDays(5) }]) {
      const at = `/api/v4/personal_access_tokens/${id}/rotate`;
      assert.equal((await world.call(at, { as: "dev", json })).status, 400);
    }
    assert.equal((await world.call("/api/v4/user", { token })).status, 401);
  });
});

describe("a revoked token", () => {
  it("is unchanged when it is revoked again, and the audit log has one entry (contract §3; decision 0045)", async () => {
    const { id } = (await make(["api"], { expires_at: inDays(3) })).json;
    const { db } = world.platform;
    await world.call(`/api/v4/personal_access_tokens/${id}`, { as: "dev", method: "DELETE" });
    await db.run(sql`update access_tokens set revoked_at = now() - interval '1 hour' where id = ${id}`);
    await world.call(`/api/v4/personal_access_tokens/${id}`, { as: "dev", method: "DELETE" });
    const isOld = sql`select from access_tokens where id = ${id} and revoked_at < now() - interval '1 minute'`;
    assert.equal(await db.run(isOld), 1);
    const told = sql`select from audit_entries where action = 'token_revoked' and details ->> 'id' = ${String(id)}`;
    assert.equal(await db.run(told), 1);
  });
});

describe("a token with scope self_rotate", () => {
  it("can rotate itself repeatedly with the same scope, and do nothing else (reference oauth A10, A11)", async () => {
    const { token, id } = (await make(["self_rotate"], { expires_at: inDays(3) })).json;
    for (const [method, path] of [
      ["GET", "/api/v4/user"],
      ["GET", "/api/v4/personal_access_tokens"],
      ["GET", `/api/v4/personal_access_tokens/${id}`],
      ["POST", `/api/v4/personal_access_tokens/${id}/rotate`],
      ["DELETE", `/api/v4/personal_access_tokens/${id}`],
    ] as const) {
      const refused = await world.call(path, { token, method });
      assert.deepEqual(
        [refused.status, refused.json.error],
        [403, "insufficient_scope"],
        `${method} ${path}`,
      );
    }
    let held = token;
    for (const expires_at of [inDays(5), undefined]) {
      const json = expires_at ? { expires_at } : {};
      const rotated = await world.call("/api/v4/personal_access_tokens/self/rotate", { token: held, json });
      assert.equal(rotated.status, 200, rotated.text);
      assert.deepEqual(
        [rotated.json.scopes, rotated.json.expires_at],
        [["self_rotate"], expires_at ?? inDays(7)],
      );
      assert.equal((await world.call("/api/v4/personal_access_tokens/self", { token: held })).status, 401);
      held = rotated.json.token;
    }
    assert.equal((await world.call("/api/v4/personal_access_tokens/self", { token: held })).status, 200);
  });

  it("is revoked with all its successors when it is rotated again after 30 seconds, with an audit entry (decision 0043)", async () => {
    const rotate = (token: string) =>
      world.call("/api/v4/personal_access_tokens/self/rotate", { token, method: "POST" });
    const { token: stolen, id } = (await make(["self_rotate"])).json;
    const next = (await rotate(stolen)).json.token;
    const lives = async () =>
      (await world.call("/api/v4/personal_access_tokens/self", { token: next })).status === 200;
    assert.equal((await rotate(stolen)).status, 401);
    assert.equal(await lives(), true, "a retry within 30 seconds");
    await world.platform.db.run(
      sql`update access_tokens set revoked_at = now() - interval '31 seconds' where id = ${id}`,
    );
    assert.equal((await world.call("/api/v4/personal_access_tokens/self", { token: stolen })).status, 401);
    assert.equal(await lives(), true, "other requests with it are only refused");
    const again = await rotate(stolen);
    assert.deepEqual([again.status, again.json.error], [401, "invalid_token"]);
    assert.equal(await lives(), false);
    assert.equal((await rotate(stolen)).status, 401);
    const { n } = await world.platform.db.one(
      row({ n: integer }),
      sql`select count(*) as n from audit_entries where action = 'token_reuse_detected' and user_id = ${world.ids.dev}
        and details = ${json({ id, tokens: 1 })}`,
    );
    assert.equal(n, 1);
  });

  it("cannot be rotated with other scopes than api and self_rotate, and tokens of applications get 404 (reference oauth A10; contract §3)", async () => {
    for (const scope of SCOPES.filter((one) => one !== "api" && one !== "self_rotate")) {
      const { token } = (await make([scope])).json;
      const refused = await world.call("/api/v4/personal_access_tokens/self/rotate", {
        token,
        method: "POST",
      });
      assert.deepEqual([refused.status, refused.json.scope], [403, "self_rotate api"], scope);
    }
    const application = await anApplication(world, { scopes: ["self_rotate"] });
    const form = { grant_type: "password", username: "dev", password: PASSWORD, scope: "self_rotate" };
    const issued = await tokenCall(world, form, { authorization: application.basic });
    assert.equal(issued.json.scope, "self_rotate");
    const nothing = await world.call("/api/v4/personal_access_tokens/self/rotate", {
      token: issued.json.access_token,
      method: "POST",
    });
    assert.equal(nothing.status, 404);
  });
});

describe("personal access tokens by list and id", () => {
  const idsOf = (tokens: { id: number }[]) => tokens.map(({ id }) => id);
  const usersOf = (tokens: { user_id: number }[]) => tokens.map(({ user_id }) => user_id);

  it("are returned to their own user, and all of them to administrators (GitLab v4 API, list personal access tokens)", async () => {
    const [mine, theirs] = [(await make(["api"])).json.id, (await make(["api"], {}, "stan")).json.id];
    const own = await world.call("/api/v4/personal_access_tokens", { as: "dev" });
    assert.equal(own.status, 200);
    assert.deepEqual([...new Set(usersOf(own.json))], [world.ids.dev]);
    assert.ok(idsOf(own.json).includes(mine));
    assert.ok(own.headers.get("x-total"));
    const all = await world.call("/api/v4/personal_access_tokens", { as: "ada" });
    assert.equal(all.status, 200);
    for (const id of [mine, theirs]) assert.ok(idsOf(all.json).includes(id));
    const stans = await world.call(`/api/v4/personal_access_tokens?user_id=${world.ids.stan}`, { as: "ada" });
    assert.deepEqual([...new Set(usersOf(stans.json))], [world.ids.stan]);
    assert.ok(idsOf(stans.json).includes(theirs));
    const others = await world.call(`/api/v4/personal_access_tokens?user_id=${world.ids.stan}`, {
      as: "dev",
    });
    assert.equal(others.status, 401);
  });

  it("are filtered by state, name, days and times, and sorted as requested, with the bounds and the order of GitLab (reference oauth A10; contract §3; GitLab v4 API, list personal access tokens)", async () => {
    for (const [name, created, used, ends, revoked] of [
      ["Bravo", "2025-03-01T10:00Z", "2025-03-05T10:00Z", "2031-01-01T00:00Z", null],
      ["alfa", "2025-03-02T23:30Z", null, null, "2025-03-06T10:00Z"],
      ["Charlie", "2025-03-03T12:00Z", "2025-03-04T23:30Z", "2025-04-01T00:00Z", null],
    ] as const) {
      const { id } = (await make(["api"], { name }, "rep")).json;
      await world.platform.db.run(
        sql`update access_tokens set created_at = ${created}, last_used_at = ${used}, expires_at = ${ends},
          revoked_at = ${revoked} where id = ${id}`,
      );
    }
    const path = `/api/v4/personal_access_tokens?user_id=${world.ids.rep}`;
    for (const [query, names] of [
      ["", "Charlie alfa Bravo"],
      ["state=active", "Bravo"],
      ["state=inactive", "Charlie alfa"],
      ["revoked=true", "alfa"],
      ["revoked=false", "Charlie Bravo"],
      ["search=ALF", "alfa"],
      ["created_after=2025-03-03", "Charlie"],
      ["created_before=2025-03-03", "alfa Bravo"],
      ["last_used_after=2025-03-05", "Bravo"],
      ["last_used_before=2025-03-05", "Charlie"],
      ["created_after=2025-03-02T23:00:00Z", "Charlie alfa"],
      ["created_after=2025-03-02T23:45:00", "Charlie"],
      ["created_before=2025-03-03T01:00:00%2B02:00", "Bravo"],
      ["last_used_after=2025-03-04T23:30:01Z", "Bravo"],
      ["last_used_before=2025-03-04T23:30:01.500Z", "Charlie"],
      ["created_after=2025-03-03T12:00:00Z", "Charlie"],
      ["created_before=2025-03-01T10:00:00Z", "Bravo"],
      ["last_used_after=2025-03-05T10:00:00Z", "Bravo"],
      ["last_used_before=2025-03-04T23:30:00Z", "Charlie"],
      ["expires_after=2025-04-01", "Charlie Bravo"],
      ["expires_after=2025-04-02", "Bravo"],
      ["expires_before=2025-04-01", ""],
      ["expires_before=2025-04-02", "Charlie"],
      ["sort=created_desc", "Charlie alfa Bravo"],
      ["sort=created_asc", "Bravo alfa Charlie"],
      ["sort=expires_asc", "Charlie Bravo alfa"],
      ["sort=expires_desc", "alfa Bravo Charlie"],
      ["sort=last_used_asc", "Charlie Bravo alfa"],
      ["sort=last_used_desc", "alfa Bravo Charlie"],
      ["sort=name_asc", "alfa Bravo Charlie"],
      ["sort=name_desc", "Charlie Bravo alfa"],
    ] as const) {
      const { json, headers } = await world.call(`${path}&${query}`, { as: "ada" });
      assert.equal(json.map(({ name }: { name: string }) => name).join(" "), names, query);
      assert.equal(headers.get("x-total"), String(json.length), query);
    }
    for (const [query, error] of [
      ["state=odd", "state does not have a valid value"],
      ["sort=odd", "sort does not have a valid value"],
      ["created_after=2025-03-02T25:00:00Z", "created_after is invalid"],
      ["created_after=2025-03-02T23:00:00+02:00", "created_after is invalid"],
      ["created_after=2025-3-2", "created_after is invalid"],
    ] as const) {
      const bad = await world.call(`/api/v4/personal_access_tokens?${query}`, { as: "dev" });
      assert.deepEqual([bad.status, bad.json], [400, { error }]);
    }
  });

  it("of other users return 404, as if they did not exist (reference reliability S79)", async () => {
    const { id } = (await make(["api"], {}, "stan")).json;
    for (const method of ["GET", "DELETE"]) {
      const hidden = await world.call(`/api/v4/personal_access_tokens/${id}`, { as: "dev", method });
      const absent = await world.call("/api/v4/personal_access_tokens/99999999", { as: "dev", method });
      assert.equal(hidden.status, 404);
      assert.equal(hidden.text, absent.text);
    }
    assert.equal(
      (await world.call(`/api/v4/personal_access_tokens/${id}/rotate`, { as: "dev", method: "POST" })).status,
      404,
    );
    assert.equal(
      (await world.call(`/api/v4/personal_access_tokens/${id}`, { as: "stan" })).json.active,
      true,
    );
  });

  it("do not include tokens of applications, which return 404 even to their own user (contract §3)", async () => {
    const application = await anApplication(world);
    const client = { client_id: application.uid, client_secret: application.secret };
    const grant = { grant_type: "password", username: "dev", password: PASSWORD, ...client };
    const token = (await tokenCall(world, grant)).json.access_token;
    const { id } = await world.platform.db.one(
      row({ id: integer }),
      sql`select id from access_tokens where digest = ${digest(token)}`,
    );
    const path = `/api/v4/personal_access_tokens/${id}`;
    for (const [method, at] of [
      ["GET", path],
      ["DELETE", path],
      ["POST", `${path}/rotate`],
    ] as const) {
      for (const as of ["dev", "ada"] as const) {
        const reply = await world.call(at, { as, method });
        assert.equal(reply.status, 404, `${method} ${as} ${reply.text}`);
      }
    }
    assert.equal((await world.call("/api/v4/user", { token })).status, 200);
  });

  it("are shown as revoked after their revocation (contract §3; reference oauth A10)", async () => {
    const { id, token } = (await make(["api"])).json;
    assert.equal(
      (await world.call(`/api/v4/personal_access_tokens/${id}`, { as: "dev", method: "DELETE" })).status,
      204,
    );
    assert.equal((await world.call("/api/v4/user", { token })).status, 401);
    const record = (await world.call(`/api/v4/personal_access_tokens/${id}`, { as: "dev" })).json;
    assert.equal(record.revoked, true);
    assert.equal(record.active, false);
  });

  it("have one valid successor after concurrent rotations (decision 0043)", async () => {
    const { id } = (await make(["api"])).json;
    const replies = await Promise.all(
      Array.from({ length: 8 }, () =>
        world.call(`/api/v4/personal_access_tokens/${id}/rotate`, { as: "dev", method: "POST" }),
      ),
    );
    const won = replies.filter((reply) => reply.status === 200);
    assert.equal(won.length, 1);
    assert.ok(replies.every((reply) => reply.status === 200 || reply.status === 400));
    assert.equal((await world.call("/api/v4/user", { token: won[0]?.json.token })).status, 200);
  });

  it("are revoked with their whole family when one that ended long ago is rotated again (reference oauth A10)", async () => {
    const { id } = (await make(["api"])).json;
    const next = await world.call(`/api/v4/personal_access_tokens/${id}/rotate`, {
      as: "dev",
      method: "POST",
    });
    await backdate(id);
    const reuse = await world.call(`/api/v4/personal_access_tokens/${id}/rotate`, {
      as: "dev",
      method: "POST",
    });
    assert.equal(reuse.status, 400);
    assert.equal((await world.call("/api/v4/user", { token: next.json.token })).status, 401);
  });

  it("are revoked with a successor created at the same time, too (reference oauth A10)", async () => {
    const { id } = (await make(["api"])).json;
    const rotate = () =>
      world.call(`/api/v4/personal_access_tokens/${id}/rotate`, { as: "dev", method: "POST" });
    const next = (await rotate()).json.id;
    await backdate(id);
    const secret = newSecret("personalAccessToken");
    const reuse = await meanwhile(
      world,
      [
        ["select from access_tokens where id = $1 for no key update", id],
        ["update access_tokens set revoked_at = now() where id = $1", next],
        [
          `insert into access_tokens (digest, kind, user_id, scopes, family_id)
            values ($1, 'personal', $2, '{api}', $3)`,
          digest(secret),
          world.ids.dev,
          id,
        ],
      ],
      rotate,
    );
    assert.equal(reuse.status, 400);
    assert.equal((await world.call("/api/v4/user", { token: secret })).status, 401);
  });
});

async function stored(secret: string): Promise<number> {
  const like = `%${secret}%`;
  const { n } = await world.platform.db.one(
    row({ n: integer }),
    sql`select count(*) as n from access_tokens t where t::text like ${like}`,
  );
  return n;
}

async function backdate(id: number): Promise<void> {
  await world.platform.db.run(
    sql`update access_tokens set revoked_at = revoked_at - interval '1 hour' where id = ${id}`,
  );
}
