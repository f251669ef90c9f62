/** The open alerts of all projects: who sees which, in which order, and with which filters (decision 0279). */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { aSource, type Source } from "../support/alerts.ts";
import { signedIn, type Visitor } from "../support/visitor.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

const PAGE = "/-/alerts";

let world: World;
let rocket: Source;
let open: Source;
let dev: Visitor;
before(async () => {
  world = await startWorld();
  rocket = await aSource(world);
  open = await aSource(world, "generic", {}, "acme/open");
  dev = await signedIn(world, "dev");
  for (const [source, title, severity] of [
    [rocket, "Gyro drifts", "low"],
    [open, "Hatch <ajar>", "critical"],
    [rocket, "Fuel leaks", "critical"],
    [open, "Seat squeaks", "info"],
    [rocket, "Lamp flickers", "low"],
  ] as const)
    await sent(source, { title, severity });
  await sent(open, { title: "Over", fingerprint: "over" });
  await sent(open, { title: "Over", fingerprint: "over", end_time: new Date().toISOString() });
  const ignored = await sent(open, { title: "Known" });
  await change("open", ignored, { status: "ignored" });
  await change("rocket", 1, { status: "acknowledged", assignee_ids: [world.ids.dev] });
  await change("open", 2, { assignee_ids: [world.ids.max] });
});

/** Returns the iid of the alert. */
async function sent(source: Source, payload: object): Promise<number> {
  const { status, json, text } = await source.send(payload);
  assert.equal(status, 200, text);
  return json[0].iid;
}

async function change(project: string, iid: number, json: object): Promise<void> {
  const path = `/api/v4/projects/acme%2F${project}/alert_management_alerts/${iid}`;
  const { status, text } = await world.call(path, { as: "olga", method: "PUT", json });
  assert.equal(status, 200, text);
}

