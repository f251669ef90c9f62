/** prompt, max_age and trust in authorization requests, and what owners read about a wrong redirect URI. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { sql } from "../../src/platform/sql.ts";
import {
  aCode,
  anApplication,
  answerOf,
  authorizePath,
  aVisitor,
  decide,
  hiddenFields,
  signedIn,
  type TestApplication,
  type Visitor,
} from "../support/oauth.ts";
import { PASSWORD, type Person, startWorld, type World } from "../support/world.ts";

let world: World;
let application: TestApplication;

before(async () => {
  world = await startWorld();
  application = await anApplication(world);
});

/** Submits the sign-in form; returns the location of the redirect. */
async function enter(visitor: Visitor, person: Person): Promise<string> {
  const form = await visitor.get("/users/sign_in");
  const fields = { ...hiddenFields(form.text), username: person, password: PASSWORD };
  return (await visitor.post("/users/sign_in", fields)).headers.get("location") ?? "";
}

test("prompt=none never shows a page: the response is login_required, consent_required, interaction_required or a code (OpenID Connect Core §3.1.2.6)", async () => {
  const silent = authorizePath(application, { prompt: "none" });
  const nobody = answerOf(await aVisitor(world).get(silent));
  assert.equal(nobody.error, "login_required");
  assert.equal(nobody.state, "s-1");
  assert.equal(nobody.iss, world.url);
  const rep = await signedIn(world, "rep");
  assert.equal(answerOf(await rep.get(silent)).error, "consent_required");
  await aCode(rep, application);
  assert.match(answerOf(await rep.get(silent)).code ?? "", /^goc_/);
  const framed = await rep.get(silent, { "sec-fetch-dest": "iframe" });
  assert.equal(answerOf(framed).error, "interaction_required");
  const implicit = await rep.get(
    authorizePath(application, { prompt: "none", response_type: "token", scope: "api read_user" }),
  );
  assert.equal(implicit.status, 303);
});

test("prompt=consent and select_account ask again, whatever was allowed before (OpenID Connect Core §3.1.2.1)", async () => {
  const dev = await signedIn(world, "dev");
  await aCode(dev, application);
  assert.equal((await dev.get(authorizePath(application))).status, 303);
  for (const prompt of ["consent", "select_account", "consent select_account"]) {
    const page = await dev.get(authorizePath(application, { prompt }));
    assert.equal(page.status, 200, prompt);
    assert.match(page.text, /wants to use your account/);
  }
});

test("prompt=consent and select_account also apply to the person who signs in by “Not you?” (OpenID Connect Core §3.1.2.1)", async () => {
  await aCode(await signedIn(world, "gus"), application);
  for (const prompt of ["consent", "select_account", "consent select_account"]) {
    const visitor = await signedIn(world, "dev");
    const asked = await visitor.get(authorizePath(application, { prompt }));
    const [notMe = ""] = /<form id="not-you"[\s\S]*?<\/form>/.exec(asked.text) ?? [];
    const away = await visitor.post("/oauth/authorize", { ...hiddenFields(notMe), decision: "switch" });
    const again = await visitor.get(away.headers.get("location") ?? "");
    assert.equal(again.headers.get("location"), "/users/sign_in", prompt);
    const page = await visitor.get(await enter(visitor, "gus"));
    assert.equal(page.status, 200, prompt);
    assert.match(page.text, /wants to use your account[\s\S]*@gus/);
  }
});

test("prompt=login, an exceeded max_age and max_age=0 require one new sign-in (OpenID Connect Core §3.1.2.1, §3.1.2.3)", async () => {
  for (const [asked, age] of [
    [{ prompt: "login" }, 0],
    [{ max_age: "600" }, 601],
    // "greater than this value": a fraction of a second counts, too.
    [{ max_age: "600" }, 600.2],
    // The session has no authentication time.
    [{ max_age: "600" }, null],
    // "Note that max_age=0 is equivalent to prompt=login", also within the same second.
    [{ max_age: "0" }, 0],
  ] as const) {
    const max = await signedIn(world, "max");
    await aCode(max, application);
    await world.platform.db.run(
      sql`update sessions set authenticated_at = now() - make_interval(secs => ${age}) where user_id = ${world.ids.max}`,
    );
    const away = await max.get(authorizePath(application, asked));
    assert.equal(away.status, 303);
    const again = await max.get(away.headers.get("location") ?? "");
    assert.equal(again.headers.get("location"), "/users/sign_in");
    const back = await max.get(await enter(max, "max"));
    assert.match(answerOf(back).code ?? "", /^goc_/);
  }
  const fresh = await signedIn(world, "max");
  const young = await fresh.get(authorizePath(application, { max_age: "600" }));
  assert.match(answerOf(young).code ?? "", /^goc_/);
  const silent = await fresh.get(authorizePath(application, { max_age: "0", prompt: "none" }));
  assert.equal(answerOf(silent).error, "login_required");
  const ahead = await fresh.get(authorizePath(application, { prompt: "login" }), {
    "sec-purpose": "prefetch",
  });
  assert.equal(answerOf(ahead).error, "login_required");
  assert.equal((await fresh.get("/profile/applications")).status, 200, "still signed in");
});

