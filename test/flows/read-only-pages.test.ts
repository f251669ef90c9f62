/** The pages of projects and groups that are archived or marked for deletion offer nothing that would be refused. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { doorsOf } from "../support/doors.ts";
import { fullProject } from "../support/full-project.ts";
import { linksOf, type Offered, offeredBy, strayControls } from "../support/page-forms.ts";
import { signedIn, type Visitor } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let olga: Visitor;
/** Everything that the pages offer while the project and the group are active. */
let active: Walk;

const PROJECT = "/ship/hull";
const GROUP = "/groups/ship/-";
const API = "/api/v4/projects/ship%2Fhull";
/** Phrases with which pages ask their readers to do something. */
const ASKS_TO_ACT =
  /give out a new key if|a new key ends|put a payload of|put the authorization key|stays as it is<|leave (it )?empty|closing this incident|name one, such|add the people|a change counts|a change is for|can be changed here|send a test alert</i;
const READ_ONLY = /is archived and can only be read|is marked for deletion and goes for good/;

before(async () => {
  world = await startWorld();
  await fullProject(world);
  olga = await signedIn(world, "olga");
  active = await walk([PROJECT, GROUP, "/ship"]);
});

const ask = async (path: string, method: string) => {
  const reply = await world.call(path, { as: "olga", method });
  assert.ok(reply.status < 300, `${method} ${path}: ${reply.status} ${reply.text}`);
  return reply.json;
};

interface Walk {
  /** The text of every page, by its path. */
  pages: ReadonlyMap<string, string>;
  /** The forms on these pages, without duplicates. */
  offered: ReadonlyMap<string, Offered>;
}

/** Pages that no link leads to, or only one with its own query. */
function doors(): string[] {
  const fixed = doorsOf(world.app).filter(
    ({ method, path }) =>
      method === "GET" && /^(\/:project|\/groups\/:path\/-\/)/.test(path) && !/:(?!project|path)/.test(path),
  );
  const paths = fixed.map(({ path }) => path.replace(/^\/:project/, PROJECT).replace(":path", "ship"));
  const views = ["?tab=resolved", "?tab=all&severity=high"].map((query) => `${PROJECT}/-/alerts${query}`);
  const more = [`${PROJECT}/-/settings/operations?type=external_tool`, `${PROJECT}/-/silences/new?alert=2`];
  return [...paths, ...views, ...more];
}

