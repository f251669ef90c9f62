/** Attacks on PKCE: downgrades, weak verifiers, and a challenge that a form could change. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { aScene } from "../../support/attacks.ts";
import {
  aCode,
  anApplication,
  answerOf,
  aProof,
  authorizePath,
  exchange,
  hiddenFields,
  type TestApplication,
  type Visitor,
} from "../../support/oauth.ts";
import type { World } from "../../support/world.ts";

let world: World;
let dev: Visitor;
let application: TestApplication;
let open: TestApplication;
const { verifier, challenge } = aProof();
const PROVEN = { code_challenge: challenge, code_challenge_method: "S256" };

before(async () => {
  ({ world, dev, application } = await aScene());
  open = await anApplication(world, { confidential: false });
});

test("plain, no method, another word, and a challenge that is no SHA-256 are refused, for either kind of application (reference oauth D19, reliability S17)", async () => {
  for (const asked of [
    { code_challenge: verifier, code_challenge_method: "plain" },
    { code_challenge: challenge },
    { code_challenge: challenge, code_challenge_method: "s256" },
    { code_challenge: challenge, code_challenge_method: "S512" },
    { code_challenge: challenge, code_challenge_method: "none" },
    { code_challenge: challenge.slice(1), code_challenge_method: "S256" },
    { code_challenge: `${challenge}a`, code_challenge_method: "S256" },
    { code_challenge: "x".repeat(129), code_challenge_method: "S256" },
    { code_challenge: `${challenge.slice(0, 42)}+`, code_challenge_method: "S256" },
    { code_challenge: `${challenge}=`, code_challenge_method: "S256" },
    { code_challenge: `${challenge}\n`, code_challenge_method: "S256" },
    { code_challenge_method: "S256" },
    { code_challenge_method: "plain" },
  ]) {
    for (const who of [application, open]) {
      const answer = answerOf(await dev.get(authorizePath(who, asked)));
      assert.equal(answer.error, "invalid_request", JSON.stringify(asked));
      assert.equal(answer.code, undefined);
    }
  }
});

test("a code with a challenge wants its verifier, of 43 to 128 unreserved characters (reference oauth D17, D20, reliability S18)", async () => {
  for (const code_verifier of [
    undefined,
    "",
    challenge,
    aProof().verifier,
    verifier.toUpperCase(),
    verifier.slice(0, 42),
    verifier.padEnd(129, "x"),
    `${verifier} `,
    `${verifier}\0`,
    `${verifier.slice(0, 42)}é`,
    `${verifier.slice(0, 42)}+`,
    "x".repeat(100_000),
  ]) {
    const code = await aCode(dev, open, PROVEN);
    const refused = await exchange(world, open, code, { client_secret: undefined, code_verifier });
    assert.deepEqual(
      [refused.status, refused.json.error],
      [400, "invalid_grant"],
      code_verifier?.slice(0, 130),
    );
  }
  const code = await aCode(dev, open, PROVEN);
  const right = await exchange(world, open, code, { client_secret: undefined, code_verifier: verifier });
  assert.equal(right.status, 200, right.text);
});

test("a verifier for a code without a challenge is a downgrade and refused; the secret does not make up for it (reference oauth D18, reliability S19)", async () => {
  const code = await aCode(dev, application);
  const refused = await exchange(world, application, code, { code_verifier: verifier });
  assert.deepEqual([refused.status, refused.json.error], [400, "invalid_grant"]);
  const stripped = await aCode(dev, application, PROVEN);
  assert.equal((await exchange(world, application, stripped)).json.error, "invalid_grant");
});

test("a public application without a challenge gets no code, and the challenge is in no field of the form (reference oauth D21, D45, reliability S11)", async () => {
  const refused = answerOf(await dev.get(authorizePath(open)));
  assert.deepEqual([refused.error, refused.code], ["invalid_request", undefined]);
  const page = await dev.get(authorizePath(open, PROVEN));
  assert.equal(page.text.includes(challenge), false);
  const mine = aProof();
  const reply = await dev.post("/oauth/authorize", {
    ...hiddenFields(page.text, "/oauth/authorize"),
    code_challenge: mine.challenge,
    code_challenge_method: "S256",
    decision: "allow",
  });
  const { code = "" } = answerOf(reply);
  const form = { client_secret: undefined };
  assert.equal((await exchange(world, open, code, { ...form, code_verifier: mine.verifier })).status, 400);
  assert.equal((await exchange(world, open, code, { ...form, code_verifier: verifier })).status, 200);
});
