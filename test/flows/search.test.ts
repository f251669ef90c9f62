/** The search of the whole service: who finds what, what the page shows without results, and invalid queries. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { aSource } from "../support/alerts.ts";
import { authorizePath, decide, signedIn as signedInForOauth } from "../support/oauth.ts";
import { signedIn, Visitor } from "../support/visitor.ts";
import { PASSWORD, type Person, startWorld, type World } from "../support/world.ts";

const DESK = "https://desk.example.org/cb";
let world: World;
/** The ids of applications with "rocket" in their names. */
const applications = {} as Record<"max" | "acme" | "instance", string>;

before(async () => {
  world = await startWorld();
  for (const project of ["acme/rocket", "acme/open"]) {
    const source = await aSource(world, "generic", {}, project);
    await source.send({ title: `Rocket of ${project} <leans>`, severity: "high", hosts: ["pad-39"] });
  }
  await person("rocketeer", "Rita Rocket");
  await person("hidden", "Hugo Rocket", { private_profile: true });
  const blocked = await person("blocked", "Bert Rocket");
  await api("ada", `users/${blocked}/block`, undefined, "POST");
  for (const [who, home, key] of [
    ["max", "/profile/applications", "max"],
    ["olga", "/groups/acme/-/settings/applications", "acme"],
    ["ada", "/admin/applications", "instance"],
  ] as const) {
    const visitor = await signedIn(world, who);
    const fields = {
      name: `Rocket desk of ${key}`,
      redirect_uri: DESK,
      scopes: "read_user",
      grant_types: "authorization_code",
      confidential: "1",
    };
    const made = await visitor.submit(home, fields);
    assert.equal(made.status, 303, made.text);
    const { text } = await visitor.get(home);
    applications[key] = /\/applications\/(\d+)">Rocket desk/.exec(text)?.[1] ?? "";
  }
  await authorize("gus", Number(applications.max));
});

async function api(as: Person, path: string, json?: unknown, method?: string) {
  const reply = await world.call(`/api/v4/${path}`, {
    as,
    ...(json ? { json } : {}),
    ...(method ? { method } : {}),
  });
  assert.ok(reply.status < 300, `${path}: ${reply.status} ${reply.text}`);
  return reply.json;
}

async function person(username: string, name: string, more = {}): Promise<number> {
  const fields = { username, name, email: `${username}@example.org`, password: PASSWORD };
  return (await api("ada", "users", { ...fields, ...more })).id;
}

async function authorize(who: Person, id: number): Promise<void> {
  const { application_id } = await api("ada", `applications/${id}`);
  const path = authorizePath({ uid: application_id, redirectUri: DESK }, { scope: "read_user" });
  const answer = await decide(await signedInForOauth(world, who), path);
  assert.match(answer.headers.get("location") ?? "", /[?&]code=/);
}

const search = (visitor: Visitor, words: string) =>
  visitor.get(`/search?${new URLSearchParams({ q: words })}`);
