/** Generated requests to the endpoints of OAuth, with the credentials of an application and codes, tokens and forms that are valid. */
import { test } from "node:test";
import { sessionCookieName } from "../../src/accounts/session.ts";
import { requestsFor } from "../support/generated-forms.ts";
import { GeneratedRuns } from "../support/generated-runs.ts";
import { aCode, anApplication, authorizePath, CALLBACK, exchange, signedIn } from "../support/oauth.ts";
import { signedIn as inBrowser } from "../support/visitor.ts";
import { PASSWORD, startWorld } from "../support/world.ts";
import "../support/no-proto.ts";

const EACH = 150;

test("150 generated requests to each endpoint and grant of OAuth, valid but for some fields, get no 5xx and nothing but documented answers (reference reliability A18; reference oauth D85)", async (t) => {
  const world = await startWorld();
  const runs = new GeneratedRuns(world);
  const application = await anApplication(world, {
    scopes: ["api", "openid", "read_user"],
    grantTypes: [
      "authorization_code",
      "refresh_token",
      "password",
      "client_credentials",
      "device_code",
      "implicit",
    ],
  });
  const dev = await signedIn(world, "dev");
  const client = { client_id: application.uid, client_secret: application.secret };
  const device = { ...client, scope: "read_user" };
  const { json: pending } = await world.call("/oauth/authorize_device", { form: device });
  const { json: pair } = await exchange(world, application, await aCode(dev, application));
  const code = await aCode(dev, application);
  const asked = {
    response_type: "code",
    redirect_uri: CALLBACK,
    scope: "api openid",
    state: "s",
    nonce: "n",
  };
  const login = { grant_type: "password", username: "dev", password: PASSWORD, scope: "read_user" };
  const grants: [path: string, fields: Record<string, string>][] = [
    [
      "/oauth/token",
      {
        ...client,
        grant_type: "authorization_code",
        code,
        redirect_uri: CALLBACK,
        code_verifier: "v".repeat(43),
      },
    ],
    [
      "/oauth/token",
      { ...client, grant_type: "refresh_token", refresh_token: pair.refresh_token, scope: "api" },
    ],
    ["/oauth/token", { ...client, grant_type: "client_credentials", scope: "api", resource: world.url }],
    ["/oauth/token", { ...client, ...login }],
    [
      "/oauth/token",
      {
        ...client,
        grant_type: "urn:ietf:params:oauth:grant-type:device_code",
        device_code: pending.device_code,
      },
    ],
    ["/oauth/authorize_device", device],
    [
      "/oauth/par",
      {
        ...client,
        ...asked,
        code_challenge: "c".repeat(43),
        code_challenge_method: "S256",
        prompt: "login",
        max_age: "1",
      },
    ],
    ["/oauth/revoke", { ...client, token: pair.access_token, token_type_hint: "access_token" }],
    ["/oauth/introspect", { ...client, token: pair.access_token, token_type_hint: "refresh_token" }],
    ["/oauth/userinfo", { access_token: pair.access_token }],
    ["/oauth/register", { client_name: "X", redirect_uris: "[]", scope: "api" }],
  ];
  for (const [address, fields] of grants) {
    const offer = { method: "POST", address, fields: Object.entries(fields) };
    await runs.ask(`${address} ${fields.grant_type ?? ""}`, requestsFor(offer, ""), EACH);
  }
  const browser = await inBrowser(world, "dev");
  const cookie = `${sessionCookieName(false)}=${browser.cookie(sessionCookieName(false))}`;
  const looks: [path: string, fields: Record<string, string>][] = [
    [
      "/oauth/authorize",
      {
        ...asked,
        client_id: application.uid,
        prompt: "consent",
        login_hint: "dev",
        max_age: "0",
        id_token_hint: "x",
        response_mode: "form_post",
      },
    ],
    ["/oauth/authorize", Object.fromEntries(new URLSearchParams(authorizePath(application).split("?")[1]))],
    [
      "/oauth/logout",
      {
        client_id: application.uid,
        id_token_hint: "x",
        post_logout_redirect_uri: CALLBACK,
        state: "s",
        logout_hint: "dev",
      },
    ],
    ["/oauth/device", { user_code: pending.user_code }],
    ["/oauth/token/info", { access_token: pair.access_token }],
    ["/.well-known/webfinger", { resource: world.url, rel: "http://openid.net/specs/connect/1.0/issuer" }],
  ];
  for (const [address, fields] of looks) {
    for (const method of ["GET", "POST"]) {
      const offer = { method, address, fields: Object.entries(fields) };
      await runs.ask(`${method} ${address}`, requestsFor(offer, browser.csrfToken), EACH, (one) => ({
        ...one,
        headers: { cookie, ...one.headers },
      }));
    }
  }
  await runs.assertNoFault(t, 3000);
});
