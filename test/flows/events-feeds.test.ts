/** Feeds: what a reader with a feed token sees, what anonymous readers see, and what a revoked token opens. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { PushData } from "../../src/events/event.ts";
import { about, comment, type Kind, push, record } from "../support/events.ts";
import { signedIn } from "../support/visitor.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
  const made = { ...about("created", "Issue", 7), title: 'Late <vessels> & "berths"' };
  for (const project of [world.rocket, world.open]) {
    await record(world, [{ ...made, projectId: project.id, authorId: world.ids.dev }]);
  }
});

test("a feed shows what the owner of its token may see, and a wrong token opens none (contract-events §4, feeds; §5)", async () => {
  const { json } = await world.call("/api/v4/user/feed_token", { as: "rep" });
  assert.match(json.feed_token, /^gft_/);
  assert.deepEqual((await world.call("/api/v4/user/feed_token", { as: "rep" })).json, json);
  const feed = await world.call(`/acme/rocket.atom?feed_token=${json.feed_token}`);
  assert.equal(feed.status, 200, feed.text);
  assert.match(feed.headers.get("content-type") ?? "", /^application\/atom\+xml/);
  assert.match(feed.text, /Late &lt;vessels&gt; &amp; &quot;berths&quot;/);
  assert.ok(!feed.text.includes(json.feed_token));
  const mine = await world.call(`/dev.atom?feed_token=${json.feed_token}`);
  assert.equal(mine.text.match(/<entry>/g)?.length, 2);
  assert.equal((await world.call("/dev.atom")).text.match(/<entry>/g)?.length, 1);
  assert.equal((await world.call("/acme/open.atom")).status, 200);
  assert.equal((await world.call("/acme/rocket.atom")).status, 404);
  assert.equal((await world.call("/nobody.atom")).status, 404);
  for (const wrong of ["x", "", "gft_wrong", `${json.feed_token}x`]) {
    assert.equal((await world.call(`/acme/rocket.atom?feed_token=${wrong}`)).status, 401, wrong);
    assert.equal((await world.call(`/acme/open.atom?feed_token=${wrong}`)).status, 401, wrong);
  }
  // A repeated feed_token is invalid, too.
  const twice = `feed_token=${json.feed_token}&feed_token=${json.feed_token}`;
  assert.equal((await world.call(`/acme/open.atom?${twice}`)).status, 401);
  assert.equal((await world.call(`/api/v4/user?access_token=${json.feed_token}`)).status, 401);
});

test("an invalid feed token is answered with 401, WWW-Authenticate and Cache-Control: no-store (decision 0106; RFC 9110 §15.5.2)", async () => {
  for (const path of ["/acme/rocket.atom", "/acme.json", "/dev.atom"]) {
    const { status, headers } = await world.call(`${path}?feed_token=x`);
    const told = [status, headers.get("www-authenticate"), headers.get("cache-control")];
    assert.deepEqual(told, [401, 'Bearer realm="Gatehouse"', "no-store"], path);
  }
});

test("after a reset, the old feed token is refused and the new one works (contract-events §4, feeds)", async () => {
  const old = (await world.call("/api/v4/user/feed_token", { as: "dev" })).json.feed_token;
  const reset = await world.call("/api/v4/user/feed_token/reset", { as: "dev", method: "POST" });
  assert.equal(reset.status, 200, reset.text);
  assert.notEqual(reset.json.feed_token, old);
  assert.equal((await world.call(`/acme/rocket.atom?feed_token=${old}`)).status, 401);
  assert.equal((await world.call(`/acme/rocket.atom?feed_token=${reset.json.feed_token}`)).status, 200);
});

test("a group's feed has the events of its projects that the reader may see, as Atom and as JSON Feed 1.1 (contract-events §4, feeds; decision 0106)", async () => {
  const { json } = await world.call("/api/v4/user/feed_token", { as: "rep" });
  const nobody = await world.call("/acme.json");
  assert.equal(nobody.status, 200, nobody.text);
  assert.equal(nobody.headers.get("content-type"), "application/feed+json; charset=utf-8");
  assert.equal(nobody.json.version, "https://jsonfeed.org/version/1.1");
  assert.equal(nobody.json.items.length, 1);
  const member = (await world.call(`/acme.json?feed_token=${json.feed_token}`)).json;
  assert.equal(member.items.length, 2);
  assert.ok(!JSON.stringify(member).includes(json.feed_token));
  assert.equal(member.feed_url, `${member.home_page_url}.json`);
  const atom = await world.call(`/acme.atom?feed_token=${json.feed_token}`);
  for (const item of member.items) {
    assert.ok(atom.text.includes(`<id>${item.id}</id>`), item.id);
    assert.match(item.id, /^tag:[a-z0-9.-]+,\d{4}-\d\d-\d\d:\d+$/, "RFC 4151 does not allow ports");
    assert.match(item.title, /Late <vessels> & "berths"/);
    assert.deepEqual(Object.keys(item.authors[0]), ["name", "url", "avatar"]);
    assert.equal(new Date(item.date_published).toISOString(), item.date_published);
  }
  assert.equal((await world.call("/acme/rocket.json")).status, 404);
  assert.equal((await world.call("/acme/rocket.json?feed_token=x")).status, 401);
  assert.equal((await world.call("/acme.atom?feed_token=x")).status, 401);
  assert.equal((await world.call("/dev.json")).json.items.length, 1);
});

test("one feed has the events of all of a user's projects, and opens only with a token (reference events A11)", async () => {
  const token = (await world.call("/api/v4/user/feed_token", { as: "rep" })).json.feed_token;
  const { status, json } = await world.call(`/dashboard/projects.json?feed_token=${token}`);
  const mine = (await world.call("/api/v4/events?scope=all", { as: "rep" })).json;
  assert.equal(status, 200);
  assert.deepEqual(
    json.items.map(({ id }: { id: string }) => Number(id.split(":").at(-1))),
    mine.map(({ id }: { id: number }) => id),
  );
  assert.ok(json.items.length > 0);
  assert.deepEqual(
    [json.feed_url, json.home_page_url],
    [`${world.url}/dashboard/projects.json`, `${world.url}/-/activity`],
  );
  const atom = await world.call(`/dashboard/projects.atom?feed_token=${token}`);
  assert.equal(atom.text.match(/<entry>/g)?.length, json.items.length);
  const stranger = (await world.call("/api/v4/user/feed_token", { as: "stan" })).json.feed_token;
  assert.deepEqual((await world.call(`/dashboard/projects.json?feed_token=${stranger}`)).json.items, []);
  assert.equal((await world.call("/dashboard/projects.atom")).status, 404);
  assert.equal((await world.call("/dashboard/projects.atom?feed_token=x")).status, 401);
});

test("each entry has the avatar of its author, in Atom and in JSON (reference events A11)", async () => {
  const [item] = (await world.call("/acme/open.json")).json.items;
  const { text } = await world.call("/acme/open.atom");
  const { avatar } = item.authors[0];
  assert.ok(text.includes('xmlns:media="http://search.yahoo.com/mrss/"'));
  assert.ok(text.includes(`<media:thumbnail width="40" height="40" url="${avatar}"/>`), avatar);
  const picture = await world.call(new URL(avatar).pathname);
  assert.deepEqual([picture.status, picture.headers.get("content-type")], [200, "image/svg+xml"]);
});

test("a conditional request for a feed is answered with 304 until a new event arrives (decision 0106)", async () => {
  for (const path of ["/acme/open.atom", "/acme/open.json", "/acme.json", "/dev.atom"]) {
    const first = await world.call(path);
    const etag = first.headers.get("etag") ?? "";
    assert.match(etag, /^W\//, path);
    const again = await world.call(path, { headers: { "if-none-match": etag } });
    assert.equal(again.status, 304, path);
    assert.equal(again.text, "");
    await record(world, [
      { ...about("closed", "Issue", 7), projectId: world.open.id, authorId: world.ids.dev },
    ]);
    const after = await world.call(path, { headers: { "if-none-match": etag } });
    assert.equal(after.status, 200, path);
    assert.notEqual(after.headers.get("etag"), etag);
  }
});

test("a feed changes when an author in it is renamed, and only its reader may cache it (decisions 0094, 0106)", async () => {
  const first = await world.call("/acme/open.atom");
  assert.equal(first.headers.get("cache-control"), "private, no-cache");
  const rename = (name: string) =>
    world.call(`/api/v4/users/${world.ids.dev}`, { as: "ada", method: "PUT", json: { name } });
  const { name } = (await world.call("/api/v4/user", { as: "dev" })).json;
  await rename("Deva");
  const after = await world.call("/acme/open.atom", {
    headers: { "if-none-match": first.headers.get("etag") ?? "" },
  });
  assert.equal(after.status, 200);
  assert.match(after.text, /<name>Deva<\/name>/);
  await rename(name);
});

test("a feed has the newest 20 events, is updated at the newest of them, and ignores the `on` filter (decision 0106)", async () => {
  const now = Date.now();
  const moments = Array.from({ length: 21 }, (_, n) => new Date(now - (30 - n) * 60_000));
  await record(
    world,
    moments.map((createdAt, n) => ({
      ...about("created", "Snippet", 100 + n),
      ...{ projectId: world.free.id, authorId: world.ids.olga, createdAt },
    })),
  );
  const token = (await world.call("/api/v4/user/feed_token", { as: "olga" })).json.feed_token;
  const read = async (more = "") => {
    const query = `?feed_token=${token}&target_type=snippet${more}`;
    const { json } = await world.call(`/free/plan.json${query}`);
    const atom = (await world.call(`/free/plan.atom${query}`)).text;
    return { json, atom, dates: json.items.map((item: { date_published: string }) => item.date_published) };
  };
  const { json, atom, dates } = await read();
  assert.deepEqual(
    dates,
    moments
      .slice(1)
      .reverse()
      .map((at) => at.toISOString()),
  );
  assert.equal(/<updated>(.*?)<\/updated>/.exec(atom)?.[1], dates[0]);
  const ofDay = await read("&on=2001-01-01");
  assert.deepEqual(ofDay.json, json);
});

test("the feed of a private profile opens only for its owner and administrators (contract-events §4, users)", async () => {
  const hide = (private_profile: boolean) =>
    world.call(`/api/v4/users/${world.ids.max}`, { as: "ada", method: "PUT", json: { private_profile } });
  await hide(true);
  const statusFor = async (as?: "max" | "ada" | "rep") => {
    const token = as && (await world.call("/api/v4/user/feed_token", { as })).json.feed_token;
    return (await world.call(`/max.atom${token ? `?feed_token=${token}` : ""}`)).status;
  };
  const told = [await statusFor(), await statusFor("rep"), await statusFor("max"), await statusFor("ada")];
  await hide(false);
  assert.deepEqual([...told, await statusFor()], [404, 404, 200, 200, 200]);
});

test("an entry has the text of its comment or the title of its commit, and long titles are not cut within a character (reference events A11; decision 0106)", async () => {
  const long = "\u{1F6A2}".repeat(120);
  await record(
    world,
    [
      { ...about("created", "Milestone", 60), title: long },
      { ...about("created", "Milestone", 61), title: `x${long}` },
      { ...about("created", "Milestone", 62), title: "bell\u0007end" },
      comment("Issue", 7, { body: "Two of them" }),
      push,
    ].map((kind) => ({ ...kind, projectId: world.open.id, authorId: world.ids.dev })),
  );
  const { items } = (await world.call("/acme/open.json")).json;
  const [pushed, commented, odd, ...cut] = items;
  assert.deepEqual([pushed.content_text, pushed.tags], ["One", ["pushed"]]);
  assert.deepEqual([commented.content_text, commented.tags], ["Two of them", ["commented", "Note"]]);
  assert.ok(odd.title.includes("bell\u0007end"), odd.title);
  for (const { title } of cut.slice(0, 2)) {
    assert.ok(title.length === 160 || title.length === 159, title);
    assert.ok(title.endsWith("...") && title.isWellFormed() && !title.includes("\u{FFFD}"), title);
  }
  const { text } = await world.call("/acme/open.atom");
  assert.ok(text.includes("bell\u{FFFD}end"));
  assert.ok(text.includes(`<title>${cut[0].title}</title>`));
});

test("titles of entries use the wording of the activity page: a comment names what it is on, and no class names appear (decision 0106)", async () => {
  const bulk = { ...(push.push as PushData), ref: null, refCount: 5, action: "created" } as const;
  const told: readonly [string, Kind][] = [
    ["opened merge request !3 MergeRequest 3 at acme/open", about("created", "MergeRequest", 3)],
    ["merged merge request !3 MergeRequest 3 at acme/open", about("merged", "MergeRequest", 3)],
    ["commented on merge request !3 MergeRequest 3 at acme/open", comment("MergeRequest", 3)],
    ["created wiki page Home at acme/open", { ...about("created", "WikiPage::Meta", 9), title: "Home" }],
    ["pushed 1 commit to main at acme/open", push],
    ["pushed 5 new branches at acme/open", { ...push, push: bulk }],
    ["joined project acme/open", { action: "joined" }],
  ];
  await record(
    world,
    told.map(([, kind]) => ({ ...kind, projectId: world.open.id, authorId: world.ids.dev })),
  );
  const { json } = await world.call("/acme/open.json");
  const titles = (json.items as { title: string }[]).slice(0, told.length).map(({ title }) => title);
  const name = json.items[0].authors[0].name;
  assert.deepEqual(
    titles.reverse(),
    told.map(([words]) => `${name} ${words}`),
  );
  const atom = (await world.call("/acme/open.atom")).text;
  assert.ok(
    atom.includes(`<title>${name} commented on merge request !3 MergeRequest 3 at acme/open</title>`),
  );
  const page = (await world.call("/acme/open/activity")).text;
  assert.match(page, /commented on merge request <span class="title">!3 MergeRequest 3</);
});

test("a feed keeps the filters of the page that links to it, and has its own id and ETag for them (reference ux 6)", async () => {
  await record(world, [
    { ...about("closed", "Milestone", 4), projectId: world.open.id, authorId: world.ids.max },
  ]);
  const address = "?action=closed&target_type=milestone&author_username=max";
  for (const page of ["/acme/open/activity", "/groups/acme/-/activity"]) {
    const feed = page.startsWith("/groups") ? "/acme" : "/acme/open";
    const { text } = await world.call(`${page}${address}`);
    assert.ok(text.includes(`href="${feed}.atom${address.replaceAll("&", "&amp;")}"`), page);
    const { json } = await world.call(`${feed}.json${address}`);
    assert.equal(json.items.length, 1, feed);
    assert.match(json.items[0].title, /closed milestone %4/);
    assert.ok(json.feed_url.endsWith(`${feed}.json${address}`), json.feed_url);
    const [all, some] = await Promise.all([world.call(`${feed}.atom`), world.call(`${feed}.atom${address}`)]);
    const idOf = (atom: string) => /<id>(.*?)<\/id>/.exec(atom)?.[1];
    assert.notEqual(idOf(some.text), idOf(all.text));
    assert.notEqual(some.headers.get("etag"), all.headers.get("etag"));
    assert.equal((await world.call(`${feed}.json?after=2999-01-01`)).json.items.length, 0);
  }
  const { json } = await world.call("/dev.json?action=closed&author_username=max");
  assert.ok(json.items.length > 0, "the feed of a person ignores the filter by author");
  assert.ok(json.items.every((item: { tags: string[] }) => item.tags[0] === "closed"));
});

test("filters by word take several in feeds and on activity pages, and what does not exist here matches nothing there (decisions 0095, 0304)", async () => {
  await record(
    world,
    (["closed", "reopened", "updated"] as const).map((action) => ({
      ...about(action, "Milestone", 5),
      projectId: world.open.id,
      authorId: world.ids.max,
    })),
  );
  const address = "?action=closed%2Creopened&target_type=milestone";
  const tagsOf = async (query: string): Promise<string[]> => {
    const { json } = await world.call(`/acme/open.json${query}`);
    return [...new Set<string>(json.items.map((item: { tags: string[] }) => item.tags[0]))].sort();
  };
  for (const query of [
    address,
    "?action=reopened,closed&target_type[]=milestone",
    "?action[]=reopened&action[]=closed&target_type=milestone,epic",
    "?action[0]=closed&action[1]=reopened&target_type[0]=milestone",
  ]) {
    assert.deepEqual(await tagsOf(query), ["closed", "reopened"], query);
  }
  for (const word of ["epic", "design", "design,epic"]) {
    assert.deepEqual(await tagsOf(`?target_type=${word}`), [], word);
  }
  const { json } = await world.call("/acme/open.json?action=reopened,closed&target_type=milestone");
  assert.ok(json.feed_url.endsWith(`/acme/open.json${address}`), json.feed_url);
  const page = await world.call(`/acme/open/activity${address}`);
  assert.ok(page.text.includes(`href="/acme/open.atom${address.replaceAll("&", "&amp;")}"`));
  assert.match(page.text, /<option value="closed,reopened" selected>Closed, Reopened<\/option>/);
  assert.doesNotMatch(page.text, /updated milestone/);
  const none = await world.call("/acme/open/activity?target_type=epic");
  assert.match(none.text, /Nothing matches/);
  assert.match(none.text, /<option value="epic" selected>/);
});

test("public pages link to their feeds in the head, and private pages do not (decision 0106)", async () => {
  for (const path of ["/acme", "/dev"]) {
    const { text } = await world.call(path);
    assert.match(
      text,
      new RegExp(`<link rel="alternate" type="application/atom\\+xml" title="[^"]+" href="${path}.atom">`),
    );
    assert.match(
      text,
      new RegExp(`<link rel="alternate" type="application/feed\\+json" title="[^"]+" href="${path}.json">`),
    );
  }
  const open = await world.call("/acme/open/activity");
  assert.match(open.text, /href="\/acme\/open\.atom">/);
  const rocket = await (await signedIn(world, "dev")).get("/acme/rocket/activity");
  assert.equal(rocket.status, 200);
  assert.doesNotMatch(rocket.text, /rel="alternate"/);
});

test("users create and reset their feed token on a page that shows it once, with the addresses of their feeds (contract-events §4, feeds)", async () => {
  const gus = await signedIn(world, "gus");
  const first = await gus.get("/profile/feeds");
  assert.equal(first.status, 200, first.text);
  for (const path of ["gus", "dashboard/projects", "acme/rocket", "acme/open"]) {
    assert.ok(first.text.includes(`${world.url}/${path}.atom<`), path);
  }
  assert.ok(!first.text.includes("free/plan"));
  assert.doesNotMatch(first.text, /gft_/);
  const tokenIn = (text: string) => /id="feed-token"[^>]*data-value="(gft_[^"]+)"/.exec(text)?.[1] ?? "";
  const reads = async (token: string) => (await world.call(`/acme/rocket.atom?feed_token=${token}`)).status;
  const made = await gus.follow(await gus.post("/profile/feeds/reset", {}));
  const token = tokenIn(made.text);
  assert.equal(await reads(token), 200);
  assert.ok(made.text.includes(`/gus.atom?feed_token=${token}`));
  const later = await gus.get("/profile/feeds");
  assert.ok(!later.text.includes(token));
  assert.match(later.text, /Reset the token/);
  const next = tokenIn((await gus.follow(await gus.post("/profile/feeds/reset", {}))).text);
  assert.equal(await reads(token), 401);
  assert.equal(await reads(next), 200);
  assert.equal((await gus.post("/profile/feeds/reset", { csrf_token: "wrong" })).status, 403);
  assert.equal((await world.call("/profile/feeds")).status, 302);
});

test("a blocked user's token opens no feed, not even a public one, until the user is unblocked (contract-events §4, feeds)", async () => {
  const { json } = await world.call("/api/v4/user/feed_token", { as: "gus" });
  const read = async () => {
    const [own, open] = ["/acme/rocket.atom", "/acme/open.json"].map((path) =>
      world.call(`${path}?feed_token=${json.feed_token}`),
    );
    return [(await own)?.status, (await open)?.status];
  };
  assert.deepEqual(await read(), [200, 200]);
  await world.call(`/api/v4/users/${world.ids.gus}/block`, { as: "ada", method: "POST" });
  assert.deepEqual(await read(), [401, 401]);
  await world.call(`/api/v4/users/${world.ids.gus}/unblock`, { as: "ada", method: "POST" });
  assert.deepEqual(await read(), [200, 200]);
});

test("calendar.json at GitLab's path has a user's public events for anonymous readers, and with a feed token what its owner may see (reference events A11; decision 0261)", async () => {
  const made = { ...about("created", "Issue", 70), authorId: world.ids.max };
  // In one transaction, so that both are on the same day.
  await record(
    world,
    [world.rocket, world.open].map(({ id }) => ({ ...made, projectId: id })),
  );
  // The headers of gitlab-calendar and similar programs.
  const headers = { accept: "application/json, text/plain, */*", "x-requested-with": "XMLHttpRequest" };
  const nobody = await world.call("/users/max/calendar.json", { headers });
  assert.equal(nobody.status, 200, nobody.text);
  assert.match(nobody.headers.get("content-type") ?? "", /^application\/json/);
  const [[day, count] = [], ...others] = Object.entries<number>(nobody.json);
  assert.match(day ?? "", /^\d{4}-\d\d-\d\d$/);
  assert.deepEqual([count, others], [1, []]);
  const token = (await world.call("/api/v4/user/feed_token", { as: "rep" })).json.feed_token;
  const member = await world.call(`/users/MAX/calendar.json?feed_token=${token}`);
  assert.deepEqual(member.json, { [day ?? ""]: 2 });
  assert.equal((await world.call("/users/max/calendar.json?feed_token=x")).status, 401);
  assert.equal((await world.call("/users/nobody/calendar.json")).status, 404);
});