/** The titles that a page of the list shows, in their order. */
const titlesIn = (text: string) =>
  [...text.matchAll(/<a class="title wrap-any" href="[^"]*">([^<]*)</g)].map(([, title]) => title);

async function listed(visitor: Visitor, query = ""): Promise<(string | undefined)[]> {
  const { status, text } = await visitor.get(PAGE + query);
  assert.equal(status, 200, text);
  return titlesIn(text);
}

const ALL = ["Fuel leaks", "Hatch &lt;ajar&gt;", "Lamp flickers", "Gyro drifts", "Seat squeaks"];

test("the open alerts of all projects are listed for Developers and above, the most critical first, then the newest (decision 0279; contract §3)", async () => {
  for (const person of ["dev", "max", "olga"] as const)
    assert.deepEqual(await listed(await signedIn(world, person)), ALL, person);
  const { text } = await dev.get(PAGE);
  assert.match(text, /<h1>Alerts of all projects<\/h1>/);
  assert.match(text, /href="\/acme\/open\/-\/alerts\/1">Hatch/);
  assert.match(text, /<a href="\/acme\/open\/-\/alerts">Open<\/a>/);
  assert.match(text, /1–5 of 5 open\./);
  assert.match(text, /Gyro drifts.*Acknowledged.*Yours/s);
  assert.equal(text.match(/>Yours</g)?.length, 1);
});

test("Reporters, Guests, strangers and administrators without a role see no alerts but an explanation (decision 0279; contract §3)", async () => {
  for (const person of ["rep", "gus", "stan", "ada"] as const) {
    const visitor = await signedIn(world, person);
    for (const query of ["", "?severity=critical", "?assigned=me", "?page=2"]) {
      const { status, text } = await visitor.get(PAGE + query);
      assert.equal(status, 200);
      assert.match(text, /You have no such project/, person);
      assert.doesNotMatch(text, /Fuel leaks|Hatch|Filter alerts/, `${person} ${query}`);
    }
  }
});

test("visitors and blocked users are redirected to sign in (decision 0279)", async () => {
  assert.equal((await world.call(PAGE)).status, 302);
  const max = await signedIn(world, "max");
  const block = (act: string) =>
    world.call(`/api/v4/users/${world.ids.max}/${act}`, { as: "ada", method: "POST" });
  assert.equal((await block("block")).status, 201);
  const refused = await max.get(PAGE);
  assert.equal(refused.status, 302);
  assert.match(refused.location ?? "", /\/users\/sign_in/);
  assert.equal((await block("unblock")).status, 201);
});

test("filters by status, severity and assignee stay in the address, and unknown values filter nothing (decision 0279)", async () => {
  for (const [query, titles] of [
    ["?severity=low", ["Lamp flickers", "Gyro drifts"]],
    ["?severity=medium", []],
    ["?status=acknowledged", ["Gyro drifts"]],
    ["?status=triggered", ALL.filter((title) => title !== "Gyro drifts")],
    ["?status=triggered&severity=low", ["Lamp flickers"]],
    ["?assigned=me", ["Gyro drifts"]],
    ["?assigned=me&severity=low&status=acknowledged", ["Gyro drifts"]],
    ["?assigned=me&severity=critical", []],
    ["?assigned=me&status=triggered", []],
    ["?status=resolved&severity=Critical&assigned=max&page=x", ALL],
    ["?status=ignored", ALL],
    ["?severity=low&severity=info", ALL],
  ] as const)
    assert.deepEqual(await listed(dev, query), titles, query);
  assert.deepEqual(await listed(await signedIn(world, "max"), "?assigned=me"), ["Seat squeaks"]);
  const { text } = await dev.get(`${PAGE}?status=triggered&severity=low&assigned=me`);
  assert.match(text, /<h2>No alert matches<\/h2>.*href="\/-\/alerts">Show all</s);
  assert.match(text, /<input type="hidden" name="status" value="triggered">/);
  assert.match(text, /<option value="low" selected>.*<option value="me" selected>/s);
  assert.match(text, /href="\/-\/alerts\?status=acknowledged&amp;severity=low&amp;assigned=me">Acknowledged/);
  assert.match(text, /href="\/-\/alerts\?status=triggered" aria-label="Clear filters">/);
});

test("words are searched in the open alerts of all projects, together with the filters (decision 0290)", async () => {
  for (const [query, titles] of [
    ["?search=FUEL", ["Fuel leaks"]],
    ["?search=%20hatch%20%3Caj%20", ["Hatch &lt;ajar&gt;"]],
    ["?search=s&severity=low", ["Lamp flickers", "Gyro drifts"]],
    ["?search=s&status=acknowledged", ["Gyro drifts"]],
    ["?search=s&assigned=me", ["Gyro drifts"]],
    ["?search=fuel&assigned=me", []],
    ["?search=over", []],
    ["?search=%25", []],
    ["?search=a&page=2", []],
    ["?search=", ALL],
    ["?search=%00", ALL],
  ] as const)
    assert.deepEqual(await listed(dev, query), titles, query);
  const { text } = await dev.get(`${PAGE}?search=le%22ak`);
  assert.match(text, /name="search" value="le&quot;ak"/);
  assert.match(text, /<h2>No alert matches<\/h2>/);
  assert.match(text, /href="\/-\/alerts\?status=triggered&amp;search=le%22ak">Triggered/);
  for (const person of ["rep", "ada"] as const)
    assert.deepEqual(await listed(await signedIn(world, person), "?search=fuel"), [], person);
});

test("the tabs count the alerts that match the other filters (decision 0279)", async () => {
  const counts = async (query: string) => {
    const { text } = await dev.get(PAGE + query);
    const tabs = /<nav class="tabs in-card".*?<\/nav>/s.exec(text)?.[0] ?? "";
    return [...tabs.matchAll(/class="n">(\d+)</g)].map(([, n]) => Number(n));
  };
  assert.deepEqual(await counts(""), [5, 4, 1]);
  assert.deepEqual(await counts("?status=acknowledged"), [5, 4, 1]);
  assert.deepEqual(await counts("?severity=low"), [2, 1, 1]);
  assert.deepEqual(await counts("?assigned=me"), [1, 0, 1]);
  assert.deepEqual(await counts("?assigned=me&severity=critical"), [0, 0, 0]);
  assert.deepEqual(await counts("?search=s&severity=low&status=triggered"), [2, 1, 1]);
});

test("test alerts are left out, also of those assigned to the viewer (decision 0279)", async () => {
  const tried = await world.call(`/api/v4/projects/acme%2Frocket/alert_integrations/${rocket.id}/test`, {
    as: "dev",
    json: { payload: { title: "Only a test", severity: "critical" } },
  });
  assert.ok(tried.status < 300, tried.text);
  const path = "/api/v4/projects/acme%2Frocket/alert_management_alerts";
  const { json } = await world.call(`${path}?include_test=true`, { as: "dev" });
  const made = json.find(({ title }: { title: string }) => title === "Only a test");
  await change("rocket", made.iid, { assignee_ids: [world.ids.dev] });
  assert.deepEqual(await listed(dev), ALL);
  assert.deepEqual(await listed(dev, "?assigned=me"), ["Gyro drifts"]);
});

test("silenced alerts are marked as such here and on the start page (decisions 0096, 0279)", async () => {
  const json = {
    comment: "Move of the racks",
    ends_at: new Date(Date.now() + 3_600_000).toISOString(),
    matchers: [{ field: "title", operator: "equals", value: "Rack is dark" }],
  };
  const silence = { as: "max", json } as const;
  assert.equal((await world.call("/api/v4/projects/acme%2Frocket/alert_silences", silence)).status, 201);
  const iid = await sent(rocket, { title: "Rack is dark", severity: "critical" });
  for (const path of [PAGE, "/"]) {
    const { text } = await dev.get(path);
    assert.match(text, /Rack is dark<\/a>(?:(?!<\/th>).)*>Silenced</s, path);
    assert.equal(text.match(/>Silenced</g)?.length, 1, path);
  }
  await change("rocket", iid, { status: "resolved" });
});

test("alerts of other people's private projects are seen only by their members (decision 0279; contract §3)", async () => {
  const made = await world.call("/api/v4/projects", { as: "stan", json: { name: "Own", path: "own" } });
  assert.equal(made.status, 201, made.text);
  const own = await aSource(world, "generic", {}, "stan/own");
  await sent(own, { title: "Private matter" });
  assert.deepEqual(await listed(await signedIn(world, "stan")), ["Private matter"]);
  for (const person of ["dev", "olga", "ada", "rep"] as const)
    assert.ok(!(await listed(await signedIn(world, person))).includes("Private matter"), person);
});

test("projects that are archived or marked for deletion are left out, and so are projects in which the role has ended (decisions 0152, 0153, 0279)", async () => {
  const project = (act: string, method = "POST", as: Person = "olga") =>
    world.call(`/api/v4/projects/acme%2Fopen${act}`, { as, method });
  const ofRocket = ALL.filter((title) => !/Hatch|Seat/.test(title ?? ""));
  assert.equal((await project("/archive")).status, 201);
  assert.deepEqual(await listed(dev), ofRocket);
  assert.deepEqual(await listed(await signedIn(world, "max"), "?assigned=me"), []);
  assert.equal((await project("/unarchive")).status, 201);
  assert.deepEqual(await listed(dev), ALL);
  assert.equal((await project("", "DELETE")).status, 202);
  assert.deepEqual(await listed(dev), ofRocket);
  assert.equal((await project("/restore")).status, 201);
  assert.deepEqual(await listed(dev), ALL);
  const member = `/members/${world.ids.dev}`;
  const role = (access_level: number) =>
    world.call(`/api/v4/projects/acme%2Frocket${member}`, {
      as: "olga",
      method: "PUT",
      json: { access_level },
    });
  assert.equal((await role(20)).status, 200);
  assert.deepEqual(await listed(dev), ["Hatch &lt;ajar&gt;", "Seat squeaks"]);
  assert.deepEqual(await listed(dev, "?assigned=me"), []);
  assert.equal((await role(30)).status, 200);
});

test("the start page links to the page from its total and its card, and so does the navigation (decision 0279)", async () => {
  const few = await dev.get("/");
  assert.match(few.text, /<a href="\/-\/alerts">5 alerts<\/a>, most critical first\./);
  assert.doesNotMatch(few.text, /Show all/);
  for (const title of ["Bolt is loose", "Nut is lost"]) await sent(rocket, { title, severity: "medium" });
  const many = await dev.get("/");
  assert.match(many.text, /<a href="\/-\/alerts">Show all 7 open alerts<\/a>/);
  assert.match(many.text, /<a href="\/-\/alerts" data-key="g a">/);
  const { text } = await dev.get(PAGE);
  const marked = [...text.matchAll(/<a href="([^"]*)" aria-current="page"/g)].map(([, href]) => href);
  assert.deepEqual(marked, ["/-/alerts", "/-/alerts"], "the entry and the tab");
});

test("pages of twenty keep the filters, and only the first thousand alerts are listed (decision 0279)", async () => {
  const batch = (from: number, n: number) =>
    Array.from({ length: n }, (_, i) => ({ title: `Step ${from + i}`, severity: "unknown" }));
  for (const [from, n] of [
    [0, 45],
    [45, 960],
  ] as const) {
    const { status, text } = await rocket.send(batch(from, n));
    assert.equal(status, 200, text);
    const last = n === 45 ? 3 : 50;
    const first = await dev.get(`${PAGE}?severity=unknown`);
    assert.equal(titlesIn(first.text).length, 20);
    assert.match(first.text, /href="\/-\/alerts\?severity=unknown&amp;page=2">2</);
    assert.match(first.text, new RegExp(`page=${last}">${last}</a><a [^>]*>Next`));
    const seen = new Set(titlesIn(first.text));
    for (const page of [2, 3])
      for (const title of await listed(dev, `?severity=unknown&page=${page}`)) seen.add(title);
    assert.equal(seen.size, Math.min(60, from + n));
  }
  const far = await dev.get(`${PAGE}?severity=unknown&page=50`);
  assert.equal(titlesIn(far.text).length, 20);
  assert.match(far.text, /981–1,000 of 1,005 open\. Only the first 1,000 are listed/);
  assert.doesNotMatch(far.text, /page=51/);
  const past = await dev.get(`${PAGE}?severity=unknown&page=51`);
  assert.match(past.text, /<h2>No more alerts<\/h2>/);
  assert.match(past.text, /href="\/-\/alerts\?severity=unknown">Go to the first page</);
});

test("a list of more than one page shows which projects the alerts are in, the worst first (decision 0290)", async () => {
  const card = /<h2[^>]*>By project<\/h2>.*/s;
  const { text } = await dev.get(PAGE);
  const [shown = ""] = card.exec(text) ?? [];
  const rows = [...shown.matchAll(/<th role="rowheader".*?<\/tr>/gs)].map(([one]) => [
    /href="([^"]*)"/.exec(one)?.[1],
    ...[...one.matchAll(/<td[^>]*>([\d,]+)</g)].map(([, n = ""]) => Number(n.replace(",", ""))),
  ]);
  assert.deepEqual(rows, [
    ["/acme/rocket/-/alerts", 1, 0, 1010],
    ["/acme/open/-/alerts", 1, 0, 2],
  ]);
  // One page, one project, and lists whose alerts are not all counted by project.
  for (const query of ["?severity=low", "?severity=unknown", "?search=step", "?assigned=me"])
    assert.doesNotMatch((await dev.get(PAGE + query)).text, card, query);
});
