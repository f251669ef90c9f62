/** Lists of a project that are longer than a page: each has further pages, and a choice says how many of how many it offers. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { sql } from "../../src/platform/sql.ts";
import { aSource, type Source } from "../support/alerts.ts";
import { fillLists } from "../support/full-lists.ts";
import { signedIn, type Visitor } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

const OPERATIONS = "/acme/rocket/-/settings/operations";

let world: World;
let source: Source;
let max: Visitor;
before(async () => {
  world = await startWorld();
  source = await aSource(world);
  max = await signedIn(world, "max");
});

/** What the first column of the table with this caption lists. */
function listed(text: string, caption: string): string[] {
  const [, table = ""] =
    new RegExp(`<caption[^>]*>${caption}</caption>([\\s\\S]*?)</table>`).exec(text) ?? [];
  return [...table.matchAll(/<th role="rowheader"[^>]*>([\s\S]*?)<\/th>/g)].map(([, cell = ""]) => cell);
}

test("integrations beyond the first page can be found, tested and chosen (ux §7, lists)", async () => {
  await world.platform.db.run(sql`insert into alert_integrations
      (project_id, type, name, identifier, active, key_digest, key_sealed)
    select i.project_id, 'http', 'Sender ' || n, lpad(n::text, 16, '0'), true, sha256(('sender ' || n)::bytea), i.key_sealed
    from alert_integrations i, generate_series(1, 120) n where i.id = ${source.id}`);
  const seen = new Set<string>();
  for (const page of [1, 2, 3, 4, 5, 6, 7]) {
    const { text } = await max.get(`${OPERATIONS}?page=${page}`);
    assert.match(text, /aria-label="Pages of integrations"/);
    for (const cell of listed(text, "Alert integrations")) seen.add(cell);
  }
  assert.equal(seen.size, 121);
  const last = [...seen].find((cell) => cell.includes("Sender 120")) ?? "";
  const [, id = ""] = /integrations\/(\d+)"/.exec(last) ?? [];
  const { text: form } = await max.get(`${OPERATIONS}?integration=${id}`);
  assert.match(form, new RegExp(`<option value="${id}" selected>Sender 120</option>`));
  assert.match(form, /101 of 121 are listed\. The pages of the others lead here, too\./);
  assert.doesNotMatch((await max.get(OPERATIONS)).text, /Sender 120</);
  await source.send({ title: "Something to list" });
  const { text: alerts } = await max.get(`/acme/rocket/-/alerts?integration=${id}`);
  assert.match(alerts, new RegExp(`<option value="${id}" selected>Sender 120</option>`));
  assert.match(alerts, /<option value="" disabled>101 of 121 are listed<\/option>/);
  assert.match((await max.get(`${OPERATIONS}?page=9`)).text, /No more integrations/);
});

test("an external tool that was linked after a hundred other integrations is linked on the list of alerts (spec: Versioning 3)", async () => {
  const { db } = world.platform;
  await db.run(sql`update alert_integrations set active = false where project_id = ${world.rocket.id}`);
  const json = { type: "external_tool", api_url: "https://tool.example.org/api" };
  const tool = await world.call("/api/v4/projects/acme%2Frocket/alert_integrations", { as: "max", json });
  assert.equal(tool.status, 201, tool.text);
  assert.match((await max.get("/acme/rocket/-/alerts")).text, /View alerts in the external tool/);
  assert.match((await max.get(OPERATIONS)).text, /is linked, so every other source is off/);
  await world.call(`/api/v4/projects/acme%2Frocket/alert_integrations/${tool.json.id}`, {
    as: "max",
    method: "DELETE",
  });
});

