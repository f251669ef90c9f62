/** Registration responses of authenticators are checked as strictly as those for signing in. */
import assert from "node:assert/strict";
import { before, describe, it, test } from "node:test";
import { sql } from "../../src/platform/sql.ts";
import { Authenticator, addPasskey, type Lies, optionsOf } from "../support/authenticator.ts";
import { signedIn, type Visitor } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let max: Visitor;
before(async () => {
  world = await startWorld();
  max = await signedIn(world, "max");
});

const HOME = "/profile/two_factor";
const PASSKEYS = `${HOME}/passkeys`;

/** Opens the page and requests a challenge. */
async function asked() {
  await max.get(HOME);
  return optionsOf(max, `${PASSKEYS}/options`);
}

/** The registration is refused, and no key is stored. */
async function assertRefused(passkey: string, visitor = max, what = "") {
  const page = await visitor.post(PASSKEYS, { name: "Blue key", passkey });
  assert.equal(page.status, 422, what);
  assert.match(page.text, /The passkey could not be checked/, what);
  assert.doesNotMatch((await visitor.get(HOME)).text, /Blue key/, what);
}

describe("a passkey is not registered", () => {
  const lies: readonly (readonly [what: string, lies: Lies])[] = [
    ["made for another site", { origin: "https://gatehouse.example" }],
    ["made for another port", { origin: "http://localhost:1" }],
    ["made for another domain", { rpId: "example.org" }],
    ["made for another question", { challenge: "bm90IHRoZSBjaGFsbGVuZ2U" }],
    ["of the ceremony of sign-in", { type: "webauthn.get" }],
  ];
  for (const [what, lie] of lies) {
    it(`with a response ${what} (WebAuthn 3 §7.1)`, async () => {
      await assertRefused(new Authenticator(world.url).create(await asked(), lie));
    });
  }

  it("with a response to a challenge of another session, an expired one, one for another purpose, or one already answered (WebAuthn 3 §13.4.3)", async () => {
    const elsewhere = await signedIn(world, "max");
    await elsewhere.get(HOME);
    await assertRefused(new Authenticator(world.url).create(await asked()), elsewhere, "another session");

    const late = new Authenticator(world.url).create(await asked());
    await world.platform.db.run(sql`update passkey_challenges set expires_at = now() - interval '1 second'`);
    await assertRefused(late, max, "an old question");

    await max.get("/users/prove");
    const proof = await optionsOf(max, "/users/prove/passkey/options");
    await assertRefused(new Authenticator(world.url).create(proof), max, "another purpose");

    const options = await asked();
    await assertRefused(new Authenticator(world.url).create(options, { origin: "http://localhost:1" }));
    await assertRefused(new Authenticator(world.url).create(options), max, "answered before");
  });
});

test("browsers get the known transports of a passkey only (WebAuthn 3 §5.8.4)", async () => {
  const dev = await signedIn(world, "dev");
  const { authenticator } = await addPasskey(dev, world.url);
  await dev.get("/users/prove");
  assert.deepEqual((await optionsOf(dev, "/users/prove/passkey/options")).allowCredentials, [
    { id: authenticator.id.toString("base64url"), type: "public-key", transports: ["internal"] },
  ]);
});
