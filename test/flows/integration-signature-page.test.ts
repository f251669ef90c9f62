import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { before, test } from "node:test";
import { aSource, type Source } from "../support/alerts.ts";
import { signedIn, type Visitor } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

const SECRET = "a secret that both sides know";
let world: World;
let source: Source;
let path: string;
let max: Visitor;
before(async () => {
  world = await startWorld();
  source = await aSource(world);
  path = `/acme/rocket/-/settings/operations/integrations/${source.id}`;
  max = await signedIn(world, "max");
});

const save = (fields: Record<string, string>) => max.submit(`${path}/signature`, fields, path);
const sendSigned = (secret: string) => {
  const payload = { title: "Signed" };
  const signature = createHmac("sha256", secret).update(JSON.stringify(payload)).digest("hex");
  return source.send(payload, { "x-my-signature": `sha256=${signature}` });
};

test("a Maintainer sets the required signature on the page, which never shows the secret again (decision 0110)", async () => {
  const fields = { signature: "hmac_sha256", signature_header: "X-My-Signature", signature_secret: SECRET };
  assert.equal((await save(fields)).location, path);
  const { text } = await max.get(path);
  assert.match(text, /must be signed from now on/);
  assert.match(text, /<option value="hmac_sha256" selected>/);
  assert.match(text, /value="x-my-signature"/);
  assert.ok(!text.includes(SECRET));
  assert.equal((await source.send({ title: "Unsigned" })).status, 401);
  assert.equal((await sendSigned("a secret of somebody else")).status, 401);
  assert.equal((await sendSigned(SECRET)).status, 200);
});

test("an empty secret keeps the current one, and without a signature the key alone is enough again (decision 0110)", async () => {
  await save({ signature: "hmac_sha256", signature_header: "x-my-signature", signature_secret: "" });
  assert.equal((await sendSigned(SECRET)).status, 200);
  // A secret that the browser filled in by itself has no effect.
  assert.equal((await save({ signature: "", signature_secret: "filled in" })).location, path);
  assert.equal((await source.send({ title: "Unsigned" })).status, 200);
});

test("errors are shown and the form keeps what was typed, except the secret (reference ux §4)", async () => {
  const short = await save({ signature: "sentry", signature_header: "", signature_secret: "short one" });
  assert.equal(short.status, 422);
  assert.match(short.text, /too short/);
  assert.match(short.text, /<option value="sentry" selected>/);
  assert.ok(!short.text.includes("short one"));
  const header = { signature: "sentry", signature_header: "authorization", signature_secret: SECRET };
  assert.match((await save(header)).text, /cannot be Authorization/);
  assert.match(
    (await save({ signature: "sentry", signature_secret: "" })).text,
    /can&#39;t be blank|can't be blank/,
  );
  assert.equal((await save({ signature: "rot13" })).status, 422);
  assert.equal((await source.send({ title: "Nothing changed" })).status, 200);
});

test("a Developer cannot change the signature (contract §3)", async () => {
  const dev = await signedIn(world, "dev");
  await dev.get("/projects");
  const page = await dev.post(`${path}/signature`, { signature: "sentry", signature_secret: SECRET });
  assert.equal(page.status, 403);
  assert.equal((await source.send({ title: "Nothing changed" })).status, 200);
});