test("invitations beyond the first page can be withdrawn (ux §7, lists)", async () => {
  await world.platform.db.run(sql`insert into invitations
      (digest, email, invited_by, project_id, access_level, expires_at)
    select sha256(('invited ' || n)::bytea), 'guest-' || n || '@example.net', ${world.ids.max}, ${world.rocket.id}, 30,
      now() + interval '1 day' from generate_series(1, 60) n`);
  const home = "/acme/rocket/-/invitations";
  const rows = async (page: number) =>
    listed((await max.get(`${home}?page=${page}`)).text, "Invitations that wait for an answer");
  assert.deepEqual([(await rows(1)).length, (await rows(3)).length, (await rows(4)).length], [20, 20, 0]);
  assert.match((await max.get(home)).text, new RegExp(`href="${home}\\?page=2"`));
  const { text } = await max.get(`${home}?page=3`);
  const [withdraw = ""] = /\/acme\/rocket\/-\/invitations\/\d+\/withdraw/.exec(text) ?? [];
  assert.equal((await max.post(withdraw, {})).status, 303);
  assert.equal((await rows(3)).length, 19);
  assert.match((await max.get(`${home}?page=9`)).text, /No more invitations/);
});

test("members by group have further pages (ux §7, lists)", async () => {
  await world.platform.db.run(sql`with made as (
      insert into users (username, name, email) select 'hand-' || n, 'Hand ' || n, 'hand-' || n || '@example.org'
      from generate_series(1, 120) n returning id)
    insert into members (namespace_id, user_id, access_level)
    select n.id, made.id, 30 from made, namespaces n where n.full_path = 'acme'`);
  const home = "/acme/rocket/-/members";
  const seen = new Set<string>();
  for (const page of [1, 2, 3, 4, 5, 6, 7])
    for (const cell of listed((await max.get(`${home}?inherited=${page}`)).text, "Inherited members"))
      seen.add(cell);
  assert.ok([...seen].filter((cell) => /Hand \d/.test(cell)).length === 120, `${seen.size}`);
  assert.match((await max.get(home)).text, /href="\/acme\/rocket\/-\/members\?inherited=2#inherited"/);
  assert.match((await max.get(`${home}?inherited=9`)).text, /No more members/);
});

test("the page of an alert says how many of the possible assignees it offers (ux §7, lists)", async () => {
  await world.platform.db.run(sql`with made as (
      insert into users (username, name, email) select 'mate-' || n, 'Mate ' || n, 'mate-' || n || '@example.org'
      from generate_series(1, 210) n returning id)
    insert into members (project_id, user_id, access_level) select ${world.rocket.id}, id, 30 from made`);
  await world.platform.db.run(sql`update alert_integrations set active = true where id = ${source.id}`);
  const [{ iid }] = (await source.send({ title: "Whose is it" })).json;
  const { text } = await max.get(`/acme/rocket/-/alerts/${iid}`);
  assert.match(text, /<option value="" disabled>200 of \d{3} are listed<\/option>/);
  assert.match(
    (await max.get("/acme/rocket/-/alerts")).text,
    /<option value="" disabled>200 of \d{3} are listed<\/option>/,
  );
});

test("event sources beyond the first page can be found (ux §7, lists)", async () => {
  const json = { name: "Forge 0", type: "github" };
  const made = await world.call("/api/v4/projects/acme%2Frocket/event_sources", { as: "max", json });
  await world.platform.db.run(sql`insert into event_sources (project_id, identifier, name, type, secret_sealed)
    select s.project_id, 'forge-' || n, 'Forge ' || n, 'github', s.secret_sealed
    from event_sources s, generate_series(1, 60) n where s.id = ${made.json.id}`);
  const home = "/acme/rocket/-/settings/sources";
  const rows = async (page: number) => listed((await max.get(`${home}?page=${page}`)).text, "Event sources");
  assert.deepEqual([(await rows(1)).length, (await rows(2)).length], [50, 11]);
  assert.match((await max.get(`${home}?page=9`)).text, /No more sources/);
});

test("claims of identities beyond the first page can be found and answered (ux §7, lists; decision 0118)", async () => {
  await world.platform.db.run(sql`with people as (
      insert into users (username, name, email)
      select 'octo-' || n, 'Octo ' || n, 'octo-' || n || '@example.org' from generate_series(1, 101) n
      returning id, username),
    outsiders as (insert into event_outsiders (host, login, user_id) select 'github.com', username, id from people returning *),
    claims as (insert into event_claims (user_id, host, login) select ${world.ids.gus}, host, login from outsiders returning *)
    insert into event_claim_answers (claim_id, project_id, outsider_id, state)
    select c.id, ${world.rocket.id}, o.user_id, 'refused' from claims c join outsiders o using (host, login)`);
  const home = "/acme/rocket/-/settings/sources";
  const rows = async (query: string) => listed((await max.get(home + query)).text, "Claims").length;
  assert.deepEqual([await rows(""), await rows("?claims=2")], [100, 1]);
  assert.match((await max.get(home)).text, /href="[^"]*\?claims=2#identities"/);
  assert.match((await max.get(`${home}?claims=9`)).text, /No more claims/);
});

