/** Where signing in redirects to: the page that was requested, and never another site. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { sealReturnPath } from "../../src/accounts/sealed-return-path.ts";
import { sql } from "../../src/platform/sql.ts";
import { Visitor } from "../support/visitor.ts";
import { PASSWORD, startWorld, type World } from "../support/world.ts";

// In a world of its own, because only thirty sign-ins a minute are sure to be allowed (contract §4).
let world: World;
before(async () => {
  world = await startWorld();
});

test("signing in never redirects to another site, whatever return path the session has stored (RFC 9700 §4.11)", async () => {
  for (const kept of ["//evil.example/x", "/\\evil.example", "https://evil.example"]) {
    const visitor = new Visitor(world.url);
    await visitor.get("/projects/new");
    const sealed = sealReturnPath(world.platform, kept);
    await world.platform.db.run(sql`update sessions set return_to = ${sealed} where user_id is null`);
    const entered = await visitor.submit("/users/sign_in", { username: "max", password: PASSWORD });
    assert.equal(entered.location, "/", kept);
  }
});

test("a return path that was stored before return paths were sealed redirects to the start page (reference reliability A8)", async () => {
  const visitor = new Visitor(world.url);
  await visitor.get("/projects/new");
  await world.platform.db.run(sql`update sessions set return_to = '/projects/new' where user_id is null`);
  const entered = await visitor.submit("/users/sign_in", { username: "max", password: PASSWORD });
  assert.equal(entered.location, "/");
});

test("of several tabs at the sign-in form, each is redirected to the page that it was opened for (ux §7, sign in)", async () => {
  const visitor = new Visitor(world.url);
  const tab = async (page: string) => {
    await visitor.get(page);
    const { text } = await visitor.get("/users/sign_in");
    const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? "";
    assert.doesNotMatch(text, new RegExp(page), "the form does not contain the return path in plain text");
    return { csrf_token: field("csrf_token"), back: field("back"), username: "max", password: PASSWORD };
  };
  const first = await tab("/profile/applications");
  const second = await tab("/profile/sessions");
  const third = await tab("/projects/new");

  const wrong = await visitor.post("/users/sign_in", { ...second, password: "wrong" });
  assert.equal(wrong.status, 422);
  assert.equal((await visitor.post("/users/sign_in", first)).location, "/profile/applications");
  assert.equal((await visitor.post("/users/sign_in", second)).location, "/profile/sessions");
  const elsewhere = { origin: "https://evil.example" };
  const foreign = await visitor.post("/users/sign_in", third, elsewhere);
  assert.deepEqual([foreign.status, foreign.location], [403, null]);
  for (const back of ["", "x", Buffer.from("https://evil.example").toString("base64url")]) {
    const { status, location } = await visitor.post("/users/sign_in", { ...third, back });
    assert.deepEqual([status, location], [403, null], back);
  }
});

/** Follows the sign-in link of a page, as a browser does, and signs in. */
async function signInFrom(
  visitor: Visitor,
  path: string,
  referer = world.url + path,
): Promise<string | null> {
  const { text } = await visitor.get(path);
  const href = /<a class="btn[^"]*" href="(\/users\/sign_in[^"]*)">Sign in<\/a>/.exec(text)?.[1] ?? "";
  const form = await visitor.get(href, { referer });
  const back = /name="back" value="([^"]*)"/.exec(form.text)?.[1] ?? "";
  const entered = await visitor.post("/users/sign_in", { username: "max", password: PASSWORD, back });
  assert.equal(entered.status, 303, path);
  return entered.location;
}

test("the sign-in link of a public or missing page returns to that page (ux §7, sign in; decision 0227)", async () => {
  const pages = ["/acme/open/activity?action=pushed", "/groups?search=acme", "/unheard-of"];
  for (const path of pages) assert.equal(await signInFrom(new Visitor(world.url), path), path);

  const before = new Visitor(world.url);
  await before.get("/projects/new");
  assert.equal(
    await signInFrom(before, "/acme/open"),
    "/acme/open",
    "the page requested earlier is not used",
  );

  const tab = new Visitor(world.url);
  await tab.submit("/users/sign_in", { username: "max", password: PASSWORD });
  const late = await tab.get("/users/sign_in?from=here", { referer: `${world.url}/acme/open` });
  assert.equal(
    late.location,
    "/acme/open",
    "a user who has signed in with another tab is redirected as well",
  );
});