test("an invalid prompt or max_age is an error redirected to the application (OpenID Connect Core §3.1.2.6; D85)", async () => {
  const dev = await signedIn(world, "dev");
  for (const asked of [
    { prompt: "none login" },
    { prompt: "NONE" },
    { prompt: "create" },
    { max_age: "-1" },
    { max_age: "1.5" },
    { max_age: "9".repeat(30) },
  ]) {
    const { error } = answerOf(await dev.get(authorizePath(application, asked)));
    assert.equal(error, "invalid_request", JSON.stringify(asked));
  }
});

test("only an administrator can mark an application as trusted, which skips consent unless the application is public (contract §4, consent; D43, D80)", async () => {
  const register = async (as: "ada" | "olga", json: object) =>
    world.call("/api/v4/applications", {
      as,
      json: {
        name: "Intranet",
        redirect_uri: application.redirectUri,
        scopes: "read_user",
        trusted: true,
        ...json,
      },
    });
  const { json } = await register("ada", {});
  assert.equal(json.trusted, true);
  const gus = await signedIn(world, "gus");
  const trusted = { uid: json.application_id, redirectUri: application.redirectUri };
  assert.match(answerOf(await gus.get(authorizePath(trusted))).code ?? "", /^goc_/);
  const refused = await register("ada", { confidential: false });
  assert.deepEqual(
    [refused.status, refused.json],
    [400, { message: { trusted: ["is for confidential applications alone"] } }],
  );
  const open = await register("ada", { confidential: false, trusted: false });
  await world.platform.db.run(sql`update applications set trusted = true where id = ${open.json.id}`);
  const challenge = { code_challenge: "A".repeat(43), code_challenge_method: "S256" };
  const asked = await gus.get(authorizePath({ ...trusted, uid: open.json.application_id }, challenge));
  assert.equal(asked.status, 200);
  assert.equal((await register("olga", {})).status, 403);
  const olga = await signedIn(world, "olga");
  const page = await olga.get("/profile/applications");
  await olga.post("/profile/applications", {
    ...hiddenFields(page.text, "/profile/applications"),
    name: "Own",
    redirect_uri: application.redirectUri,
    scopes: "read_user",
    grant_types: "authorization_code",
    confidential: "1",
    trusted: "1",
  });
  const all = await world.call("/api/v4/applications?per_page=100", { as: "ada" });
  const own = (all.json as { application_name: string; trusted: boolean }[]).find(
    (each) => each.application_name === "Own",
  );
  assert.equal(own?.trusted, false);
});

test("the owner and administrators see which redirect URI was sent and which are registered; others do not (reference oauth C2; D7)", async () => {
  const sent = "https://app.example.org/callback/<b>";
  const path = authorizePath({ ...application, redirectUri: sent });
  const olga = await signedIn(world, "olga");
  const told = await olga.get(path);
  assert.equal(told.status, 400);
  assert.ok(told.text.includes("https://app.example.org/callback/&lt;b&gt;"));
  assert.ok(told.text.includes(`<code class="wrap-any">${application.redirectUri}</code>`));
  assert.ok(
    told.text.includes(
      `<dt>What differs</dt><dd>path, from <code class="wrap-any">${application.redirectUri}</code></dd>`,
    ),
  );
  assert.ok(told.text.includes(`/profile/applications/${application.id}/edit`));
  assert.ok(told.text.includes(told.headers.get("x-request-id") ?? "no request id"));
  const ada = await (await signedIn(world, "ada")).get(path);
  assert.ok(ada.text.includes(application.redirectUri));
  assert.equal(ada.text.includes("/edit"), false);
  for (const other of [await signedIn(world, "dev"), aVisitor(world)]) {
    const page = await other.get(path);
    assert.equal(page.status, 400);
    assert.equal(page.text.includes(application.redirectUri), false);
  }
});

test("prompt=login keeps its other values, so that consent is asked for after the new sign-in (decision 0019)", async () => {
  const stan = await signedIn(world, "stan");
  const path = authorizePath(application, { prompt: "login consent" });
  const away = await stan.get(path);
  assert.match(away.headers.get("location") ?? "", /prompt=consent/);
  assert.equal((await decide(await signedIn(world, "stan"), away.headers.get("location") ?? "")).status, 303);
});