/** The lists whose rows have forms, with a page of them that has rows, and the end of a form's address. */
const ROW_FORMS = [
  ["ada", "/admin/users?search=mate&page=2", "block"],
  ["ada", "/admin/users?search=mate&page=2", "make_admin"],
  ["ada", "/admin/users?search=mate&page=2", "password_link"],
  ["ada", "/admin/users/applications?search=robot&page=2", "block"],
  ["ada", "/admin/invitations?page=2", "send"],
  ["ada", "/admin/invitations?page=2", "withdraw"],
  ["ada", "/admin/identities?page=2", "approve"],
  ["ada", "/admin/applications?of=everybody&search=tool&page=2", "delete"],
  ["max", "/profile/applications?page=2", "delete"],
  ["max", "/profile/personal_access_tokens?page=2", "revoke"],
  ["max", "/profile/sessions?page=2", "end"],
  ["max", "/acme/rocket/-/members?page=2&inherited=2", "remove"],
  ["max", "/acme/rocket/-/members?page=2&inherited=2", "/members/\\d+"],
  ["max", "/acme/rocket/-/invitations?page=2", "send"],
  ["max", "/acme/rocket/-/invitations?page=2", "withdraw"],
  ["max", "/acme/rocket/-/environments?page=2", "delete"],
  ["max", "/acme/rocket/-/silences?page=2", "/silences/\\d+"],
  ["max", `${OPERATIONS}?page=2`, "active"],
  ["max", "/acme/rocket/-/settings/sources?page=2&claims=2", "approve"],
] as const;

test("an action on a row leads back to the page and the search on which the row was (ux §7, every list; decision 0319)", async (t) => {
  await fillLists(world);
  const ada = await signedIn(world, "ada");
  for (const [who, list, end] of ROW_FORMS) {
    await t.test(`${list}: ${end}`, async () => {
      const visitor = who === "ada" ? ada : max;
      const { text } = await visitor.get(list);
      const address = `([^"?]*${end}(?:\\?[^"]*)?)"`;
      // A row has a form, or a link to the page of one, which is posted to its own address (decision 0325).
      const [, inRow, asked] = new RegExp(`action="${address}|href="${address} data-ask`).exec(text) ?? [];
      const form = inRow ?? asked ?? "";
      const { status, location } = await visitor.post(form.replaceAll("&amp;", "&"), {
        action: "end",
        access_level: "20",
      });
      assert.equal(status, 303, `${form}: ${status}`);
      assert.equal(location?.split("#", 1)[0], list);
    });
  }
});

test("a change of a row that is refused leads back there as well (ux §7, every list; decision 0319)", async () => {
  const page = await max.post(`/acme/rocket/-/members/${world.ids.max}?page=2`, { access_level: "99" });
  assert.equal(page.location, "/acme/rocket/-/members?page=2#main");
});

test("nothing of a form's address but page and search reaches the redirect after it (RFC 9700 §4.11.2; decision 0319)", async () => {
  const ada = await signedIn(world, "ada");
  await ada.get("/admin/users");
  for (const [query, kept] of [
    ["page=//evil.example/&search=", ""],
    ["page=2.evil.example&back=https://evil.example/", ""],
    ["page=1&page=2&search=a&search=b", ""],
    [
      "search=//evil.example%0d%0aX:%20y%23%26&page=3#//evil",
      "?search=%2F%2Fevil.example%0D%0AX%3A+y%23%26&page=3",
    ],
  ]) {
    const { status, location } = await ada.post(`/admin/users/${world.ids.gus}/unblock?${query}`, {});
    assert.equal(status, 303);
    assert.equal(location, `/admin/users${kept}`, query);
  }
});