test("a link to the sign-in form never returns to another site, and returns nowhere after a redirect or a sign-out (RFC 9700 §4.11; decision 0227)", async () => {
  for (const referer of [
    "https://evil.example/acme/open",
    "about:blank",
    "x",
    `${world.url}//evil.example`,
  ]) {
    assert.equal(await signInFrom(new Visitor(world.url), "/acme/open", referer), "/", referer);
  }
  // After a redirect, a browser sends the earlier page as referrer.
  const redirected = new Visitor(world.url);
  const referer = `${world.url}/acme/open`;
  assert.equal((await redirected.get("/projects/new", { referer })).location, "/users/sign_in");
  await redirected.get("/users/sign_in", { referer });
  const fields = { username: "max", password: PASSWORD };
  assert.equal((await redirected.post("/users/sign_in", fields, { referer })).location, "/projects/new");
  await redirected.get("/");
  const left = await redirected.post("/users/sign_out", {}, { referer });
  assert.equal(left.location, "/users/sign_in");
  await redirected.get("/users/sign_in", { referer });
  assert.equal((await redirected.post("/users/sign_in", fields)).location, "/");
});

test("the sign-in form says that the requested page will be opened, except for the start page (ux §7, sign in)", async () => {
  const visitor = new Visitor(world.url);
  const waits = /to open the page that you asked for/;
  await visitor.get("/");
  assert.doesNotMatch((await visitor.get("/users/sign_in")).text, waits);
  await visitor.get("/projects/new");
  assert.match((await visitor.get("/users/sign_in")).text, waits);
  const wrong = await visitor.submit("/users/sign_in", { username: "max", password: "wrong" });
  assert.equal(wrong.status, 422);
  assert.match(wrong.text, waits);
});

test("the sign-in form of a second tab is refused once the first has signed in, with a message that says so (ux §8; reference reliability S65)", async () => {
  const visitor = new Visitor(world.url);
  const { text } = await visitor.get("/users/sign_in");
  const csrf_token = /name="csrf_token" value="([^"]*)"/.exec(text)?.[1] ?? "";
  await visitor.submit("/users/sign_in", { username: "max", password: PASSWORD });
  const second = await visitor.post("/users/sign_in", { csrf_token, username: "dev", password: PASSWORD });
  assert.equal(second.status, 403);
  assert.match(
    second.text,
    /You are signed in already, so nothing was sent\. <a href="\/">Go to the start page</,
  );
  assert.doesNotMatch(second.text, /open for too long/);
  assert.match((await visitor.get("/profile")).text, /value="max"/);
});

test("a browser that sends no cookie is told so, not that the page was open for too long (ux §8)", async () => {
  const { text } = await new Visitor(world.url).get("/users/sign_in");
  const csrf_token = /name="csrf_token" value="([^"]*)"/.exec(text)?.[1] ?? "";
  const other = new Visitor(world.url);
  const fields = { csrf_token, username: "max", password: PASSWORD };
  const bare = await other.post("/users/sign_in", fields);
  assert.equal(bare.status, 403);
  assert.match(bare.text, /Your browser sent no cookie/);
  const late = await other.post("/users/sign_in", fields);
  assert.match(late.text, /was open for too long/);
});

test("streams and images that a page loads do not become the page to which a sign-in returns (ux §7, sign in)", async () => {
  const loaded: [path: string, headers: Record<string, string>][] = [
    ["/acme/rocket/-/alerts/stream?since=1", { "sec-fetch-dest": "empty", accept: "text/event-stream" }],
    // As on a connection without TLS.
    ["/acme/rocket/-/alerts/stream?since=1", { accept: "text/event-stream" }],
    ["/acme/rocket/-/incidents/1/metric_images/1", { "sec-fetch-dest": "image", accept: "*/*" }],
    ["/acme/rocket/-/incidents/1/metric_images/1", { accept: "image/avif,image/webp,*/*;q=0.8" }],
  ];
  const page = { "sec-fetch-dest": "document", accept: "text/html" };
  for (const [path, headers] of loaded) {
    const visitor = new Visitor(world.url);
    await visitor.get("/profile/sessions", page);
    const refused = await visitor.get(path, headers);
    assert.deepEqual([refused.status, refused.location], [302, "/users/sign_in"], path);
    const entered = await visitor.submit("/users/sign_in", { username: "max", password: PASSWORD });
    assert.equal(entered.location, "/profile/sessions", path);
  }
});