test("calendar.json of a private profile is hidden from others, and an old username redirects to the new one (decisions 0122, 0261)", async () => {
  const told = (json: object) =>
    world.call(`/api/v4/users/${world.ids.gus}`, { as: "ada", method: "PUT", json });
  assert.equal((await told({ username: "gustav" })).status, 200);
  const led = await world.call("/users/gus/calendar.json?feed_token=");
  assert.equal(led.status, 401);
  const { status, headers } = await world.call("/users/gus/calendar.json?x=1");
  assert.deepEqual([status, headers.get("location")], [301, "/users/gustav/calendar.json?x=1"]);
  assert.equal((await world.call("/users/gustav/calendar.json")).text, "{}");
  assert.equal((await told({ private_profile: true })).status, 200);
  const own = (await world.call("/api/v4/user/feed_token", { as: "gus" })).json.feed_token;
  assert.equal((await world.call(`/users/gustav/calendar.json?feed_token=${own}`)).text, "{}");
  for (const name of ["gustav", "gus"]) {
    assert.equal((await world.call(`/users/${name}/calendar.json`)).status, 404, name);
  }
});

test("feeds redirect from the former path of a group, subgroup, project or person, with token and filters, for whoever may see them (decision 0122)", async () => {
  const api = async (path: string, json: object, as: Person = "olga", method = "POST") => {
    const reply = await world.call(`/api/v4${path}`, { as, method, json });
    assert.ok(reply.status < 300, `${path} ${reply.text}`);
    return reply.json;
  };
  const feedOf = async (path: string) => {
    const { status, headers } = await world.call(path);
    return [status, headers.get("location")];
  };
  const group = await api("/groups", { name: "Former", path: "former", visibility: "public" });
  await api("/groups", { name: "In", path: "in", parent_id: group.id, visibility: "public" });
  await api("/groups", { name: "Shut", path: "shut", parent_id: group.id, visibility: "private" });
  await api("/projects", { name: "Deep", path: "deep", namespace_id: "former/in", visibility: "public" });
  await api(`/groups/${group.id}`, { path: "latter" }, "olga", "PUT");
  for (const format of ["atom", "json"]) {
    for (const [from, to] of [
      ["/former", "/latter"],
      ["/former/in", "/latter/in"],
      ["/Former/In/Deep", "/latter/in/deep"],
    ] as const) {
      const told = await feedOf(`${from}.${format}?action=pushed&after=2026-01-01`);
      assert.deepEqual(told, [301, `${to}.${format}?action=pushed&after=2026-01-01`], from);
    }
    assert.deepEqual(await feedOf(`/former/shut.${format}`), [404, null]);
    const { feed_token: token } = (await world.call("/api/v4/user/feed_token", { as: "olga" })).json;
    const own = await feedOf(`/former/shut.${format}?feed_token=${token}`);
    assert.deepEqual(own, [301, `/latter/shut.${format}?feed_token=${token}`]);
  }
  const { feed_token: mine } = (await world.call("/api/v4/user/feed_token", { as: "stan" })).json;
  const stan = `/users/${world.ids.stan}`;
  await api(stan, { username: "stanley", private_profile: true }, "ada", "PUT");
  assert.deepEqual(await feedOf("/stan.atom"), [404, null]);
  assert.deepEqual(await feedOf(`/stan.atom?feed_token=${mine}`), [301, `/stanley.atom?feed_token=${mine}`]);
  await api(stan, { username: "stan", private_profile: false }, "ada", "PUT");
});
