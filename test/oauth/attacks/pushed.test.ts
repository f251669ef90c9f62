/** Attacks on pushed authorization requests: stolen, guessed and old names, and addresses of elsewhere (RFC 9126 §7). */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { before, test } from "node:test";
import { sweepOauth } from "../../../src/oauth/sweep.ts";
import { countOf } from "../../../src/platform/count-of.ts";
import { sql } from "../../../src/platform/sql.ts";
import { whenDone } from "../../support/cleanup.ts";
import {
  anApplication,
  answerOf,
  authorizePath,
  aVisitor,
  decide,
  hiddenFields,
  signedIn,
  type TestApplication,
  type Visitor,
} from "../../support/oauth.ts";
import { push, pushed, pushedPath } from "../../support/pushed.ts";
import { type Reply, startWorld, type World } from "../../support/world.ts";

let world: World;
let application: TestApplication;
let other: TestApplication;
let dev: Visitor;

before(async () => {
  world = await startWorld();
  application = await anApplication(world);
  other = await anApplication(world, { redirectUris: ["https://other.example.org/callback"] });
  dev = await signedIn(world, "dev");
});

const stored = () => countOf(world.platform.db, sql`select count(*) as n from pushed_requests`);
const codes = () => countOf(world.platform.db, sql`select count(*) as n from authorization_codes`);

function assertPage(reply: Reply, about: string): void {
  assert.equal(reply.status, 400, about);
  assert.equal(reply.headers.get("location"), null, about);
  assert.match(reply.headers.get("content-type") ?? "", /^text\/html/, about);
}

test("one application’s name is worth nothing with another’s id, and is not used up by it (RFC 9126 §7.2; reference oauth D11)", async () => {
  const mine = await pushed(world, application);
  assertPage(await dev.get(pushedPath(other, mine)), "by its id");
  assertPage(await dev.get(pushedPath({ uid: "0".repeat(64) }, mine)), "unknown id");
  assertPage(await dev.get(`/oauth/authorize?${new URLSearchParams({ request_uri: mine })}`), "no id");
  const twice = `${pushedPath(application, mine)}&client_id=${other.uid}`;
  assertPage(await dev.get(twice), "two ids");
  assertPage(
    await dev.get(`${pushedPath(application, mine)}&request_uri=${encodeURIComponent(mine)}`),
    "two names",
  );
  const code = answerOf(await decide(dev, pushedPath(application, mine))).code ?? "";
  assert.match(code, /^goc_/);
});

test("guessed, cut, lengthened and turned names lead to a page, whoever asks (RFC 9126 §7.1; reference oauth D13)", async () => {
  const mine = await pushed(world, application);
  const before = await codes();
  for (const name of [
    `urn:ietf:params:oauth:request_uri:${"f".repeat(64)}`,
    "urn:ietf:params:oauth:request_uri:",
    mine.slice(0, -1),
    `${mine}0`,
    `${mine}\0`,
    mine.toUpperCase(),
    ` ${mine}`,
    mine.replace("urn:", "URN:"),
    "urn:ietf:params:oauth:request_uri:%' or true --",
  ]) {
    assertPage(await dev.get(pushedPath(application, name)), name);
    assertPage(await aVisitor(world).get(pushedPath(application, name)), name);
  }
  assert.equal(await codes(), before);
});

test("a name is good for one answer, and for none once its 90 seconds are over (RFC 9126 §2.2, §4; reference oauth D9, D12)", async () => {
  const used = pushedPath(application, await pushed(world, application, { prompt: "consent" }));
  answerOf(await decide(dev, used));
  for (const visitor of [dev, aVisitor(world), await signedIn(world, "max")]) {
    assertPage(await visitor.get(used), "used");
  }
  const full = sql`select count(*) as n from pushed_requests where used_at is not null and parameters <> '{}'`;
  assert.equal(await countOf(world.platform.db, full), 0, "an answer empties it (decision 0205)");
  const waiting = pushedPath(application, await pushed(world, application, { prompt: "consent" }));
  await sweepOauth(world.platform);
  answerOf(await decide(dev, waiting));
  const late = pushedPath(application, await pushed(world, application));
  await world.platform.db.run(sql`update pushed_requests set expires_at = now() - interval '1 millisecond'
    where used_at is null`);
  assertPage(await dev.get(late), "expired");
});