/** Requests every page below these paths, found by links and by the list of routes. */
async function walk(roots: readonly string[]): Promise<Walk> {
  const isInside = (address: string) =>
    roots.some((root) => address === root || new RegExp(`^${root}[/?]`).test(address));
  const waiting = [...roots.filter((root) => root !== GROUP), ...doors().filter(isInside)];
  const pages = new Map<string, string>();
  const seen = new Set<string>();
  for (let address = waiting.shift(); address !== undefined; address = waiting.shift()) {
    // A page is requested once, whatever its filters, except for the views given above.
    if (seen.has(address) || /\/(export|stream|raw)\b|\.(atom|json|git)$|[?&]export=/.test(address)) continue;
    seen.add(address);
    const page = await olga.get(address);
    if (page.status >= 300 && page.status < 400) {
      waiting.push((page.location ?? "").replace(/#.*$/, ""));
      continue;
    }
    assert.equal(page.status, 200, `${address}: ${page.status}`);
    if (!page.headers.get("content-type")?.startsWith("text/html")) continue;
    pages.set(address, page.text);
    for (const link of linksOf(page.text)) {
      const path = link.replace(/[?#].*$/, "");
      if (isInside(path) && !seen.has(path)) waiting.push(path);
    }
  }
  const offered = new Map<string, Offered>();
  for (const text of pages.values())
    for (const form of offeredBy(text))
      if (form.action !== "/users/sign_out")
        offered.set(`${form.action} ${JSON.stringify(form.fields)}`, form);
  return { pages, offered };
}

/** Submits each form as it is, with nothing typed. */
async function postAll(
  forms: Iterable<Offered>,
): Promise<{ action: string; status: number; text: string }[]> {
  const answers = [];
  for (const { action, fields } of forms) answers.push({ action, ...(await olga.post(action, fields)) });
  return answers;
}

const actionsOf = ({ offered }: Walk) =>
  [...new Set([...offered.values()].map(({ action }) => action))].sort();
const isOfApplications = (action: string) => action.startsWith(`${GROUP}/settings/applications`);

/** Asserts that the pages show one notice each and offer only these forms, each of which is accepted. */
async function offersOnly(roots: readonly string[], expected: readonly string[]): Promise<void> {
  const readOnly = await walk(roots);
  for (const [address, text] of readOnly.pages) {
    if (isOfApplications(address)) continue;
    assert.equal(text.split(READ_ONLY).length - 1, 1, `${address} says once why nothing can be changed`);
    assert.deepEqual(strayControls(text), [], address);
    assert.doesNotMatch(text, ASKS_TO_ACT, address);
    for (const link of linksOf(text)) {
      assert.doesNotMatch(link, /\/new(\?|#|$)|\/settings\/move$/, `${address} links to a form: ${link}`);
      const [path = "", id] = link.split("#");
      const target = path === "" ? text : readOnly.pages.get(path);
      if (id && target !== undefined)
        assert.ok(target.includes(` id="${id}"`), `${address} links to ${link}`);
    }
  }
  assert.deepEqual(
    actionsOf(readOnly).filter((action) => !isOfApplications(action)),
    [...expected].sort(),
  );
  // What is no longer offered must be refused, except the forms for archiving, deletion and restoring.
  const gone = [...active.offered]
    .filter(([key, { action }]) => !readOnly.offered.has(key) && !/\/(archive|delete|restore)$/.test(action))
    .map(([, form]) => form)
    .filter(({ action }) => roots.some((root) => action.startsWith(root)));
  for (const { action, status, text } of await postAll(gone)) {
    assert.equal(status, 403, `${action} is offered no more: ${status}`);
    assert.match(text, READ_ONLY, action);
  }
  for (const { action, status, text } of await postAll(readOnly.offered.values()))
    assert.notEqual(status, 403, `${action}: ${text}`);
}

test("every page of a project or group has its name in the title, and the current page in both navigations (WCAG 2.4.2, 2.4.8)", () => {
  assert.ok(active.pages.size > 40, `${active.pages.size} pages`);
  for (const [address, text] of active.pages) {
    const [, title = ""] = /<title>(.*) · Gatehouse<\/title>/.exec(text) ?? [];
    assert.match(title, address.startsWith(PROJECT) ? /\bHull$/ : /\bShip$/, `${address}: ${title}`);
    const [side = ""] = /<nav class="side"[\s\S]*?<\/nav>/.exec(text) ?? [];
    assert.equal(side.split('aria-current="page"').length - 1, 1, address);
    assert.match(text, /<nav class="crumbs"[\s\S]*<li aria-current="page">/, address);
  }
});

test("the pages of an active project and its group offer the forms that the following tests look for (decision 0153)", () => {
  const actions = actionsOf(active);
  assert.ok(actions.length > 50, `${actions.length} addresses`);
  for (const part of ["alerts", "alerts/views", "incidents/1", "silences/1", "members", "invitations"])
    assert.ok(
      actions.some((action) => action.startsWith(`${PROJECT}/-/${part}`)),
      part,
    );
  for (const part of ["hooks/1", "sources/1", "sources/claims/1", "operations/channels/1", "operations/test"])
    assert.ok(
      actions.some((action) => action.startsWith(`${PROJECT}/-/settings/${part}`)),
      part,
    );
});

test("the pages of an archived project offer only to unarchive or delete it (decision 0153)", async () => {
  await ask(`${API}/archive`, "POST");
  await offersOnly([PROJECT], [`${PROJECT}/-/settings/archive`, `${PROJECT}/-/settings/delete`]);
  assert.equal((await ask(API, "GET")).archived, false, "its form unarchived it");
});

test("the pages of an archived project tell a Developer who can unarchive it, and offer them no form (decision 0153)", async () => {
  await ask(`${API}/archive`, "POST");
  const dev = await signedIn(world, "dev");
  for (const path of ["", "/-/alerts", "/-/alerts/1", "/-/incidents/1", "/-/settings/operations"]) {
    const { text } = await dev.get(`${PROJECT}${path}`);
    assert.match(text, /can only be read\. Its owners can unarchive it\./, path);
    assert.deepEqual(
      offeredBy(text).map(({ action }) => action),
      ["/users/sign_out"],
      path,
    );
  }
  await ask(`${API}/unarchive`, "POST");
});

test("the pages of a project marked for deletion offer only to restore it or to delete it sooner (decision 0152; decision 0153)", async () => {
  await ask(API, "DELETE");
  await offersOnly([PROJECT], [`${PROJECT}/-/settings/restore`, `${PROJECT}/-/settings/delete`]);
  assert.equal((await ask(API, "GET")).marked_for_deletion_on, null);
});

test("the pages of an archived group and of a project in it offer only unarchiving, deletion, and the group's applications (decision 0153)", async () => {
  await ask("/api/v4/groups/ship/archive", "POST");
  await offersOnly(
    ["/ship", GROUP],
    [`${GROUP}/settings/archive`, `${GROUP}/settings/delete`, `${PROJECT}/-/settings/delete`],
  );
  assert.equal((await ask(API, "GET")).archived, false);
});

test("the pages of a group marked for deletion and of a project in it offer only restoring, and the group's applications (decision 0152; decision 0153)", async () => {
  await ask("/api/v4/groups/ship", "DELETE");
  await offersOnly(["/ship", GROUP], [`${GROUP}/settings/restore`]);
  assert.equal((await ask(API, "GET")).marked_for_deletion_on, null);
});

test("while a project is archived, pages for creating or moving something say why this is not possible, with a link back (decision 0153)", async () => {
  const forms: readonly (readonly [form: string, back: string])[] = [
    ["/-/silences/new?alert=1", "/-/silences"],
    ["/-/incidents/new", "/-/incidents"],
    ["/-/settings/operations/channels/new?kind=slack", "/-/settings/operations/channels"],
    ["/-/settings/operations/heartbeats/new", "/-/settings/operations/heartbeats"],
    ["/-/settings/operations/templates/new", "/-/settings/operations"],
  ];
  await ask("/api/v4/groups/ship/archive", "POST");
  for (const [form, back] of forms) {
    const { text } = await olga.get(`${PROJECT}${form}`);
    assert.match(
      text,
      /<p>Nothing can be created in what is archived\. What is there already can still be read\./,
      form,
    );
    assert.match(text, new RegExp(`<a class="btn" href="${PROJECT}${back}">Back to `), form);
  }
  for (const [move, back] of [
    [`${PROJECT}/-/settings/move`, PROJECT],
    [`${GROUP}/settings/move`, `${GROUP}/settings`],
  ] as const) {
    const { text } = await olga.get(move);
    assert.match(text, /What is archived can’t be moved\./, move);
    assert.match(text, new RegExp(`<a class="btn" href="${back}">Back to the `), move);
  }
  for (const form of ["/projects/new?namespace=ship", "/groups/new?parent=ship"]) {
    const { text } = await olga.get(form);
    assert.match(
      text,
      /Nothing can be created in <a [^>]*href="\/ship">ship<\/a>, which is archived\./,
      form,
    );
    assert.doesNotMatch(text, /<option[^>]*value="ship"/, "it is not offered");
  }
  const typed = { name: "Mast", path: "mast", namespace: "ship", visibility: "private" };
  const refused = await olga.submit("/projects", typed, "/projects/new");
  assert.equal(refused.status, 422);
  assert.match(refused.text, /value="Mast"/, "what was typed is kept");
  assert.match(refused.text, /Nothing can be created in <a [^>]*href="\/ship">/);
  await ask("/api/v4/groups/ship/unarchive", "POST");
  assert.match((await olga.get("/projects/new")).text, /<option[^>]*value="ship"/);
});

test("a refused page shows the reason in words, without the status in the text (ux §8)", async () => {
  const dev = await signedIn(world, "dev");
  const low = await dev.get(`${PROJECT}/-/settings/operations/heartbeats`);
  assert.equal(low.status, 403);
  assert.match(
    low.text,
    /<p class="text-2 mt-s">This page is for people who are at least Maintainer of the project\.<\/p>/,
  );
  await ask(`${API}/archive`, "POST");
  const refused = await olga.post(`${PROJECT}/-/silences`, {});
  await ask(`${API}/unarchive`, "POST");
  assert.equal(refused.status, 403);
  assert.match(refused.text, /<p class="text-2 mt-s">This project is archived and can only be read\.<\/p>/);
});
