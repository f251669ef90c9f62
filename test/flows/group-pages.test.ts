/** How owners manage a group, on its pages and by the API: members, invitations, name, path and visibility. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { meanwhile } from "../support/meanwhile.ts";
import { offeredBy } from "../support/page-forms.ts";
import { signedIn, Visitor } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

/** How many events of Olga somebody without a role sees. */
const totalSeen = async () =>
  (await world.call(`/api/v4/users/${world.ids.olga}/events`, { as: "stan" })).headers.get("x-total");

const put = (json: unknown, as: "olga" | "max" | "ada" | "stan" = "olga", id = "acme") =>
  world.call(`/api/v4/groups/${encodeURIComponent(id)}`, { as, method: "PUT", json });

describe("the members page of a group", () => {
  const path = "/groups/acme/-/members";

  it("is for owners: others get 403, anonymous visitors are sent to the sign-in page, and a private group is 404 exactly as an unknown one (decision 0121; contract §4, visibility)", async () => {
    assert.equal((await new Visitor(world.url).get(path)).location, "/users/sign_in");
    const stan = await signedIn(world, "stan");
    assert.equal((await stan.get(path)).status, 403);
    const secret = { name: "Secret", path: "secret", visibility: "private" };
    assert.equal((await world.call("/api/v4/groups", { as: "olga", json: secret })).status, 201);
    const answers = ["secret", "no-such"].map(async (group) => {
      const { status, headers, text } = await stan.get(`/groups/${group}/-/members`);
      return [status, text.replaceAll(headers.get("x-request-id") ?? "?", "").replaceAll(group, "")];
    });
    const [hidden, absent] = await Promise.all(answers);
    assert.equal(hidden?.[0], 404);
    assert.deepEqual(hidden, absent);
    const max = await signedIn(world, "max");
    assert.equal((await max.post(path, { username: "stan", access_level: "30" })).status, 403);
  });

  it("adds a member with an expiry date, changes the role and removes the member, but refuses to remove the last owner and says why (decision 0121)", async () => {
    const olga = await signedIn(world, "olga");
    const added = await olga.submit(path, {
      username: "stan",
      access_level: "20",
      expires_at: "2199-03-01",
    });
    assert.deepEqual([added.status, added.location], [303, `${path}#main`]);
    const list = await olga.follow(added);
    assert.match(list.text, /stan is now Reporter/);
    assert.match(list.text, /2199/);
    const stan = world.ids.stan;
    const seen = await world.call("/api/v4/projects/acme%2Frocket", { as: "stan" });
    assert.equal(seen.status, 200, "the role holds in the projects of the group");
    assert.equal((await olga.post(`${path}/${stan}`, { access_level: "30" })).status, 303);
    const member = await world.call(`/api/v4/groups/acme/members/${stan}`, { as: "olga" });
    assert.deepEqual([member.json.access_level, member.json.expires_at], [30, "2199-03-01"]);
    const last = await olga.follow(await olga.post(`${path}/${world.ids.olga}/remove`, {}));
    assert.match(last.text, /last owner of a group/);
    assert.match((await olga.follow(await olga.post(`${path}/${stan}/remove`, {}))).text, /is removed/);
    const wrong = await olga.submit(path, { username: "nobody-here", access_level: "20", expires_at: "x" });
    assert.equal(wrong.status, 422);
    assert.match(wrong.text, /value="nobody-here"/);
  });

  it("sets, changes and removes the expiry date of a membership, also in projects; saving an unchanged date keeps its time of day (contract §3, members)", async () => {
    const olga = await signedIn(world, "olga");
    for (const [place, api] of [
      ["/groups/acme/-/members", "/api/v4/groups/acme/members"],
      ["/acme/rocket/-/members", "/api/v4/projects/acme%2Frocket/members"],
    ] as const) {
      const { stan } = world.ids;
      await world.call(api, { as: "olga", json: { user_id: stan, access_level: 20 } });
      const end = async () => (await world.call(`${api}/${stan}`, { as: "olga" })).json.expires_at;
      const save = async (expires_at: string, ended: string, access_level = "20") => {
        const shown = JSON.stringify({ end: ended });
        return olga.follow(await olga.submit(`${place}/${stan}`, { access_level, expires_at, shown }, place));
      };
      assert.match(
        (await olga.get(place)).text,
        new RegExp(`>Stan Stranger</a>[^]*?>Never<[^]*?href="${place}/${stan}"`),
      );
      assert.match((await olga.get(`${place}/${stan}`)).text, /name="expires_at" type="date" value=""/);
      const set = await save("2198-02-03", "");
      assert.match(set.text, /It ends on 3 Feb 2198, 00:00 UTC\./);
      assert.match((await olga.get(`${place}/${stan}`)).text, /value="2198-02-03"/);
      assert.equal(await end(), "2198-02-03");
      await world.call(`${api}/${stan}`, {
        as: "olga",
        method: "PUT",
        json: { access_level: 20, expires_at: "2198-02-03T12:30:00Z" },
      });
      assert.match((await save("2198-02-03", "2198-02-03", "30")).text, /The role is now Developer\.</);
      assert.equal(await end(), "2198-02-03T12:30:00.000Z", "an unchanged date keeps its time of day");
      assert.match((await save("2001-01-01", "2198-02-03")).text, /The end cannot be a date in the past\./);
      assert.match((await save("soon", "2198-02-03")).text, /The end is not a day/);
      assert.match((await save("", "2198-02-03")).text, /It has no end\./);
      assert.equal(await end(), null);
      await world.call(`${api}/${stan}`, { as: "olga", method: "DELETE" });
    }
    const own = `/groups/acme/-/members/${world.ids.olga}`;
    const asked = { access_level: "50", expires_at: "2198-02-03", shown: '{"end":""}' };
    const last = await olga.follow(await olga.submit(own, asked, "/groups/acme/-/members"));
    assert.match(last.text, /last owner of a group cannot be removed, or get a lower role or an expiry date/);
  });

  it("a refused end date of a member stays in its field, which the summary of errors leads to (ux §5 3.3.1, §7, input kept)", async () => {
    const { stan } = world.ids;
    for (const [place, api] of [
      ["/groups/acme/-/members", "/api/v4/groups/acme/members"],
      ["/acme/rocket/-/members", "/api/v4/projects/acme%2Frocket/members"],
    ] as const) {
      await world.call(api, { as: "olga", json: { user_id: stan, access_level: 20 } });
      const olga = await signedIn(world, "olga");
      const shown = JSON.stringify({ role: "20", end: "" });
      const typed = { access_level: "30", expires_at: "2001-01-01", shown };
      const { status, text } = await olga.submit(`${place}/${stan}?inherited=1`, typed, place);
      assert.equal(status, 422);
      assert.match(text, /<title>Error: Stan Stranger · Members/);
      assert.match(
        text,
        new RegExp(`role="alert" tabindex="-1" autofocus>.*<a href="#end-${stan}">End of Stan`),
      );
      assert.match(
        text,
        new RegExp(
          `value="2001-01-01" id="end-${stan}" aria-invalid="true" aria-describedby="end-${stan}-err`,
        ),
      );
      assert.match(text, new RegExp(`id="end-${stan}-err">.*The end cannot be a date in the past\\.`));
      assert.match(text, /name="access_level"[\s\S]*?<option value="30" selected>/);
      assert.ok(text.includes(`name="shown" value="${shown.replaceAll('"', "&quot;")}"`));
      const elsewhere = await olga.post(`${place}/${stan}?page=9`, typed);
      assert.equal(elsewhere.status, 422);
      assert.match(elsewhere.text, /The end cannot be a date in the past\./);
      await world.call(`${api}/${stan}`, { as: "olga", method: "DELETE" });
    }
  });

  it("saving only the expiry date on a page opened earlier does not undo a lower role that was set meanwhile (decision 0246)", async () => {
    const { stan } = world.ids;
    for (const [place, api] of [
      ["/groups/acme/-/members", "/api/v4/groups/acme/members"],
      ["/acme/rocket/-/members", "/api/v4/projects/acme%2Frocket/members"],
    ] as const) {
      await world.call(api, { as: "olga", json: { user_id: stan, access_level: 40 } });
      const olga = await signedIn(world, "olga");
      const action = `${place}/${stan}`;
      const form = offeredBy((await olga.get(action)).text).find((one) => one.action === action);
      await world.call(`${api}/${stan}`, { as: "olga", method: "PUT", json: { access_level: 20 } });
      const fields = { ...form?.fields, access_level: "40", expires_at: "2198-02-03" };
      const told = await olga.follow(await olga.post(action, fields));
      assert.match(told.text, /The role is now Reporter\. It ends on 3 Feb 2198/);
      const { json } = await world.call(`${api}/${stan}`, { as: "olga" });
      assert.deepEqual([json.access_level, json.expires_at], [20, "2198-02-03"]);
      await world.call(`${api}/${stan}`, { as: "olga", method: "DELETE" });
    }
  });

  it("names the parent group from which a member inherits the role (decision 0121)", async () => {
    const parent = await world.call("/api/v4/groups/acme", { as: "olga" });
    const json = { name: "Deep Team", path: "team", parent_id: parent.json.id };
    assert.equal((await world.call("/api/v4/groups", { as: "olga", json })).status, 201);
    const olga = await signedIn(world, "olga");
    for (const address of ["/groups/acme/team", "/groups/acme%2Fteam", "/groups/acme/team/?x=1"]) {
      assert.equal((await olga.get(address)).location, "/acme/team", address);
    }
    for (const address of ["/groups//evil.example", "/groups/%2F%2Fevil.example", "/groups/acme/-/nothing"]) {
      assert.equal((await olga.get(address)).status, 404, address);
    }
    const bare = await olga.get("/groups/acme/team/-/members?page=1");
    assert.equal(bare.location, "/groups/acme%2Fteam/-/members?page=1");
    const page = await olga.follow(bare);
    assert.match(page.text, /Their role comes from Acme\./);
    assert.match(page.text, /<a href="\/acme">Acme<\/a><\/li><li><a href="\/acme\/team">Deep Team<\/a>/);
  });

  it("links to the invitations of the group, and whoever accepts one becomes a member of it (decision 0111)", async () => {
    const olga = await signedIn(world, "olga");
    assert.match((await olga.get(path)).text, /href="\/groups\/acme\/-\/invitations"/);
    const at = "/groups/acme/-/invitations";
    const sent = await olga.submit(at, { email: "stan@example.org", access_level: "30" });
    const shown = await olga.follow(sent);
    const [, link = ""] = /value="[^"]*(\/users\/invitations?\/[^"]+)"/.exec(shown.text) ?? [];
    assert.notEqual(link, "", shown.text);
    const stan = await signedIn(world, "stan");
    assert.match((await stan.get(link)).text, /acme/);
    assert.equal((await stan.post(link, {})).location, "/acme");
    const member = await world.call(`/api/v4/groups/acme/members/${world.ids.stan}`, { as: "olga" });
    assert.equal(member.json.access_level, 30);
    await olga.submit(at, { email: "later@example.org", access_level: "20" });
    const [, id = ""] = /invitations\/(\d+)\/withdraw/.exec((await olga.get(at)).text) ?? [];
    assert.match((await olga.follow(await olga.post(`${at}/${id}/withdraw`, {}))).text, /withdrawn/);
    const others = await signedIn(world, "stan");
    assert.equal((await others.get(at)).status, 403, "a Developer of the group cannot invite");
    await world.call(`/api/v4/groups/acme/members/${world.ids.stan}`, { as: "olga", method: "DELETE" });
  });
});

describe("the pages of all groups", () => {
  const fields = { name: "Night Crew", path: "night", visibility: "internal", parent: "", description: "" };

  it("let every signed-in user create a top-level group and become its owner, and redirect to it (decision 0147)", async () => {
    assert.equal((await new Visitor(world.url).get("/groups/new")).location, "/users/sign_in");
    const stan = await signedIn(world, "stan");
    assert.match((await stan.get("/groups")).text, /href="\/groups\/new"/);
    const wrong = await stan.submit("/groups", { ...fields, name: "", path: "acme" }, "/groups/new");
    assert.equal(wrong.status, 422);
    assert.match(wrong.text, /Name can&#39;t be blank/);
    assert.match(wrong.text, /value="acme"/);
    assert.match((await stan.post("/groups", { ...fields, path: "ACME" })).text, /has already been taken/);
    const made = await stan.post("/groups", fields);
    assert.equal(made.location, "/night");
    assert.match((await stan.follow(made)).text, /Night Crew is ready.*New group.*New project/s);
    const { json } = await world.call("/api/v4/groups/night/members", { as: "stan" });
    assert.deepEqual([json[0].username, json[0].access_level], ["stan", 50]);
    assert.match((await stan.get("/projects/new")).text, /<option value="night"/);
  });

  it("let administrators who are no members create in the group from which they came, also after a refusal (decision 0147)", async () => {
    const ada = await signedIn(world, "ada");
    const chosen = ({ text }: { text: string }) => /<option value="([^"]*)" selected/.exec(text)?.[1];
    for (const [form, posted, field] of [
      ["/projects/new?namespace=acme", "/projects", "namespace"],
      ["/groups/new?parent=acme", "/groups", "parent"],
    ] as const) {
      assert.equal(chosen(await ada.get(form)), "acme", form);
      const wrong = { ...fields, name: "", path: "by-ada", visibility: "private", [field]: "acme" };
      const refused = await ada.post(posted, wrong);
      assert.deepEqual([refused.status, chosen(refused)], [422, "acme"], posted);
      const made = await ada.post(posted, { ...wrong, name: "By Ada", path: `by-ada-${field}` });
      assert.equal(made.location, `/acme/by-ada-${field}`);
      assert.doesNotMatch((await ada.get(form.split("?")[0] ?? "")).text, /<option value="acme"/);
    }
    const stan = await signedIn(world, "stan");
    assert.doesNotMatch((await stan.get("/projects/new?namespace=acme")).text, /<option value="acme"/);
  });

  it("let Maintainers of a group create subgroups in it, under the same rules as the API (decision 0147)", async () => {
    const olga = await signedIn(world, "olga");
    const form = await olga.get("/groups/new?parent=acme");
    assert.match(form.text, /<option value="acme" selected/);
    const below = { ...fields, name: "Watch", path: "watch", parent: "acme", visibility: "private" };
    assert.equal((await olga.post("/groups", below)).location, "/acme/watch");
    const stan = await signedIn(world, "stan");
    assert.doesNotMatch((await stan.get("/groups/new")).text, /<option value="acme"/);
    for (const parent of ["acme", "acme/watch", "no-such"]) {
      const refused = await stan.submit("/groups", { ...below, path: "mine", parent }, "/groups/new");
      assert.equal(refused.status, 422, parent);
      assert.match(refused.text, /Within is not one in which you may make groups/);
    }
    const wider = { ...below, path: "wider", parent: "acme/watch", visibility: "public" };
    const tooWide = await olga.submit("/groups", wider, "/groups/new");
    assert.match(tooWide.text, /parent group has a private visibility/);
  });

  it("take a path of digits as a path, also where another group has that number as its id (decision 0147; GitLab)", async () => {
    const acme = (await world.call("/api/v4/groups/acme", { as: "olga" })).json;
    const path = String(acme.id);
    const stan = await signedIn(world, "stan");
    const made = await stan.submit(
      "/groups",
      { ...fields, name: "Numbered", path, visibility: "public" },
      "/groups/new",
    );
    assert.equal(made.location, `/${path}`);
    const settings = `/groups/${path}/-/settings`;
    for (const page of [`/${path}`, settings, `/groups/${path}/-/activity`]) {
      const { status, text } = await stan.get(page);
      assert.deepEqual([status, /Numbered/.test(text)], [200, true], page);
    }
    assert.match((await stan.get(`/${path}.atom`)).text, new RegExp(`<title>${path} activity</title>`));
    const below = { ...fields, name: "Below", path: "below", parent: path };
    assert.equal((await stan.submit("/groups", below, "/groups/new")).location, `/${path}/below`);
    const project = { name: "Numbers", path: "numbers", description: "", visibility: "private" };
    const inIt = await stan.submit("/projects", { ...project, namespace: path }, "/projects/new");
    assert.equal(inIt.location, `/${path}/numbers`);
    const away = `/${path}/numbers/-/settings/move`;
    await stan.submit(away, { place: "stan", confirm: `${path}/numbers` });
    const back = await stan.submit(away.replace(path, "stan"), { place: path, confirm: "stan/numbers" });
    assert.equal(back.location, `/${path}/numbers`, back.text);
    const byId = (await world.call(`/api/v4/groups/${path}`, { as: "olga" })).json;
    assert.equal(byId.full_path, "acme", "in the API a number is an id");
  });

  it("list only the groups that the viewer may see (decision 0147)", async () => {
    const stan = await (await signedIn(world, "stan")).get("/groups");
    assert.match(stan.text, /href="\/acme"/);
    assert.doesNotMatch(stan.text, /Watch/);
    assert.match(
      (await (await signedIn(world, "olga")).get("/groups?search=wat")).text,
      /href="\/acme\/watch"/,
    );
    const visitor = await new Visitor(world.url).get("/groups");
    assert.match(visitor.text, /href="\/acme"/);
    assert.doesNotMatch(visitor.text, /Night Crew|href="\/groups\/new"/);
    assert.match((await new Visitor(world.url).get("/projects")).text, /href="\/groups"/);
  });
});

