/** A scene with DPoP-bound tokens: two applications of Olga's, two keys, and requests by Dev (RFC 9449). */
import assert from "node:assert/strict";
import { aScene } from "./attacks.ts";
import { aKey, proofBy, type Said, type TestKey } from "./dpop.ts";
import { aCode, anApplication, aProof, type TestApplication, tokenCall } from "./oauth.ts";
import type { Reply } from "./world.ts";

/** Parts of a proof that are to be different. */
export type More = Partial<Said> & { by?: TestKey };

export const credentials = ({ uid, secret }: TestApplication) =>
  secret === "" ? { client_id: uid } : { client_id: uid, client_secret: secret };

export async function aBoundScene() {
  const { world, dev, application } = await aScene({}, { scopes: ["api", "read_user", "profile", "openid"] });
  /** Public; the other one is confidential. */
  const open = await anApplication(world, { confidential: false, scopes: ["api", "openid"] });
  const key = await aKey();
  const other = await aKey();
  const own = (app: TestApplication) => (app === open ? { client_id: app.uid } : credentials(app));

  /** Sends a form to the token endpoint with a proof; `undefined` sends none. */
  function asked(form: Record<string, string | undefined>, proof: More | undefined = {}): Promise<Reply> {
    const dpop =
      proof && proofBy(proof.by ?? key, { method: "POST", url: `${world.url}/oauth/token`, ...proof });
    return tokenCall(world, form, dpop === undefined ? {} : { dpop });
  }

  /** The form that redeems a new code of Dev's. */
  async function codeForm(app: TestApplication, more: Record<string, string> = {}) {
    const { verifier, challenge } = aProof();
    const pkce = { code_challenge: challenge, code_challenge_method: "S256" };
    const code = await aCode(dev, app, { ...pkce, ...more });
    const { redirectUri: redirect_uri } = app;
    return { grant_type: "authorization_code", code, redirect_uri, code_verifier: verifier, ...own(app) };
  }

  /** Tokens of Dev's that are bound to the key. */
  async function boundPair(app: TestApplication, scope = "api openid") {
    const issued = await asked(await codeForm(app, { scope }));
    assert.equal(issued.status, 200, issued.text);
    assert.equal(issued.json.token_type, "DPoP");
    return issued.json as { access_token: string; refresh_token: string };
  }

  const renewal = (app: TestApplication, refresh_token: string) => ({
    grant_type: "refresh_token",
    refresh_token,
    ...own(app),
  });

  /** A request with a bound token and a valid proof, or one with changed parts. */
  function shown(
    path: string,
    token: string,
    { by = key, ...more }: More = {},
    method = "GET",
  ): Promise<Reply> {
    const dpop = proofBy(by, { method, url: world.url + path, accessToken: token, ...more });
    return world.call(path, { method, headers: { authorization: `DPoP ${token}`, dpop } });
  }

  return { world, dev, application, open, key, other, own, asked, codeForm, boundPair, renewal, shown };
}

/** Asserts a 400 of the token endpoint, without a challenge. */
export function isRefused(reply: Reply, error: string, what: string): void {
  assert.deepEqual([reply.status, reply.json.error], [400, error], what);
  assert.equal(reply.headers.get("www-authenticate"), null);
}

/** Asserts a 401 with a challenge that names the scheme, its algorithms and the error. */
export function isUnproven(reply: Reply, error: "invalid_token" | "invalid_dpop_proof", what: string): void {
  assert.equal(reply.status, 401, `${what}: ${reply.text}`);
  const challenge = reply.headers.get("www-authenticate") ?? "";
  assert.match(challenge, /^DPoP realm="Gatehouse", algs="RS256 PS256 ES256 [^"]+", error="/, what);
  assert.ok(challenge.includes(`error="${error}"`), `${what}: ${challenge}`);
}
