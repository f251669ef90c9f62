/** What the fields of an application may be. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type ApplicationFields, applicationFaults } from "../../src/oauth/application.ts";

const fine: ApplicationFields = {
  name: "Relay Console",
  redirectUris: ["https://app.example.org/cb"],
  postLogoutRedirectUris: [],
  scopes: ["read_user"],
  grantTypes: ["authorization_code"],
  confidential: true,
  omitIss: false,
  idTokenAlgorithm: "RS256",
  homePage: "",
};

test("an application with sound fields has no faults", () => {
  assert.deepEqual(applicationFaults(fine), {});
  assert.deepEqual(applicationFaults({ ...fine, homePage: "https://app.example.org/about" }), {});
});

test("each unsound field is named with its fault (reference oauth A9; S21)", () => {
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
  ];
  for (const [change, expected] of faults)
    assert.deepEqual(applicationFaults({ ...fine, ...change }), expected);
});

test("only flows that redirect need a redirect URI (RFC 6749 §3.1.2)", () => {
  assert.deepEqual(applicationFaults({ ...fine, redirectUris: [], grantTypes: ["password"] }), {});
});