test("an address that is not registered is refused when it is pushed, and nothing is kept (RFC 9126 §2.4; reference oauth D1, D7)", async () => {
  const before = await stored();
  for (const redirect_uri of [
    "https://evil.example.org/callback",
    `${application.redirectUri}/`,
    `${application.redirectUri}?x=1`,
    "https://other.example.org/callback",
    "javascript:alert(1)",
  ]) {
    const refused = await push(world, application, { redirect_uri });
    assert.deepEqual([refused.status, refused.json.error], [400, "invalid_request"], redirect_uri);
  }
  assert.equal(await stored(), before);
});

test("nothing is fetched for a request_uri of elsewhere, at either door (RFC 9101 §10.4; reference oauth D83)", async () => {
  let fetched = 0;
  const server = createServer((_request, response) => {
    fetched++;
    response.end();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  whenDone(async () => void server.close());
  const { port } = server.address() as AddressInfo;
  for (const scheme of ["http", "https"]) {
    const request_uri = `${scheme}://127.0.0.1:${port}/request.jwt`;
    assert.equal((await push(world, application, { request_uri })).json.error, "invalid_request");
    assertPage(await dev.get(pushedPath(application, request_uri)), scheme);
    const proven = answerOf(await dev.get(authorizePath(application, { request_uri })));
    assert.equal(proven.error, "request_uri_not_supported");
  }
  assert.equal(fetched, 0);
});

test("the page of a question names no request that its form could be led to in its place (reference oauth D15, D45)", async () => {
  const harmless = await pushed(world, application, { scope: "read_user", prompt: "consent" });
  const mighty = await pushed(world, application, { scope: "api", prompt: "consent" });
  const page = await dev.get(pushedPath(application, harmless));
  const fields = hiddenFields(page.text, "/oauth/authorize");
  assert.equal(fields.request_uri, undefined);
  const answer = await dev.post("/oauth/authorize", { ...fields, decision: "allow", request_uri: mighty });
  const { code = "" } = answerOf(answer);
  const form = { grant_type: "authorization_code", code, redirect_uri: application.redirectUri };
  const reply = await world.call("/oauth/token", { form, headers: { authorization: application.basic } });
  assert.equal(reply.json.scope, "read_user");
  const max = await signedIn(world, "max");
  const taken = await max.post("/oauth/authorize", {
    ...hiddenFields((await max.get(pushedPath(application, mighty))).text, "/oauth/authorize"),
    request_id: fields.request_id ?? "",
  });
  assertPage(taken, "another's question");
});

test("what is fetched ahead or framed gets no code and leaves the request to the person (reference reliability S13)", async () => {
  const path = pushedPath(application, await pushed(world, application));
  for (const headers of [{ "sec-purpose": "prefetch" }, { "sec-fetch-dest": "iframe" }]) {
    assert.equal((await dev.get(path, headers as Record<string, string>)).status, 200);
  }
  const before = await signedIn(world, "dev");
  const anew = pushedPath(application, await pushed(world, application, { prompt: "login" }));
  assert.equal(answerOf(await dev.get(anew, { "sec-purpose": "prefetch" })).error, "login_required");
  assert.equal((await before.get(anew)).headers.get("location"), anew);
  const head = await world.call(path, { method: "HEAD" });
  assert.equal(head.status, 405);
  assert.match(answerOf(await dev.get(path)).code ?? answerOf(await decide(dev, path)).code ?? "", /^goc_/);
});
