import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { signedIn, Visitor } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

describe("the pages of projects", () => {
  it("show anonymous visitors what is public, and ask them to sign in for the rest (reference ux §7, project; house §2.6)", async () => {
    const visitor = new Visitor(world.url);
    const list = await visitor.get("/projects");
    assert.equal(list.status, 200);
    assert.match(list.text, /href="\/acme\/open"/);
    assert.doesNotMatch(list.text, /acme\/rocket/);
    assert.equal((await visitor.get("/acme/open")).status, 200);
    assert.match((await visitor.get("/acme")).text, /acme\/open/);
    for (const path of ["/", "/acme/rocket", "/acme/no-such", "/acme/open/-/members"]) {
      assert.equal((await visitor.get(path)).location, "/users/sign_in", path);
    }
  });

  it("are not found for users who may not see the project, with the same page as for a project that does not exist (reference reliability S78)", async () => {
    const stan = await signedIn(world, "stan");
    const bare = (text: string) => text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID");
    const hidden = await stan.get("/acme/rocket");
    const absent = await stan.get("/acme/nothing");
    assert.deepEqual([hidden.status, absent.status], [404, 404]);
    assert.equal(bare(hidden.text), bare(absent.text));
    assert.equal((await stan.get("/acme/rocket/-/environments")).status, 404);
    assert.equal((await stan.get("/acme/open/-/members")).status, 403);
  });

  it("show the username of each member, followed by “blocked” for blocked users (ux §8)", async () => {
    const { gus } = world.ids;
    assert.equal((await world.call(`/api/v4/users/${gus}/block`, { as: "ada", method: "POST" })).status, 201);
    const max = await signedIn(world, "max");
    const { text } = await max.get("/acme/rocket/-/members");
    await world.call(`/api/v4/users/${gus}/unblock`, { as: "ada", method: "POST" });
    const names = [...text.matchAll(/>@([^<]*)</g)].map(([, name]) => name);
    assert.ok(names.includes("max") && names.includes("gus · blocked"), names.join());
    assert.deepEqual(
      names.filter((name) => !/^[a-z]+( · blocked)?$/.test(name ?? "") || name?.includes("false")),
      [],
    );
  });

  it("ask for confirmation in different words before users remove themselves (ux §8: a question names what it does)", async () => {
    const max = await signedIn(world, "max");
    const members = "/acme/rocket/-/members";
    const { text } = await max.get(members);
    const questionOf = async (id: number | undefined) => {
      assert.ok(text.includes(`href="${members}/${id}/remove" data-ask>`), `${id}`);
      return (await max.get(`${members}/${id}/remove`)).text;
    };
    assert.match(await questionOf(world.ids.max), /Remove yourself\?[\s\S]*You can no longer work in /);
    assert.match(await questionOf(world.ids.gus), /@gus\) can no longer work in /);
  });

  it("stay open for members who change their own expiry date, and redirect those who lose access by lowering their own role (ux §8)", async () => {
    const members = "/acme/rocket/-/members";
    const { ids } = world;
    const add = { user_id: ids.stan, access_level: 40 };
    const place = "/api/v4/projects/acme%2Frocket/members";
    assert.equal((await world.call(place, { as: "olga", json: add })).status, 201);
    const stan = await signedIn(world, "stan");
    const change = (fields: Record<string, string>, act = "") =>
      stan.submit(`${members}/${ids.stan}${act}`, fields, members);
    const end = await change({ access_level: "40", expires_at: "2999-03-01", shown: '{"end":""}' });
    assert.deepEqual([end.status, end.location], [303, `${members}#main`]);
    assert.match((await stan.follow(end)).text, /The role is now Maintainer\. It ends on 1 Mar 2999/);
    const shown = '{"end":"2999-03-01"}';
    const down = await change({ access_level: "30", expires_at: "2999-03-01", shown });
    assert.deepEqual([down.status, down.location], [303, "/acme/rocket"]);
    await world.call(`${place}/${ids.stan}`, { as: "olga", method: "DELETE" });
  });

  it("tell a member with too low a role which role is needed (ux §8)", async () => {
    const gus = await signedIn(world, "gus");
    for (const [path, role] of [
      ["/-/alerts", "Developer"],
      ["/-/incidents", "Reporter"],
      ["/-/settings/operations/receipts", "Maintainer"],
      ["/-/members", "Maintainer"],
    ]) {
      const { status, text } = await gus.get(`/acme/rocket${path}`);
      assert.equal(status, 403, path);
      assert.match(
        text,
        new RegExp(`This page is for people who are at least ${role} of the project\\.`),
        path,
      );
    }
  });

  it("offer signing in on a missing page only to visitors who are not signed in (reference ux §7, errors: way back)", async () => {
    const stan = await signedIn(world, "stan");
    const stranger = new Visitor(world.url);
    for (const path of ["/no-such-name", "/-/nothing"]) {
      const [theirs, his] = [await stranger.get(path), await stan.get(path)];
      assert.deepEqual([theirs.status, his.status], [404, 404], path);
      assert.match(theirs.text, /href="\/users\/sign_in\?from=here"/);
      assert.doesNotMatch(his.text, /href="\/users\/sign_in|sign in/i);
    }
  });

  it("offer the first steps to users without a project, and create the project (reference ux §7, dashboard; decision 0040)", async () => {
    const stan = await signedIn(world, "stan");
    const start = await stan.get("/");
    assert.match(start.text, /Create a project/);
    assert.match(start.text, /href="\/projects\/new"/);
    const wrong = await stan.submit(
      "/projects",
      { name: "", path: "a b", namespace: "stan", visibility: "private" },
      "/projects/new",
    );
    assert.equal(wrong.status, 422);
    assert.match(wrong.text, /Name can&#39;t be blank/);
    assert.match(wrong.text, /value="a b"/);
    const elsewhere = await stan.post("/projects", {
      name: "X",
      path: "x",
      namespace: "free",
      visibility: "private",
    });
    assert.equal(elsewhere.status, 422);
    const made = await stan.post("/projects", {
      name: "My rocket",
      path: "my-rocket",
      namespace: "stan",
      visibility: "private",
    });
    assert.equal(made.location, "/stan/my-rocket");
    const page = await stan.get("/stan/my-rocket");
    assert.match(page.text, /My rocket is ready/);
    assert.match(page.text, /Owner/);
    assert.match((await stan.get("/")).text, /My rocket/);
    const { json } = await world.call("/api/v4/projects/stan%2Fmy-rocket/events", { as: "stan" });
    assert.equal(json[0].action_name, "created");
  });

  it("let Maintainers add, change and remove members, each with a message (decision 0040; reference ux §8)", async () => {
    const max = await signedIn(world, "max");
    const path = "/acme/rocket/-/members";
    const unknown = await max.submit(path, { username: "nobody-here", access_level: "30" });
    assert.equal(unknown.status, 422);
    assert.match(unknown.text, /This person is not known here/);
    const all = await max.submit(path, {
      username: "nobody-here",
      access_level: "50",
      expires_at: "2001-01-01",
    });
    assert.match(
      all.text,
      /3 things need fixing: <a href="#username">Username<\/a>, <a href="#access_level">Role<\/a>, <a href="#expires_at">Ends</,
      "all errors at once (ux §7)",
    );
    assert.match(all.text, /not known here[\s\S]*above your own[\s\S]*The end cannot be a date in the past/);
    const above = await max.post(path, { username: "stan", access_level: "50" });
    assert.equal(above.status, 422);
    const added = await max.follow(
      await max.post(path, { username: "@stan", access_level: "20", expires_at: "2031-01-01" }),
    );
    assert.match(added.text, /stan is now Reporter/);
    assert.match(added.text, /1 Jan 2031/);
    const again = await max.post(path, { username: "stan", access_level: "20" });
    assert.match(again.text, /is a member already/);
    const changed = await max.follow(await max.post(`${path}/${world.ids.stan}`, { access_level: "30" }));
    assert.match(changed.text, /The role is now Developer/);
    const removed = await max.follow(await max.post(`${path}/${world.ids.stan}/remove`, {}));
    assert.match(removed.text, /The member is removed/);
    const dev = await signedIn(world, "dev");
    assert.equal((await dev.get(path)).status, 403);
    assert.equal((await dev.submit(path, { username: "stan", access_level: "10" }, "/projects")).status, 403);
  });

  it("let Maintainers change name, path, description, default branch and visibility of a project (decision 0147)", async () => {
    const path = "/acme/open/-/settings/general";
    const dev = await signedIn(world, "dev");
    assert.equal((await dev.get(path)).status, 403);
    assert.equal((await dev.post(path, { name: "Mine" })).status, 403);
    const olga = await signedIn(world, "olga");
    const form = await olga.get(path);
    assert.match(form.text, /name="path" type="text" value="open"/);
    const fields = { description: "", default_branch: "main", visibility: "public" };
    const wrong = await olga.submit(path, { ...fields, name: "", path: "a b", default_branch: "" });
    assert.equal(wrong.status, 422);
    assert.match(
      wrong.text,
      /Name can&#39;t be blank.*Default branch can&#39;t be blank.*Path can contain only/s,
    );
    assert.match(wrong.text, /value="a b"/);
    const long = { ...fields, name: "Open", path: "open", default_branch: "b".repeat(256) };
    assert.match(
      (await olga.submit(path, long)).text,
      /Default branch is too long \(maximum is 255 characters\)/,
    );
    const hidden = await olga.post(path, { ...fields, name: "Open", path: "open", visibility: "no such" });
    assert.match(hidden.text, /Visibility is not one of the choices/);
    const saved = await olga.submit(path, {
      ...fields,
      name: "Wide open",
      path: "wide",
      description: "For all",
    });
    assert.deepEqual([saved.status, saved.location], [303, "/acme/wide/-/settings/general#main"]);
    assert.match((await olga.follow(saved)).text, /The project is saved/);
    const seen = await world.call("/api/v4/projects/acme%2Fwide", { as: "stan" });
    assert.deepEqual([seen.json.name, seen.json.description], ["Wide open", "For all"]);
    const back = { ...fields, name: "open", path: "open" };
    assert.equal((await olga.submit("/acme/wide/-/settings/general", back)).status, 303);
  });

  it("refuse a description that is longer than the API accepts, and keep what was typed (decision 0147)", async () => {
    const olga = await signedIn(world, "olga");
    const long = `${"x".repeat(1999)}\r\nlast words`;
    const fields = { name: "Long", path: "long", visibility: "private", default_branch: "main" };
    for (const [path, at] of [
      ["/projects", "/projects/new"],
      ["/groups", "/groups/new"],
      ["/acme/rocket/-/settings/general", undefined],
      ["/groups/acme/-/settings", undefined],
    ] as const) {
      const refused = await olga.submit(path, { ...fields, description: long }, at);
      assert.equal(refused.status, 422, path);
      assert.match(refused.text, /needs fixing: <a href="#description">Description</, path);
      assert.match(refused.text, /Description is too long \(maximum is 2000 characters\)\./, path);
      assert.match(refused.text, /x\nlast words<\/textarea>/, path);
    }
    const all = { description: `${"x".repeat(1998)}\r\ny`, visibility: "public", default_branch: "main" };
    const kept = await olga.submit("/acme/open/-/settings/general", { ...all, name: "Open", path: "open" });
    assert.equal(kept.status, 303, kept.text);
    const { json } = await world.call("/api/v4/projects/acme%2Fopen", { as: "olga" });
    assert.equal(json.description, `${"x".repeat(1998)}\ny`);
  });

  it("manage environments, whose URLs must be HTTP and are linked without opener and referrer (reference reliability S70)", async () => {
    const dev = await signedIn(world, "dev");
    const path = "/acme/rocket/-/environments";
    assert.match((await dev.get(path)).text, /No environments yet/);
    const wrong = await dev.post(path, { name: "production", external_url: "javascript:alert(1)" });
    assert.equal(wrong.status, 422);
    const made = await dev.follow(
      await dev.post(path, { name: "production", external_url: "https://example.org" }),
    );
    assert.match(made.text, /production is added/);
    assert.match(made.text, /href="https:\/\/example\.org" rel="noopener noreferrer"/);
    const id = /environments\/(\d+)\/delete/.exec(made.text)?.[1];
    const gone = await dev.follow(await dev.post(`${path}/${id}/delete`, {}));
    assert.match(gone.text, /production is deleted/);
    const rep = await signedIn(world, "rep");
    assert.equal((await rep.get(path)).status, 403);
  });

  it("redirect from an earlier path of the project (decision 0042)", async () => {
    const olga = await signedIn(world, "olga");
    await world.call("/api/v4/projects/acme%2Fopen", { as: "olga", method: "PUT", json: { path: "opened" } });
    assert.equal((await olga.get("/acme/open/-/members?page=1")).location, "/acme/opened/-/members?page=1");
    assert.equal((await olga.get("/acme/open")).location, "/acme/opened");
  });

  it("show names and descriptions that contain markup as text (reference reliability S68)", async () => {
    await world.call("/api/v4/projects/acme%2Frocket", {
      as: "max",
      method: "PUT",
      json: { name: "<script>alert(1)</script>", description: "<img src=x onerror=alert(1)>" },
    });
    const max = await signedIn(world, "max");
    for (const path of ["/", "/projects", "/acme/rocket", "/acme", "/acme/rocket/-/members"]) {
      assert.doesNotMatch((await max.get(path)).text, /<script>alert|<img src=x/, path);
    }
  });
});

describe("the page of personal access tokens", () => {
  const PATH = "/profile/personal_access_tokens";

  it("creates a token, shows it once, and revokes it (reference oauth A10)", async () => {
    const dev = await signedIn(world, "dev");
    const filled = await dev.get(`${PATH}?name=Backup&scopes=read_api,read_user`);
    assert.match(filled.text, /value="Backup"/);
    assert.match(filled.text, /value="read_api" checked/);
    const none = await dev.post(PATH, { name: "x" });
    assert.equal(none.status, 422);
    assert.match(none.text, /Tick at least one scope/);
    const past = await dev.post(PATH, { name: "x", scopes: "api", expires_at: "2020-01-01" });
    assert.equal(past.status, 422);
    const made = await dev.follow(
      await dev.post(PATH, [
        ["name", "Backup"],
        ["scopes", "read_user"],
        ["scopes", "read_api"],
      ]),
    );
    const token = /gpat_[0-9A-Za-z]{36}/.exec(made.text)?.[0] ?? "";
    assert.equal((await world.call("/api/v4/user", { token })).status, 200);
    const again = await dev.get(PATH);
    assert.doesNotMatch(again.text, /gpat_/);
    const id = /personal_access_tokens\/(\d+)\/revoke/.exec(again.text)?.[1];
    const stan = await signedIn(world, "stan");
    await stan.get(PATH);
    assert.equal((await stan.post(`${PATH}/${id}/revoke`, {})).status, 404);
    await dev.post(`${PATH}/${id}/revoke`, {});
    assert.equal((await world.call("/api/v4/user", { token })).status, 401);
  });
});

describe("avatars", () => {
  it("are initials that may be cached, and 404 for unknown users (decision 0157)", async () => {
    const { headers, text, status } = await world.call(`/-/avatars/${world.ids.dev}.svg`);
    assert.equal(status, 200);
    assert.equal(headers.get("content-type"), "image/svg+xml");
    assert.match(headers.get("cache-control") ?? "", /public/);
    assert.match(text, /DD<\/text>/);
    assert.doesNotMatch(text, /Dev Developer/, "numbering through the ids reveals no names");
    assert.equal((await world.call("/-/avatars/999999.svg")).status, 404);
    assert.equal((await world.call("/-/avatars/x.svg")).status, 404);
  });
});
