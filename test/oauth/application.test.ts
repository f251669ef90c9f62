/** Validation of the fields of an application. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type ApplicationFields, applicationFaults } from "../../src/oauth/application.ts";
import { NO_KEYS } from "../../src/oauth/public-keys.ts";

const fine: ApplicationFields = {
  name: "Relay Console",
  redirectUris: ["https://app.example.org/cb"],
  postLogoutRedirectUris: [],
  backchannelLogoutUri: "",
  backchannelLogoutSessionRequired: false,
  accessTokenSeconds: null,
  refreshIdleSeconds: null,
  refreshAbsoluteSeconds: null,
  ...NO_KEYS,
  scopes: ["read_user"],
  grantTypes: ["authorization_code"],
  confidential: true,
  omitIss: false,
  requirePushed: false,
  idTokenAlgorithm: "RS256",
  boundTokensOnly: false,
  homePage: "",
};
const faultsOf = (fields: ApplicationFields) =>
  applicationFaults(fields, { allowPrivateTargets: ["10.1.2.3"] });

test("valid fields have no errors, nor does a logout URI that the operator allows (reference oauth A9; decision 0154)", () => {
  assert.deepEqual(faultsOf(fine), {});
  assert.deepEqual(faultsOf({ ...fine, homePage: "https://app.example.org/about" }), {});
  for (const backchannelLogoutUri of ["https://app.example.org/out?from=1", "http://10.1.2.3:8080/out"]) {
    assert.deepEqual(faultsOf({ ...fine, backchannelLogoutUri }), {}, backchannelLogoutUri);
  }
});

test("each invalid field is reported with its error (reference oauth A9; S21)", () => {
  const faults: [Partial<ApplicationFields>, Record<string, string[]>][] = [
    [{ name: " " }, { name: ["can't be blank"] }],
    [{ name: "Git\u202elab" }, { name: ["cannot contain control or invisible characters"] }],
    [{ name: "Git\u200blab" }, { name: ["cannot contain control or invisible characters"] }],
    [{ name: "x".repeat(10_000) }, { name: ["is too long (maximum is 255 characters)"] }],
    [{ redirectUris: ["nowhere"] }, { redirect_uri: ["must be an absolute URI."] }],
    [{ redirectUris: [] }, { redirect_uri: ["can't be blank"] }],
    [{ scopes: [] }, { scopes: ["can't be blank"] }],
    [{ scopes: ["api", "root"] }, { scopes: ["doesn't match configured on the server."] }],
    [{ grantTypes: [] }, { grant_types: ["can't be blank"] }],
    [{ grantTypes: ["refresh_token"] }, { grant_types: ["must name a flow beside refresh_token"] }],
    [
      { grantTypes: ["authorization_code", "client_credentials"], confidential: false },
      { grant_types: ["cannot include client_credentials for an application that is not confidential"] },
    ],
    [{ homePage: "javascript:alert(1)" }, { home_page: ["must be an http or https address"] }],
    [{ homePage: "https://u@a.example" }, { home_page: ["must be an http or https address"] }],
    ...[
      ["nowhere", "must be an absolute URI."],
      ["https://app.example.org/out#here", "cannot contain a fragment."],
      ["https://u:p@app.example.org/out", "cannot contain a user name or password."],
      ["javascript:alert(1)", "is forbidden by the server."],
      ["urn:ietf:wg:oauth:2.0:oob", "must be an http or https address"],
      ["org.example.app:/out", "must be an http or https address"],
      ["https://127.0.0.1/out", "must not lead into a private network"],
      ["http://[::1]:8080/out", "must not lead into a private network"],
      ["http://0x7f.1/out", "must not lead into a private network"],
      ["https://db.internal/out", "must not lead into a private network"],
      ["https://app.example.org:22/out", "port 22 is not allowed"],
      [`https://app.example.org/${"x".repeat(2048)}`, "is too long (maximum is 2048 characters)"],
    ].map(([backchannelLogoutUri = "", fault = ""]): (typeof faults)[number] => [
      { backchannelLogoutUri },
      { backchannel_logout_uri: [fault] },
    ]),
    [
      { backchannelLogoutUri: "http://app.example.org/out", confidential: false },
      { backchannel_logout_uri: ["must be https for an application that is not confidential"] },
    ],
  ];
  for (const [change, expected] of faults) assert.deepEqual(faultsOf({ ...fine, ...change }), expected);
});

test("only grant types that redirect need a redirect URI (RFC 6749 §3.1.2)", () => {
  assert.deepEqual(faultsOf({ ...fine, redirectUris: [], grantTypes: ["password"] }), {});
});
