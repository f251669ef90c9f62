/** client-oauth2 uses the implicit flow and the password grant. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import ClientOAuth2 from "client-oauth2";
import { anApplication, decide, signedIn, type TestApplication } from "../support/oauth.ts";
import { PASSWORD, startWorld, type World } from "../support/world.ts";

let world: World;
let application: TestApplication;
let library: ClientOAuth2;

before(async () => {
  world = await startWorld();
  application = await anApplication(world);
  library = new ClientOAuth2({
    clientId: application.uid,
    clientSecret: application.secret,
    accessTokenUri: `${world.url}/oauth/token`,
    authorizationUri: `${world.url}/oauth/authorize`,
    redirectUri: application.redirectUri,
    scopes: ["read_user"],
    state: "abc",
  });
});

const nameOf = async (token: string) => (await world.call("/api/v4/user", { token })).json.username;

test("client-oauth2 reads the token from the fragment (spec: GET /oauth/authorize token result)", async () => {
  const to = new URL(library.token.getUri());
  const back = await decide(await signedIn(world, "dev"), to.pathname + to.search);
  const token = await library.token.getToken(back.headers.get("location") ?? "");
  assert.equal(await nameOf(token.accessToken), "dev");
  assert.equal(token.tokenType, "bearer");
});

test("client-oauth2 gets a token by password, and refreshes one from a code (spec: POST /oauth/token password 4)", async () => {
  const token = await library.owner.getToken("max", PASSWORD);
  assert.equal(await nameOf(token.accessToken), "max");
  await assert.rejects(library.owner.getToken("max", "wrong"), { code: "EAUTH" });
  const to = new URL(library.code.getUri());
  const back = await decide(await signedIn(world, "gus"), to.pathname + to.search);
  const first = await library.code.getToken(back.headers.get("location") ?? "");
  const second = await first.refresh();
  assert.notEqual(second.accessToken, first.accessToken);
  assert.equal(await nameOf(second.accessToken), "gus");
});
