/** Habits of command-line tools and of servers that look around first, written out as requests. */
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { before, test } from "node:test";
import {
  aCode,
  anApplication,
  signedIn,
  type TestApplication,
  tokenCall,
  type Visitor,
} from "../support/oauth.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let dev: Visitor;
let tool: TestApplication;

before(async () => {
  world = await startWorld();
  dev = await signedIn(world, "dev");
  tool = await anApplication(world, { redirectUris: ["http://127.0.0.1"], confidential: false });
});

test("git-credential-oauth: any port without a path, a verifier padded as base64, Basic with no secret (RFC 8252 §7.3; decision 0123)", async () => {
  const redirectUri = "http://127.0.0.1:43211";
  const code_verifier = `${randomBytes(32).toString("base64url")}=`;
  const code = await aCode(
    dev,
    { ...tool, redirectUri },
    {
      scope: "read_user api",
      code_challenge: createHash("sha256").update(code_verifier).digest("base64url"),
      code_challenge_method: "S256",
    },
  );
  const form = { grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier };
  const authorization = `Basic ${Buffer.from(`${tool.uid}:`).toString("base64")}`;
  const issued = await tokenCall(world, form, { authorization });
  assert.equal(issued.status, 200, issued.text);
  assert.ok(issued.json.refresh_token);
});

test("programs that look for another interface below /api read JSON, whatever their token and method (reference events A1)", async () => {
  const token = await world.tokenOf("dev", "api");
  for (const path of ["/api", "/api/", "/api/graphql", "/api/v3/user", "/api/v4", "/api/v4/"]) {
    for (const method of ["GET", "POST"]) {
      const reply = await world.call(path, { method, token });
      assert.deepEqual([reply.status, reply.json], [404, { error: "404 Not Found" }], `${method} ${path}`);
      assert.equal(reply.headers.get("content-type"), "application/json");
    }
  }
});

test("a body that is neither form nor JSON is told what to send instead (RFC 6749 §4.1.3)", async () => {
  const headers = { "content-type": "text/xml" };
  const reply = await world.call("/oauth/token", { method: "POST", body: "<grant/>", headers });
  assert.deepEqual([reply.status, reply.json.error], [415, "invalid_request"]);
  assert.match(reply.json.error_description, /application\/x-www-form-urlencoded/);
});

test("keepers of passwords find the page where one is changed (contract §4, sign in)", async () => {
  const reply = await world.call("/.well-known/change-password");
  assert.deepEqual([reply.status, reply.headers.get("location")], [302, "/profile/password"]);
});
