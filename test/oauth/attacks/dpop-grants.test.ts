/** Attacks on what hands out tokens that are bound to a key: codes and refresh tokens in other hands, broken proofs, grants without one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sweepOauth } from "../../../src/oauth/sweep.ts";
import { aBoundScene, isRefused, isUnproven, type More } from "../../support/bound-tokens.ts";
import type { TestKey } from "../../support/dpop.ts";
import {
  anApplication,
  answerOf,
  authorizePath,
  hiddenFields,
  signedIn,
  tokenCall,
} from "../../support/oauth.ts";
import { PASSWORD } from "../../support/world.ts";

const { world, dev, application, open, key, other, own, asked, codeForm, boundPair, renewal, shown } =
  await aBoundScene();

test("a broken proof at the token endpoint spends neither code nor refresh token (RFC 9449 §5)", async () => {
  const form = await codeForm(open);
  const broken: [string, More][] = [
    ["method", { method: "GET" }],
    ["address", { url: `${world.url}/oauth/revoke` }],
    ["old", { claims: { iat: Math.floor(Date.now() / 1000) - 100 } }],
    ["future", { claims: { iat: Math.floor(Date.now() / 1000) + 100 } }],
    ["none", { header: { alg: "none" } }],
    ["HS256", { header: { alg: "HS256" } }],
    ["private", { header: { jwk: key.privateJwk } }],
    ["long", { claims: { more: "x".repeat(8000) } }],
    ["signature", { by: { ...key, privateKey: other.privateKey } }],
  ];
  for (const [what, more] of broken) isRefused(await asked(form, more), "invalid_dpop_proof", what);
  const empty = await tokenCall(world, form, { dpop: "" });
  isRefused(empty, "invalid_dpop_proof", "empty");
  const issued = await asked(form);
  assert.equal(issued.status, 200, issued.text);
  const again = renewal(open, issued.json.refresh_token);
  for (const [what, more] of broken) isRefused(await asked(again, more), "invalid_dpop_proof", what);
  assert.equal((await asked(again)).status, 200);
});

test("the name of a proof is spent for its key alone: nobody can use up those of others (RFC 9449 §11.1)", async () => {
  const claims = { jti: "a name that two may choose" };
  for (const by of [key, other]) {
    const issued = await asked(await codeForm(open), { by, claims });
    assert.equal(issued.status, 200, issued.text);
  }
  await sweepOauth(world.platform);
  for (const by of [key, other]) {
    isRefused(await asked(await codeForm(open), { by, claims }), "invalid_dpop_proof", "again");
  }
});

test("the refresh token of a public application is of no use without its key, and showing it harms nobody (RFC 9449 §5)", async () => {
  const pair = await boundPair(open);
  const form = renewal(open, pair.refresh_token);
  isRefused(await asked(form, { by: other }), "invalid_grant", "another key");
  isRefused(await tokenCall(world, form), "invalid_grant", "no key");
  const next = await asked(form);
  assert.equal(next.json.token_type, "DPoP", next.text);
  for (const thief of [() => asked(form, { by: other }), () => tokenCall(world, form)]) {
    isRefused(await thief(), "invalid_grant", "spent, by another key");
  }
  assert.equal((await shown("/api/v4/user", next.json.access_token)).status, 200, "the family lives");
  const third = await asked(renewal(open, next.json.refresh_token));
  assert.equal(third.status, 200, "its successors are bound as well");
  isRefused(
    await asked(renewal(open, third.json.refresh_token), { by: other }),
    "invalid_grant",
    "successor",
  );
});

test("an unbound refresh token of a public application that brings a key is bound from then on (RFC 9449 §5; decision 0207)", async () => {
  const plain = await asked(await codeForm(open), undefined);
  const first = await tokenCall(world, await codeForm(open));
  assert.equal(first.json.token_type, "bearer", first.text);
  assert.equal(plain.json.token_type, "DPoP");
  const bound = await asked(renewal(open, first.json.refresh_token));
  assert.equal(bound.json.token_type, "DPoP");
  isRefused(
    await tokenCall(world, renewal(open, bound.json.refresh_token)),
    "invalid_grant",
    "without the key",
  );
});

test("a confidential application renews with another key, and then holds a token of that key (RFC 9449 §5)", async () => {
  const pair = await boundPair(application);
  const next = await asked(renewal(application, pair.refresh_token), { by: other });
  assert.equal(next.json.token_type, "DPoP", next.text);
  isUnproven(await shown("/api/v4/user", next.json.access_token), "invalid_dpop_proof", "the first key");
  assert.equal((await shown("/api/v4/user", next.json.access_token, { by: other })).status, 200);
});

test("an application that has got a secret keeps the keys of the refresh tokens that it had without one (RFC 9449 §5; decision 0207)", async () => {
  const grown = await anApplication(world, { owner: null, confidential: false, scopes: ["api", "openid"] });
  const pair = await boundPair(grown);
  const at = `/api/v4/applications/${grown.id}`;
  const json = { confidential: true };
  assert.equal((await world.call(at, { as: "ada", method: "PUT", json })).status, 200);
  const { secret } = (await world.call(`${at}/renew-secret`, { as: "ada", json: {} })).json;
  const proven = { ...grown, secret };
  const next = await asked(renewal(proven, pair.refresh_token));
  assert.equal(next.status, 200, next.text);
  for (const token of [pair.refresh_token, next.json.refresh_token]) {
    const form = renewal(proven, token);
    isRefused(await tokenCall(world, form), "invalid_grant", "no key");
    isRefused(await asked(form, { by: other }), "invalid_grant", "another key");
  }
  assert.equal((await asked(renewal(proven, next.json.refresh_token))).status, 200);
});

test("the answer that is repeated for half a minute goes to the key that had it, and to no other (reference oauth C1; decision 0207)", async () => {
  for (const app of [application, open]) {
    const pair = await boundPair(app);
    const form = renewal(app, pair.refresh_token);
    const first = await asked(form);
    const again = await asked(form);
    assert.equal(again.json.access_token, first.json.access_token, "the same request with a fresh proof");
    assert.equal(again.json.token_type, "DPoP");
    isRefused(await asked(form, { by: other }), "invalid_grant", "another key");
    isRefused(await tokenCall(world, form), "invalid_grant", "no key");
    assert.equal((await shown("/api/v4/user", first.json.access_token)).status, 200);
  }
  const unbound = (await tokenCall(world, await codeForm(application))).json;
  const form = renewal(application, unbound.refresh_token);
  const first = await tokenCall(world, form);
  assert.equal(first.json.token_type, "bearer");
  isRefused(await asked(form), "invalid_grant", "a token of none is not told as one of a key");
});

test("of parallel refreshes with two keys one key gets the successors, as often as it asks, and the other nothing (reference oauth D23)", async () => {
  for (const app of [application, open]) {
    const pair = (await tokenCall(world, await codeForm(app))).json;
    const form = renewal(app, pair.refresh_token);
    const replies = await Promise.all(
      Array.from({ length: 16 }, (_, index) => asked(form, { by: index % 2 === 0 ? key : other })),
    );
    const keys = new Set<TestKey>();
    const tokens = new Set<string>();
    replies.forEach((reply, index) => {
      if (reply.status !== 200) {
        isRefused(reply, "invalid_grant", "lost");
        return;
      }
      keys.add(index % 2 === 0 ? key : other);
      tokens.add(reply.json.access_token);
    });
    assert.deepEqual([keys.size, tokens.size], [1, 1]);
    const [winner = key] = keys;
    const [token = ""] = tokens;
    assert.equal((await shown("/api/v4/user", token, { by: winner })).status, 200);
    isUnproven(
      await shown("/api/v4/user", token, { by: winner === key ? other : key }),
      "invalid_dpop_proof",
      "lost",
    );
  }
});

test("a code that was asked for by the thumbprint of a key is spent with that key alone (RFC 9449 §10)", async () => {
  for (const app of [application, open]) {
    const form = await codeForm(app, { dpop_jkt: key.thumbprint });
    isRefused(await asked(form, { by: other }), "invalid_grant", "another key");
    isRefused(await tokenCall(world, form), "invalid_grant", "no key");
    const issued = await asked(form);
    assert.equal(issued.json.token_type, "DPoP", issued.text);
  }
  for (const thumbprint of ["x", "x".repeat(42), `${key.thumbprint}=`, "!".repeat(43)]) {
    const reply = await dev.get(authorizePath(application, { dpop_jkt: thumbprint }));
    assert.equal(answerOf(reply).error, "invalid_request", thumbprint);
  }
});

test("every grant binds its tokens: password, client credentials, device (RFC 9449 §5)", async () => {
  const machine = await anApplication(world, {
    grantTypes: ["client_credentials", "password", "device_code", "refresh_token"],
    confidential: true,
  });
  const granted = [
    await asked({ grant_type: "client_credentials", scope: "api", ...own(machine) }),
    await asked({
      grant_type: "password",
      username: "dev",
      password: PASSWORD,
      scope: "api",
      ...own(machine),
    }),
  ];
  const television = await anApplication(world, {
    grantTypes: ["device_code", "refresh_token"],
    confidential: false,
  });
  const begun = await world.call("/oauth/authorize_device", {
    form: { client_id: television.uid, scope: "api" },
  });
  const link = new URL(begun.json.verification_uri_complete);
  const max = await signedIn(world, "max");
  const form = await max.get(link.pathname + link.search);
  const question = await max.post("/oauth/device", {
    ...hiddenFields(form.text, "/oauth/device"),
    user_code: begun.json.user_code,
  });
  await max.post("/oauth/device", { ...hiddenFields(question.text, "/oauth/device"), decision: "allow" });
  const device = await asked({
    grant_type: "urn:ietf:params:oauth:grant-type:device_code",
    device_code: begun.json.device_code,
    client_id: television.uid,
  });
  for (const { json, text } of [...granted, device]) {
    assert.equal(json.token_type, "DPoP", text);
    assert.equal((await shown("/api/v4/user", json.access_token)).status, 200);
    isUnproven(await world.call("/api/v4/user", { token: json.access_token }), "invalid_token", "as Bearer");
  }
  const renew = {
    grant_type: "refresh_token",
    refresh_token: device.json.refresh_token,
    client_id: television.uid,
  };
  isRefused(await asked(renew, { by: other }), "invalid_grant", "a device is public");
  assert.equal((await asked(renew)).status, 200);
});

test("an application that takes only bound tokens gets no other: no grant without a proof, and nothing in a fragment (RFC 9449 §5.2)", async () => {
  const strict = await anApplication(world, {
    boundTokensOnly: true,
    grantTypes: ["authorization_code", "refresh_token", "implicit", "password", "client_credentials"],
  });
  const form = await codeForm(strict);
  isRefused(await tokenCall(world, form), "invalid_dpop_proof", "code");
  const issued = await asked(form);
  assert.equal(issued.json.token_type, "DPoP", "the code was not spent");
  isRefused(
    await tokenCall(world, renewal(strict, issued.json.refresh_token)),
    "invalid_dpop_proof",
    "refresh",
  );
  const rest = [
    { grant_type: "client_credentials" },
    { grant_type: "password", username: "dev", password: PASSWORD },
  ];
  for (const one of rest) {
    isRefused(await tokenCall(world, { ...one, ...own(strict) }), "invalid_dpop_proof", one.grant_type);
  }
  const implicit = await dev.get(authorizePath(strict, { response_type: "token" }));
  assert.equal(answerOf(implicit).error, "unauthorized_client");
});