/** The paths that the titles of the results link to, sorted. */
const found = ({ text }: { text: string }) =>
  [...text.matchAll(/class="title[^"]*" href="([^"]*)"/g)].map(([, href = ""]) => href).sort();

describe("GET /search", () => {
  const project = "/acme/rocket";
  const alerts = ["/acme/open/-/alerts/1", "/acme/rocket/-/alerts/1"];
  const seen = "/rocketeer";
  for (const [who, expected] of [
    ["olga", () => [project, ...alerts, seen, `/groups/acme/-/settings/applications/${applications.acme}`]],
    ["max", () => [project, ...alerts, seen, `/profile/applications/${applications.max}`]],
    ["dev", () => [project, ...alerts, seen]],
    ["rep", () => [project, seen]],
    ["gus", () => [project, seen, "/profile/applications#authorized"]],
    ["stan", () => [seen]],
    [
      "ada",
      () => [
        ...[project, ...alerts, seen, "/hidden", "/blocked"],
        ...Object.values(applications).map((id) => `/admin/applications/${id}`),
      ],
    ],
  ] as const satisfies readonly (readonly [Person, () => string[]])[]) {
    test(`${who} finds exactly what ${who} may see on other pages, and every result can be opened (contract §4, visibility; contract-alerts, roles; decision 0192)`, async () => {
      const visitor = await signedIn(world, who);
      const hrefs = found(await search(visitor, "ROCKET"));
      assert.deepEqual(hrefs, expected().sort());
      for (const href of hrefs) assert.equal((await visitor.get(href.replace(/#.*/, ""))).status, 200, href);
    });
  }

  test("blocked and signed-out users are sent to the sign-in page, and get the results after signing in (contract §4, tokens and roles)", async () => {
    const gus = await signedIn(world, "gus");
    await api("ada", `users/${world.ids.gus}/block`, undefined, "POST");
    assert.equal((await search(gus, "rocket")).location, "/users/sign_in");
    await api("ada", `users/${world.ids.gus}/unblock`, undefined, "POST");
    const stranger = new Visitor(world.url);
    assert.equal((await search(stranger, "rocket")).location, "/users/sign_in");
    const entered = await stranger.submit("/users/sign_in", { username: "stan", password: PASSWORD });
    assert.deepEqual(found(await stranger.follow(entered)), ["/rocketeer"]);
  });

  test("the search does not reveal what is hidden elsewhere: mail addresses of others, private profiles and the owner of an application (reference events B1; decision 0081)", async () => {
    await api("olga", "groups", { name: "Vault", path: "vault", visibility: "private" });
    const olga = await signedIn(world, "olga");
    const home = "/groups/vault/-/settings/applications";
    const fields = {
      name: "Opener",
      redirect_uri: DESK,
      scopes: "read_user",
      grant_types: "authorization_code",
    };
    assert.equal((await olga.submit(home, { ...fields, confidential: "1" })).status, 303);
    const [, id = ""] = /\/applications\/(\d+)">Opener/.exec((await olga.get(home)).text) ?? [];
    await authorize("stan", Number(id));
    await api("olga", "groups/vault/members", { user_id: world.ids.dev, access_level: 40 });
    assert.deepEqual(
      found(await search(await signedIn(world, "dev"), "opener")),
      [],
      "not an owner of the group",
    );
    assert.deepEqual(found(await search(olga, "opener")), [`/groups/vault/-/settings/applications/${id}`]);
    const stan = await signedIn(world, "stan");
    assert.deepEqual(found(await search(stan, "opener")), ["/profile/applications#authorized"]);
    assert.doesNotMatch((await search(stan, "opener")).text, /vault/i);
    for (const words of ["vault", "rocketeer@example.org", "hidden@example.org", "Hugo"])
      assert.deepEqual(found(await search(stan, words)), [], words);
    const ada = await signedIn(world, "ada");
    assert.deepEqual(found(await search(ada, "hidden@example.org")), ["/hidden"]);
    const hugo = new Visitor(world.url);
    await hugo.submit("/users/sign_in", { username: "hidden", password: PASSWORD });
    assert.deepEqual(found(await search(hugo, "hugo")), ["/hidden"], "the user with this private profile");
  });

  test("Developers find alerts by title, host and service, open ones first, with a link to all matching alerts of each project (reference ux §7, search)", async () => {
    const dev = await signedIn(world, "dev");
    const { text } = await search(dev, "PAD-39");
    assert.match(text, /Rocket of acme\/rocket &lt;leans&gt;/);
    assert.match(text, /href="\/acme\/rocket\/-\/alerts\?tab=all&amp;search=PAD-39">Rocket</);
    const path = "projects/acme%2Fopen/alert_management_alerts/1";
    await api("dev", path, { status: "resolved" }, "PUT");
    const page = (await search(dev, "pad-39")).text;
    assert.match(page, /Resolved/);
    assert.ok(page.indexOf("Rocket of acme/rocket") < page.indexOf("Rocket of acme/open"));
  });

  test("of many applications, the one with exactly this name comes first, among the user's own and among authorized ones (decision 0192)", async () => {
    const post = (who: Person, home: string, name: string) =>
      signedIn(world, who).then((visitor) =>
        visitor.submit(home, {
          name,
          redirect_uri: DESK,
          scopes: "read_user",
          grant_types: "authorization_code",
          confidential: "1",
        }),
      );
    for (const name of ["Kettle", "Kettle 1", "Kettle 2", "Kettle 3", "Kettle 4", "Kettle 5", "Kettle 6"])
      assert.equal((await post("dev", "/profile/applications", name)).status, 303);
    const dev = await signedIn(world, "dev");
    const firstOf = async (visitor: Visitor) =>
      /class="title[^"]*" href="([^"]*)">([^<]*)</.exec((await search(visitor, "kettle")).text)?.slice(1) ??
      [];
    const [href = "", name] = await firstOf(dev);
    assert.equal(name, "Kettle");
    const id = Number(href.split("/").at(-1));
    assert.equal((await firstOf(await signedIn(world, "ada")))[1], "Kettle");
    for (const more of ["Kettle 7", "Kettle 8"])
      assert.equal((await post("gus", "/profile/applications", more)).status, 303);
    await authorize("gus", id);
    assert.deepEqual(await firstOf(await signedIn(world, "gus")), [
      "/profile/applications#authorized",
      "Kettle",
    ]);
  });

  test("of many results the first five are shown, an exact match first, with a link to the others (reference ux §7, search)", async () => {
    for (const name of ["Pebble", "Pebble 1", "Pebble 2", "Pebble 3", "Pebble 4", "Pebble 5"])
      await api("stan", "projects", { name });
    for (const n of [0, 1, 2, 3, 4, 5]) await person(n === 0 ? "pebbles" : `pebbles${n}`, "Stone");
    const stan = await signedIn(world, "stan");
    const page = await search(stan, "pebble");
    const hrefs = [...page.text.matchAll(/class="title[^"]*" href="([^"]*)"/g)].map(([, href]) => href);
    assert.equal(hrefs.length, 10);
    assert.equal(hrefs[0], "/stan/pebble");
    assert.match(page.text, /href="\/projects\?search=pebble"/);
    assert.match(page.text, /More fit: say more of the name/);
    assert.doesNotMatch(page.text, /admin\/users/);
    const people = found(await search(stan, "PEBBLES"));
    assert.ok(people.includes("/pebbles"), `${people}`);
    assert.match(
      (await search(await signedIn(world, "ada"), "pebbles")).text,
      /href="\/admin\/users\?search=pebbles"/,
    );
  });
});

describe("the query of a search", () => {
  const asked = async (who: Person, query: string) => (await signedIn(world, who)).get(`/search${query}`);

  test("if empty, gets a page with a hint and the user's own projects (reference ux §7, search)", async () => {
    for (const query of ["", "?q=", "?q=%20%00", "?q=a&q=b"]) {
      const { status, text } = await asked("dev", query);
      assert.equal(status, 200);
      assert.match(text, /What are you looking for\?/);
      assert.match(text, /<input class="input" type="search" name="q" value=""[^>]* autofocus/);
      assert.deepEqual(found({ text }), ["/acme/open", "/acme/rocket"], query);
    }
    assert.deepEqual(found(await asked("ada", "")), [], "only her own");
  });

  test("without results is repeated on the page, with a hint on what can be found (reference ux §8)", async () => {
    const { status, text } = await asked("dev", "?q=no+such+%3Cthing%3E");
    assert.equal(status, 200);
    assert.match(text, /Nothing found/);
    assert.match(text, /Nothing you may see has “no such &lt;thing&gt;” in it/);
    assert.match(text, /<title>no such &lt;thing&gt; · Search · Gatehouse<\/title>/);
    assert.match((await asked("rep", "?q=rocket")).text, /No alerts or applications with these words\./);
  });

  test("may be a single character, as names may be (decision 0192)", async () => {
    await person("li", "李");
    assert.deepEqual(found(await asked("stan", `?q=${encodeURIComponent("李")}`)), ["/li"]);
    assert.ok(found(await asked("dev", "?q=ro")).includes("/acme/rocket"));
    assert.deepEqual(found(await asked("dev", "?q=%25")), [], "% is not a wildcard");
  });

  test("of more than 255 characters is refused with an error on the field, which keeps it (reference ux §5, WCAG 3.3.1)", async () => {
    assert.equal((await asked("dev", `?q=${"x".repeat(255)}`)).status, 200);
    const { status, text } = await asked("dev", `?q=${"x".repeat(256)}`);
    assert.equal(status, 422);
    assert.match(text, /<title>Error: Search · Gatehouse/);
    assert.match(text, /value="x{256}"[^>]* aria-invalid="true" aria-describedby="words-err"/);
    assert.match(text, /id="words-err">.*too long: say it in at most 255 characters/);
  });
});

test("the top bar links to the search on every page of a signed-in user, but not for anonymous visitors (reference ux §7, search)", async () => {
  const dev = await signedIn(world, "dev");
  for (const path of ["/", "/acme/rocket", "/profile/applications"]) {
    const { text } = await dev.get(path);
    assert.match(text, /<form class="search with-icon" action="\/search" method="get" role="search"/, path);
    assert.match(text, /<a class="btn quiet icon only-narrow" href="\/search"/, path);
  }
  assert.doesNotMatch((await new Visitor(world.url).get("/projects")).text, /"\/search"/);
});
