/** Forms sent with an outdated CSRF token, over HTTP: nothing is changed, and what was typed is not lost. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import "../support/no-proto.ts";
import { hiddenFields } from "../support/oauth.ts";
import { signedIn, Visitor } from "../support/visitor.ts";
import { PASSWORD, startWorld, type World } from "../support/world.ts";

let world: World;
let max: Visitor;
/** The headers that a browser sends with a form of this site. */
let ours: Record<string, string>;
before(async () => {
  world = await startWorld();
  ours = { origin: world.url, "sec-fetch-site": "same-origin" };
  max = await signedIn(world, "max");
});

const SETTINGS = "/acme/rocket/-/settings/general";
const typed = { name: "Rocket", path: "rocket", visibility: "private", default_branch: "main" };
const AGAIN = /Send it again/;
const description = async () => {
  const { text } = await world.call("/api/v4/projects/acme%2Frocket", { as: "max" });
  return (JSON.parse(text) as { description: string | null }).description;
};

describe("a form with an outdated CSRF token", () => {
  it("is refused, shows what was typed, and can be sent again with the current token (reference ux §7)", async () => {
    const words = 'First line.\r\nA <b>"second"</b> & last.';
    const sent = {
      ...typed,
      description: words,
      shown: '{"description":"What stood there"}',
      csrf_token: "old",
    };
    const late = await max.post(SETTINGS, sent, ours);
    assert.equal(late.status, 403);
    assert.match(late.text, AGAIN);
    assert.match(late.text, /You are signed in as <strong[^>]*>[^<]*<\/strong> \(@max\)/);
    assert.match(late.text, /<dd class="wrap-any">First line\./);
    assert.doesNotMatch(late.text, /<b>|<dd[^>]*>What stood there/);
    assert.notEqual(await description(), words);
    const fields = hiddenFields(late.text, SETTINGS);
    const unescaped = (text: string) =>
      text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
    const again = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, unescaped(value)]));
    assert.equal((await max.post(SETTINGS, again, ours)).status, 303);
    assert.match((await description()) ?? "", /^First line\.\r?\nA <b>"second"<\/b> & last\.$/);
  });

  it("keeps all values of checkboxes with the same name (reference ux §7)", async () => {
    const ticked: [string, string][] = [
      ["csrf_token", "old"],
      ["iids[]", "1"],
      ["iids[]", "2"],
      ["action", "resolve"],
    ];
    const { text } = await max.post("/acme/rocket/-/alerts", ticked, ours);
    const kept = [...text.matchAll(/name="iids\[\]" value="(\d+)"/g)].map(([, iid]) => iid);
    assert.deepEqual(kept, ["1", "2"]);
  });

  it("works with any field names, and a JSON request is refused without an offer to send it again (reference ux §7, 403)", async () => {
    const fields = { csrf_token: "old", constructor: "a", ["__proto__"]: "b", toString: "c" };
    const late = await max.post(SETTINGS, Object.entries(fields), ours);
    const labels = [...late.text.matchAll(/<dt class="wrap-any">([^<]*)/g)].map(([, label]) => label?.trim());
    assert.deepEqual([late.status, labels], [403, ["Constructor", "proto", "ToString"]]);
    for (const name of [null, 5, { toString: 1 }, [{ toString: 1 }]]) {
      const options = { method: "POST", json: { csrf_token: "old", name }, headers: ours };
      const refused = await world.call(SETTINGS, options);
      assert.equal(refused.status, 403, refused.text);
      assert.doesNotMatch(refused.text, AGAIN);
    }
  });

  it("labels what was typed with the words of the original form, such as those of the application form (reference ux §7)", async () => {
    const application: [string, string][] = [
      ["csrf_token", "old"],
      ["name", "Relay Console"],
      ["redirect_uri", "https://app.example.org/callback"],
      ["scopes", "read_user"],
      ["grant_types", "authorization_code"],
      ["id_token_signed_response_alg", "ES256"],
    ];
    const labels = async (path: string, fields: [string, string][]) =>
      [...(await max.post(path, fields, ours)).text.matchAll(/<dt class="wrap-any">([^<]*)/g)].map(
        ([, label]) => label,
      );
    assert.deepEqual(await labels("/profile/applications", application), [
      "Name",
      "Redirect URIs",
      "Scopes",
      "Flows",
      "ID token signing algorithm",
    ]);
    const others: [string, string][] = [
      ["csrf_token", "old"],
      ["access_level", "30"],
      ["default_branch", "main"],
      ["api_url", "https://a.example"],
      ["grace_seconds", "900"],
    ];
    assert.deepEqual(await labels(SETTINGS, others), [
      "Role",
      "Default branch",
      "API URL",
      "Grace, in seconds",
    ]);
  });

  it("tells signed-out users so, and can be sent again after signing in (reference ux §7)", async () => {
    const visitor = new Visitor(world.url);
    const sent = { ...typed, description: "Typed at night." };
    const late = await visitor.post(SETTINGS, { ...sent, csrf_token: "old" }, ours);
    assert.equal(late.status, 403);
    assert.match(late.text, /You are not signed in/);
    const first = hiddenFields(late.text, SETTINGS);
    await visitor.submit("/users/sign_in", { username: "max", password: PASSWORD });
    const second = await visitor.post(SETTINGS, first, ours);
    assert.equal(second.status, 403);
    assert.equal((await visitor.post(SETTINGS, hiddenFields(second.text, SETTINGS), ours)).status, 303);
    assert.equal(await description(), "Typed at night.");
  });

  it("is not offered again unless the headers prove that a page of this site sent it, so that nobody resends what another site wrote (reference reliability S10)", async () => {
    for (const headers of [
      {},
      { origin: "null" },
      { origin: "https://evil.example" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { ...ours, "sec-fetch-site": "cross-site" },
    ] as Record<string, string>[]) {
      const refused = await max.post(
        SETTINGS,
        { ...typed, description: "Planted", csrf_token: "old" },
        headers,
      );
      assert.equal(refused.status, 403, JSON.stringify(headers));
      assert.doesNotMatch(refused.text, /Send it again|Planted/);
      assert.match(refused.text, /too old or was sent from another site/);
    }
  });

  it("never shows or returns passwords, codes and other secrets (reference ux §7)", async () => {
    for (const [path, name] of [
      ["/profile/password", "current_password"],
      ["/profile/two_factor/confirm", "code"],
      ["/acme/rocket/-/settings/operations/integrations/1/signature", "signature_secret"],
    ] as const) {
      const refused = await max.post(path, { [name]: "Unspeakable", csrf_token: "old" }, ours);
      assert.equal(refused.status, 403, path);
      assert.doesNotMatch(refused.text, /Send it again|Unspeakable/, path);
      assert.match(refused.text, /Go back, reload the page and try again/);
      assert.doesNotMatch(refused.text, /Ask an owner/, "nobody else can help");
    }
  });

  it("keeps public keys, but never returns private keys that were pasted in their place (reference ux §7; decision 0206)", async () => {
    const late = (jwks: string) =>
      max.post("/profile/applications", { name: "Relay", jwks, csrf_token: "old" }, ours);
    const [open, ...secret] = [{ x: "AAAA" }, { x: "AAAA", d: "Unspeakable" }].flatMap((more) => {
      const jwk = { kty: "OKP", crv: "Ed25519", ...more };
      return "d" in more ? [JSON.stringify(jwk), JSON.stringify({ keys: [jwk] })] : [JSON.stringify(jwk)];
    });
    assert.match((await late(open ?? "")).text, AGAIN);
    for (const jwks of [...secret, "-----BEGIN PRIVATE KEY-----\nUnspeakable"]) {
      const refused = await late(jwks);
      assert.equal(refused.status, 403);
      assert.doesNotMatch(refused.text, /Send it again|Unspeakable/, jwks);
    }
  });

  it("is not offered again if it was the consent form of an application (RFC 6749 §10.12)", async () => {
    const refused = await max.post("/oauth/authorize", { decision: "allow", csrf_token: "old" }, ours);
    assert.equal(refused.status, 403);
    assert.doesNotMatch(refused.text, AGAIN);
  });
});
