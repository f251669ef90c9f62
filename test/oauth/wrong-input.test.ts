/** The pages of OAuth, given values of wrong type, size and encoding, refuse them without a 5xx. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import {
  anApplication,
  authorizePath,
  hiddenFields,
  signedIn,
  type TestApplication,
  type Visitor,
} from "../support/oauth.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let dev: Visitor;
let application: TestApplication;

before(async () => {
  world = await startWorld();
  dev = await signedIn(world, "dev");
  application = await anApplication(world, { owner: "dev" });
});

// As they go over the wire.
const VALUES = [
  "",
  "%00",
  "%ff",
  "%",
  "%ED%A0%80",
  "%F0%9F%98%80",
  "%E2%80%AE",
  "%0d%0aX: y",
  "[]",
  "__proto__",
  "'%20or%20'1'='1",
  "9".repeat(40),
  "a".repeat(5000),
  "%F0%9F%98%80".repeat(300),
];
const NAMES = [
  ...["client_id", "redirect_uri", "response_type", "response_mode", "scope", "state", "nonce"],
  ...["code_challenge", "code_challenge_method", "__proto__", "scope[]", "state[a][b]"],
];

test("no authorization request leads to a 5xx (reference oauth D85)", async () => {
  const base = authorizePath(application);
  for (const name of NAMES) {
    for (const value of VALUES) {
      for (const path of [
        `/oauth/authorize?${name}=${value}`,
        `${base}&${name}=${value}`,
        `${base.replace(new RegExp(`([?&])${name.replace(/\W/g, "")}=[^&]*`), "$1")}&${name}=${value}`,
      ]) {
        const { status } = await dev.get(path);
        assert.ok(status < 500, `${status} ${path.slice(0, 300)}`);
      }
    }
  }
});

test("no answer to a question and no form of an application leads to a 5xx (reference oauth D85)", async () => {
  const page = await dev.get(authorizePath(application));
  const { csrf_token: csrf = "" } = hiddenFields(page.text, "/oauth/authorize");
  const fields = ["request_id", "decision", "_method", "name", "redirect_uri", "scopes", "grant_types"];
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const paths = ["/oauth/authorize", "/profile/applications", `/profile/applications/${application.id}`];
  for (const path of [
    ...paths,
    `${paths[2]}/renew_secret`,
    `${paths[2]}/revoke`,
    "/profile/applications/%00",
  ]) {
    for (const field of [...fields, "home_page", "grace_seconds", "csrf_token", "__proto__"]) {
      for (const value of VALUES) {
        const body = `csrf_token=${csrf}&${field}=${value}&${field}=x&${field}[]=${value}`;
        for (const text of [body, `csrf_token=${csrf}&${field}=${value}`]) {
          const { status } = await dev.send(path, text, headers);
          assert.ok(status < 500, `${status} ${path} ${text.slice(0, 300)}`);
        }
      }
    }
  }
  for (const body of ["[]", "null", "5", '"x"', "{", '{"csrf_token":{}}']) {
    for (const path of paths) {
      const { status } = await dev.send(path, body, { "content-type": "application/json" });
      assert.ok(status >= 400 && status < 500, `${status} ${path} ${body}`);
    }
  }
});