describe("a group’s settings", () => {
  it("can be changed only by owners and administrators, and the change is in the audit log (decision 0121)", async () => {
    assert.equal((await put({ name: "Mine" }, "stan")).status, 403);
    assert.equal((await put({ name: "Mine" }, "max")).status, 403);
    assert.equal((await put({ name: "Mine" }, "olga", "absent")).status, 404);
    const named = await put({ name: "Acme & Co", description: "Rockets" });
    assert.deepEqual([named.status, named.json.name, named.json.path], [200, "Acme & Co", "acme"]);
    assert.equal((await put({ name: "Acme" }, "ada")).json.name, "Acme");
    const ada = await signedIn(world, "ada");
    assert.match((await ada.get("/admin/audit")).text, /class="title">Changed a group</);
    assert.match(
      (await (await signedIn(world, "olga")).get("/acme")).text,
      /aria-current="page"><a>Acme<\/a>/,
    );
  });

  it("cannot make a group less visible than its contents or more visible than its parent (decision 0121)", async () => {
    const narrower = await put({ visibility: "internal" });
    assert.deepEqual(
      [narrower.status, narrower.json],
      [
        400,
        {
          message: {
            visibility_level: [
              "internal is not allowed since this group contains projects with higher visibility.",
            ],
          },
        },
      ],
    );
    const parent = await world.call("/api/v4/groups", {
      as: "olga",
      json: { name: "Nest", path: "nest", visibility: "internal" },
    });
    const child = { name: "Egg", path: "egg", parent_id: parent.json.id, visibility: "internal" };
    await world.call("/api/v4/groups", { as: "olga", json: child });
    assert.match(JSON.stringify((await put({ visibility: "private" }, "olga", "nest")).json), /sub-groups/);
    assert.match(JSON.stringify((await put({ visibility: "public" }, "olga", "nest/egg")).json), /parent/);
    assert.equal((await put({ visibility: "private" }, "olga", "nest/egg")).status, 200);
    assert.equal((await put({ visibility: "private" }, "olga", "nest")).status, 200);
    assert.equal((await world.call("/api/v4/groups/nest", { as: "stan" })).status, 404);
  });

  it("stay consistent when a group is made private while a project in it is made public: one of the two is refused (decision 0121)", async () => {
    for (let round = 0; round < 8; round++) {
      const path = `race-${round}`;
      await world.call("/api/v4/groups", { as: "olga", json: { name: path, path, visibility: "public" } });
      const made = await world.call("/api/v4/projects", {
        as: "olga",
        json: { name: "p", namespace_id: path, visibility: "private" },
      });
      const [closed, opened] = await Promise.all([
        put({ visibility: "private" }, "olga", path),
        world.call(`/api/v4/projects/${made.json.id}`, {
          as: "olga",
          method: "PUT",
          json: { visibility: "public" },
        }),
      ]);
      assert.deepEqual([closed.status, opened.status].sort(), [200, 400]);
    }
  });

  it("refuse a group that would be more visible than its parent, which was made less visible at the same moment (decision 0121)", async () => {
    const json = { name: "Cove", path: "cove", visibility: "public" };
    const { id } = (await world.call("/api/v4/groups", { as: "olga", json })).json;
    const made = await meanwhile(
      world,
      [["update namespaces set visibility = 'private' where id = $1", id]],
      () => world.call("/api/v4/groups", { as: "olga", json: { ...json, path: "inlet", parent_id: id } }),
    );
    assert.equal(made.status, 400, made.text);
    const why = "public is not allowed since the parent group has a lower visibility.";
    assert.deepEqual(made.json, { message: { visibility_level: [why] } });
  });

  it("rename the path: old addresses redirect, and nobody else can take the old path (decision 0122)", async () => {
    await world.call("/api/v4/groups", {
      as: "olga",
      json: { name: "Old", path: "old", visibility: "public" },
    });
    const group = await world.call("/api/v4/groups/old", { as: "olga" });
    const inner = { name: "In", path: "in", parent_id: group.json.id, visibility: "public" };
    await world.call("/api/v4/groups", { as: "olga", json: inner });
    const json = { name: "Deep", path: "deep", namespace_id: "old/in", visibility: "public" };
    const project = await world.call("/api/v4/projects", { as: "olga", json });
    assert.equal(project.status, 201);
    const before = await totalSeen();
    assert.notEqual(before, "0");
    const olga = await signedIn(world, "olga");
    const saved = await olga.submit("/groups/old/-/settings", {
      name: "New",
      path: "new",
      description: "",
      visibility: "public",
    });
    assert.equal(saved.location, "/groups/new/-/settings#main", saved.text);
    for (const [from, to] of [
      ["/old", "/new"],
      ["/old?page=1", "/new?page=1"],
      ["/old/in", "/new/in"],
      ["/old/in/deep", "/new/in/deep"],
      ["/groups/old/-/members", "/groups/new/-/members"],
      ["/groups/old/-/activity", "/groups/new/-/activity"],
    ] as const) {
      assert.deepEqual([from, (await olga.get(from)).location], [from, to]);
    }
    const head = await fetch(`${world.url}/old`, { method: "HEAD", redirect: "manual" });
    assert.deepEqual([head.status, head.headers.get("location")], [301, "/new"], "as GET (RFC 9110 §9.3.2)");
    const read = await world.call("/api/v4/groups/old?x=1", { as: "stan" });
    assert.deepEqual(
      [read.status, read.headers.get("location")],
      [301, `/api/v4/groups/${group.json.id}?x=1`],
    );
    const nested = await world.call("/api/v4/projects/new%2Fin%2Fdeep", { as: "stan" });
    assert.equal(nested.json.path_with_namespace, "new/in/deep");
    assert.equal(await totalSeen(), before);
    const taken = await world.call("/api/v4/groups", { as: "stan", json: { name: "Old", path: "Old" } });
    assert.deepEqual(taken.json, { message: { path: ["has already been taken"] } });
    assert.equal(
      (await put({ path: "old" }, "olga", "new")).status,
      200,
      "the group itself can take its old path back",
    );
    assert.equal((await olga.get("/new/in/deep")).location, "/old/in/deep");
    assert.equal((await olga.get("/old/in/deep")).status, 200);
    assert.equal((await put({ path: "api" }, "olga", "old")).status, 400);
    assert.equal((await put({ path: "acme" }, "olga", "old")).status, 400);
  });
});
