/** The list of alerts: filters, saved views, bulk actions, live arrivals and exports. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { aSource, type Source } from "../support/alerts.ts";
import { whileDevLeaves } from "../support/meanwhile.ts";
import { signedIn, type Visitor } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

const PAGE = "/acme/rocket/-/alerts";
const API = "/api/v4/projects/acme%2Frocket/alert_management_alerts";

let world: World;
let source: Source;
let dev: Visitor;
before(async () => {
  world = await startWorld();
  source = await aSource(world);
  dev = await signedIn(world, "dev");
});

async function opened(title: string, more: object = {}): Promise<number> {
  const { json } = await source.send({ title, fingerprint: title, ...more });
  return json[0].iid;
}

async function alert(iid: number) {
  return (await world.call(`${API}/${iid}`, { as: "dev" })).json;
}

test("selected alerts are acknowledged, ignored, assigned and resolved in bulk (contract-alerts, list)", async () => {
  const iids = [await opened("Fan"), await opened("Belt"), await opened("Gate")];
  const ticked = iids.map((iid): [string, string] => ["iids[]", String(iid)]);
  const after = async (fields: [string, string][], member: string) => {
    const { status } = await dev.submit(PAGE, [...ticked, ...fields]);
    assert.equal(status, 303);
    return Promise.all(iids.map(async (iid) => (await alert(iid))[member]));
  };
  assert.deepEqual(await after([["action", "acknowledge"]], "status"), Array(3).fill("acknowledged"));
  assert.deepEqual(await after([["action", "ignore"]], "status"), Array(3).fill("ignored"));
  const max = String(world.ids.max);
  const assign: [string, string][] = [
    ["action", "assign"],
    ["assignee", max],
  ];
  for (const people of await after(assign, "assignees")) assert.equal(people[0].username, "max");
  const nobody: [string, string][] = [
    ["action", "assign"],
    ["assignee", "0"],
  ];
  assert.deepEqual(await after(nobody, "assignees"), [[], [], []]);
  assert.deepEqual(await after([["action", "resolve"]], "status"), Array(3).fill("resolved"));
});

test("the message after a bulk action says how many alerts were changed, how many were not, and why (ux §8; decision 0161)", async () => {
  const iids = [await opened("Rope"), await opened("Bollard"), await opened("Fender")];
  const told = async (action: string, numbers: readonly number[]) => {
    const ticked = numbers.map((iid): [string, string] => ["iids[]", String(iid)]);
    const page = await dev.follow(await dev.submit(PAGE, [...ticked, ["action", action], ["assignee", "0"]]));
    return /<div class="msg [^>]*>(.*?)<\/div>/s
      .exec(page.text)?.[1]
      ?.replaceAll(/<[^>]*>/g, "")
      .trim();
  };
  assert.equal(await told("assign", iids.slice(0, 2)), "2 alerts were assigned to nobody.");
  assert.equal(await told("resolve", iids.slice(0, 2)), "2 alerts were resolved.");
  const again = "open an alert again on its own page.";
  assert.equal(await told("acknowledge", iids), `1 alert was acknowledged. 2 are resolved already; ${again}`);
  assert.equal(
    await told("ignore", iids.slice(0, 1)),
    `0 alerts were ignored. 1 is resolved already; ${again}`,
  );
});

test("a search finds what stands in one member or host, never across two (reference alerts A9)", async () => {
  const reply = await source.send({
    ...{ title: "Lock gate", description: "full of weeds", service: "canal", monitoring_tool: "gauge" },
    ...{ hosts: ["gate-1", "gate-2"], fingerprint: "lock-gate" },
  });
  const { iid } = reply.json[0];
  const found = async (words: string) => {
    const list = await world.call(`${API}?search=${encodeURIComponent(words)}`, { as: "dev" });
    return list.json.map((one: { iid: number }) => one.iid);
  };
  for (const words of ["lock GATE", "full of", "canal", "gauge", "gate-2", "lock-gate"]) {
    assert.deepEqual(await found(words), [iid], words);
  }
  for (const words of ["gate full", "weeds canal", "canal gauge", "gate-1 gate-2", "lock-gate gate-1"]) {
    assert.deepEqual(await found(words), [], words);
  }
});

test("list, counts and export are filtered by iids and assignee_username; empty parameters do not filter (reference alerts A9; contract-alerts, list)", async () => {
  const [one, other, third] = [await opened("Hatch"), await opened("Crane"), await opened("Winch")];
  const give = (iid: number, ids: number[]) =>
    world.call(`${API}/${iid}`, { as: "dev", method: "PUT", json: { assignee_ids: ids } });
  const { max, dev: own } = world.ids;
  await Promise.all([give(one, [max as number]), give(other, [max as number, own as number])]);
  const found = async (query: string) => {
    const reply = await world.call(`${API}?${query}&sort=created_at_asc`, { as: "dev" });
    assert.equal(reply.status, 200, reply.text);
    const iids = reply.json.map(({ iid }: { iid: number }) => iid);
    const counts = (await world.call(`${API}/counts?${query}`, { as: "dev" })).json;
    const file = (await world.call(`${API}/export?${query}`, { as: "dev" })).json;
    const total = Number(reply.headers.get("x-total"));
    assert.deepEqual([total, counts.all, file.length], [iids.length, iids.length, iids.length], query);
    return iids;
  };
  assert.deepEqual(await found("assignee_username=MAX"), [one, other]);
  assert.deepEqual(await found("assignee_username=dev"), [other]);
  assert.deepEqual(await found("assignee_username=rep,nobody"), []);
  assert.deepEqual(await found(`iids=${third},${one}`), [one, third]);
  assert.deepEqual(await found(`iids=${third},${one}&assignee_username=max&search=hatch`), [one]);
  const all = await found("");
  assert.ok(all.length > 3);
  for (const nothing of [
    "assignee_username=&iids=",
    "environment=",
    "status=&severity=&integration_id=&search=",
  ])
    assert.deepEqual(await found(nothing), all, `${nothing} does not filter`);
  const wrong = await world.call(`${API}?iids=x`, { as: "dev" });
  assert.deepEqual([wrong.status, wrong.json.error], [400, "iids is invalid"]);
});

test("Assign changes nothing as long as no person was chosen, and says so (reference ux §8; WCAG 3.3.4)", async () => {
  const iid = await opened("Hawser", { severity: "low" });
  const send = async (assignee: string) => {
    const form: [string, string][] = [
      ["iids[]", String(iid)],
      ["action", "assign"],
      ["assignee", assignee],
    ];
    return (await dev.follow(await dev.submit(PAGE, form))).text;
  };
  await send(String(world.ids.max));
  assert.match(await send(""), /Nobody was chosen\. Choose a person/);
  assert.deepEqual(
    (await alert(iid)).assignees.map(({ id }: { id: number }) => id),
    [world.ids.max],
  );
  const page = (await dev.get(PAGE)).text;
  const [, first] = /<select[^>]* name="assignee"[^>]*>\s*<option[^>]*>([^<]*)/.exec(page) ?? [];
  assert.equal(first, "Assign to …");
});

test("a row shows two assignees by their faces, and counts and names the others (reference ux §7, alerts list)", async () => {
  const iid = await opened("Capstan");
  const assignee_ids = [world.ids.max, world.ids.dev, world.ids.olga];
  const changed = await world.call(`${API}/${iid}`, { as: "max", method: "PUT", json: { assignee_ids } });
  const names: string[] = changed.json.assignees.map(({ name }: { name: string }) => name);
  assert.equal(names.length, 3, changed.text);
  const page = (await dev.get(`${PAGE}?search=Capstan`)).text;
  for (const name of names.slice(0, 2)) assert.ok(page.includes(`<span class="who" title="${name}">`), name);
  assert.match(page, new RegExp(`title="${names[2]}">\\+1<span class="sr">: ${names[2]}</span>`));
});

test("without a token the alerts of a private project are missing, for reading and changing, and those of a public one need one (contract-alerts, roles)", async () => {
  const iid = await opened("Sluice");
  const changes: readonly [path: string, method: string, json: object][] = [
    ["", "PUT", { status: "resolved" }],
    ["/notes", "POST", { body: "Seen" }],
    ["/incident", "POST", {}],
  ];
  for (const [path, method, json] of changes) {
    for (const id of ["acme%2Frocket", `${world.rocket.id}`, "acme%2Fnowhere", "999999", "rocket"]) {
      const address = `/api/v4/projects/${id}/alert_management_alerts/${iid}${path}`;
      const reply = await world.call(address, { method, json });
      assert.deepEqual([reply.status, reply.json], [404, { message: "404 Project Not Found" }], address);
    }
    const open = `/api/v4/projects/acme%2Fopen/alert_management_alerts/${iid}${path}`;
    assert.equal((await world.call(open, { method, json })).status, 401, open);
    const wrong = { authorization: "Bearer wrong" };
    assert.equal((await world.call(`${API}/${iid}${path}`, { method, json, headers: wrong })).status, 401);
  }
  assert.equal((await world.call(`${API}/${iid}`)).status, 404);
  const shown = await world.call(`${API}/${iid}`, { as: "dev" });
  assert.deepEqual([shown.json.status, shown.json.events], ["triggered", 1]);
});

test("a Reporter is not offered as assignee and cannot be assigned (contract-alerts, roles)", async () => {
  const iid = await opened("Lamp");
  const { text } = await dev.get(PAGE);
  assert.ok(text.includes(">Max Maintainer<"));
  assert.ok(!text.includes(">Rep Reporter<"));
  await dev.submit(PAGE, { "iids[]": String(iid), action: "assign", assignee: String(world.ids.rep) });
  assert.deepEqual((await alert(iid)).assignees, []);
});

test("the alerts page of a project without alerts shows only the next step, without figures, chart and filters (reference ux §7, alerts list: E)", async () => {
  const max = await signedIn(world, "max");
  const page = "/acme/open/-/alerts";
  const bare = (await max.get(page)).text;
  assert.match(bare, /Nothing can send alerts yet.*Add integration/s);
  assert.doesNotMatch(bare, /class="figures"|Occurrences by hour|aria-label="Filter alerts"|Send test alert/);
  const first = await aSource(world, "generic", {}, "acme/open");
  const waiting = (await max.get(page)).text;
  assert.match(waiting, /Send test alert.*Waiting for the first alert/s);
  assert.ok(
    waiting.includes(`curl ${world.url}${first.path} `),
    "a command with the address of this project",
  );
  const dev = await (await signedIn(world, "dev")).get(page);
  assert.match(dev.text, /authorization key of Test generic, which Maintainers see on its page/);
  await first.send({ title: "First" });
  assert.match(
    (await max.get(page)).text,
    /class="figures".*Occurrences by hour.*aria-label="Filter alerts".*First/s,
  );
});

test("a filter does not change the figure of open alerts, and an empty result has a link to clear the filters (reference ux §7, alerts list: X)", async () => {
  const figure = (text: string) => /<dt>Open alerts<\/dt><dd>([^<]*)/.exec(text)?.[1];
  const whole = (await dev.get(PAGE)).text;
  assert.ok(Number(figure(whole)) > 0);
  assert.doesNotMatch(whole, /Clear filters/);
  const none = (await dev.get(`${PAGE}?tab=all&search=nothing+like+it&severity=low`)).text;
  assert.match(none, /No alert matches/);
  assert.equal(figure(none), figure(whole));
  assert.match(
    none,
    /<a class="btn quiet" href="\/acme\/rocket\/-\/alerts\?tab=all" aria-label="Clear filters">Clear</,
  );
});

test("a bulk action without selected alerts says to select some (reference ux §8)", async () => {
  const told = await dev.follow(await dev.submit(PAGE, { action: "resolve" }));
  assert.match(told.text, /No alert was selected. Select alerts in the list/);
});

test("a saved view is shown to its owner only and in its project only, while its URL works for others (decision 0100)", async () => {
  const max = await signedIn(world, "max");
  const query = "?tab=all&severity=critical&sort=event_count_desc";
  const saved = await dev.submit(
    `${PAGE}/views${query}`,
    { action: "save", name: "Grave ones" },
    PAGE + query,
  );
  assert.equal(saved.location, PAGE + query);
  const named = /class="chip"[^>]*>Grave ones</;
  assert.match((await dev.get(PAGE)).text, named);
  assert.match((await dev.get(PAGE + query)).text, /class="chip" aria-current="true"/);
  assert.doesNotMatch((await max.get(PAGE)).text, named);
  assert.equal((await max.get(PAGE + query)).status, 200);
  assert.doesNotMatch((await dev.get("/acme/open/-/alerts")).text, named);
  const id = /name="id" value="(\d+)"/.exec((await dev.get(PAGE + query)).text)?.[1] ?? "";
  await max.submit(`${PAGE}/views${query}`, { action: "remove", id }, PAGE);
  assert.match((await dev.get(PAGE)).text, named);
  await dev.submit(`${PAGE}/views${query}`, { action: "remove", id }, PAGE + query);
  assert.doesNotMatch((await dev.get(PAGE)).text, named);
});

test("filters by a deleted environment or integration still show what they filter by (ux §7, alerts list: X)", async () => {
  const at = "/api/v4/projects/acme%2Frocket";
  const max = await signedIn(world, "max");
  const made = await world.call(`${at}/environments`, { as: "max", json: { name: "harbour" } });
  const { id } = await aSource(world, "http");
  await opened("Buoy");
  const chosen = async (visitor: Visitor, page: string) =>
    [...(await visitor.get(page)).text.matchAll(/<option value="[^"]+" selected>([^<]*)</g)].map(
      ([, label]) => label,
    );
  const gone = `${PAGE}?environment=harbour&integration=${id}`;
  assert.equal((await chosen(dev, gone))[0], "harbour");
  await world.call(`${at}/environments/${made.json.id}`, { as: "max", method: "DELETE" });
  await world.call(`${at}/alert_integrations/${id}`, { as: "max", method: "DELETE" });
  assert.deepEqual(await chosen(dev, gone), ["harbour", "Removed since"]);
  const receipts = `/acme/rocket/-/settings/operations/receipts?integration=${id}`;
  assert.deepEqual(await chosen(max, receipts), ["Removed since"]);
  assert.deepEqual(await chosen(dev, PAGE), [], "nothing is selected without a filter");
});

test("a saved view needs a name, replaces one of the same name, and a user has at most twenty (decision 0100)", async () => {
  const save = async (name: string, query = "?tab=all") => {
    const done = await dev.submit(`${PAGE}/views${query}`, { action: "save", name }, PAGE);
    return (await dev.follow(done)).text;
  };
  assert.match(await save("  "), /The name of a view can&#39;t be blank/);
  assert.match(await save("x".repeat(61)), /is too long/);
  for (let i = 1; i <= 20; i++) assert.match(await save(`View ${i}`), /is yours alone/);
  assert.match(await save("View 21"), /there are 20 views already/);
  const long = `?search=${encodeURIComponent("漢".repeat(400))}`;
  assert.match(await save("Long", long), /the filters are too long/);
  assert.match(await save("view 7", "?tab=resolved"), /is yours alone/);
  assert.equal((await dev.get(PAGE)).text.match(/class="chip"/g)?.length, 20);
});

test("a refused name of a view is kept in its form, which sends the same view again (ux §5 3.3.1, §7, input kept)", async () => {
  await dev.get(PAGE);
  const typed = `${"Berths & cranes ".repeat(4)}"`;
  const refused = await dev.post(`${PAGE}/views?tab=all&severity=high`, { action: "save", name: typed });
  assert.equal(refused.status, 422);
  assert.match(refused.text, /<title>Error: Save this view/);
  assert.match(refused.text, /autofocus>.*<a href="#name">Name of the view<\/a>/);
  assert.match(refused.text, /id="name-err">.*The name of a view is too long/);
  assert.match(refused.text, /value="(Berths &amp; cranes ){4}&quot;"/);
  assert.match(refused.text, /href="\/acme\/rocket\/-\/alerts\?tab=all&amp;severity=high">Cancel</);
  const [, action = ""] = /<form class="form" method="post" action="([^"]*)"/.exec(refused.text) ?? [];
  assert.equal(action.replaceAll("&amp;", "&"), `${PAGE}/views?tab=all&severity=high`);
});

test("HEAD on an exported file returns the same type, disposition and length headers as GET (RFC 9110 §8.6, §9.3.2; decision 0107)", async () => {
  const headers = { cookie: `session=${dev.cookie("session")}` };
  for (const path of [`${PAGE}/export.csv`, `${PAGE}/export.json`]) {
    const [head, get] = await Promise.all(
      ["HEAD", "GET"].map((method) => fetch(world.url + path, { method, headers })),
    );
    await get?.text();
    assert.deepEqual([head?.status, get?.status], [200, 200]);
    for (const name of ["content-type", "content-disposition", "content-length"]) {
      assert.equal(head?.headers.get(name), get?.headers.get(name), `${path}: ${name}`);
    }
  }
});

test("an export contains all alerts of the filter, with formulas escaped in CSV (OWASP, CSV injection; reference reliability S111)", async () => {
  for (let i = 0; i < 105; i++) await opened(`Many ${i}`, { severity: "info" });
  const evil = await opened('=HYPERLINK("http://evil.example","x")', {
    severity: "info",
    service: "@cmd",
    hosts: ["-1"],
  });
  const csv = await dev.get(`${PAGE}/export.csv?severity=info`);
  assert.equal(csv.headers.get("content-disposition"), 'attachment; filename="alerts-of-acme-rocket.csv"');
  const lines = csv.text.trimEnd().split("\r\n");
  assert.match(lines[0] ?? "", /^iid,title,severity,status,/);
  assert.equal(lines.length, 107);
  const line = lines.find((one) => one.startsWith(`${evil},`)) ?? "";
  assert.ok(
    line.startsWith(`${evil},"'=HYPERLINK(""http://evil.example"",""x"")",info,triggered,'@cmd,,'-1,`),
    line,
  );
  const json = await dev.get(`${PAGE}/export.json?severity=info`);
  assert.equal(JSON.parse(json.text).length, 106);
  const asked = await world.call(`${API}/export?severity=info&format=json`, { as: "dev" });
  assert.equal(asked.status, 200);
  assert.equal(asked.json.length, 106);
  assert.equal(asked.json[0].iid, evil);
  assert.equal((await world.call(`${API}/export?format=xml`, { as: "dev" })).status, 400);
  assert.equal((await world.call(`${API}/export`, { as: "rep" })).status, 403);
  assert.equal((await world.call(`${API}/export`, { as: "stan" })).status, 404);
  const none = await world.call(`${API}/export?search=no+such+thing`, { as: "dev" });
  assert.deepEqual(none.json, []);
});

/** Reads a stream until its text matches, and returns the text so far. */
async function read(reader: ReadableStreamDefaultReader<Uint8Array>, until: RegExp): Promise<string> {
  let text = "";
  while (!until.test(text)) {
    const { done, value } = await reader.read();
    if (done) return `${text}(end)`;
    text += new TextDecoder().decode(value);
  }
  return text;
}

async function following(person: "dev" | "rep" | "max", query = "") {
  const visitor = await signedIn(world, person);
  const { text } = await visitor.get(`${PAGE}${query}`);
  const address =
    /data-arrivals="([^"]+)"/.exec(text)?.[1]?.replaceAll("&amp;", "&") ?? `${PAGE}/stream?since=0`;
  const cookie = `session=${visitor.cookie("session") ?? ""}`;
  const stop = new AbortController();
  const answer = await fetch(world.url + address, {
    headers: { cookie },
    signal: stop.signal,
    redirect: "manual",
  });
  return { answer, stop, reader: (answer.body as ReadableStream<Uint8Array>).getReader() };
}

test("an open list is told how many alerts of its filter arrived since it was loaded (decision 0100)", async () => {
  const { answer, reader, stop } = await following("dev", "?severity=high");
  assert.equal(answer.headers.get("content-type"), "text/event-stream");
  await opened("Low arrival", { severity: "low" });
  await opened("High arrival", { severity: "high" });
  assert.match(await read(reader, /data: 1\n\n/), /data: 1\n\n/);
  await opened("Another one", { severity: "high" });
  assert.match(await read(reader, /data: 2\n\n/), /data: 2\n\n/);
  stop.abort();
});

test("a new stream is told at once of alerts that arrived before it began, while another one is open (decision 0100)", async () => {
  const first = await following("dev");
  await opened("Came first", { severity: "critical" });
  await read(first.reader, /data: 1\n/);
  const { text } = await (await signedIn(world, "max")).get(PAGE);
  const last = Number(/stream\?since=(\d+)/.exec(text)?.[1]);
  const cookie = `session=${dev.cookie("session") ?? ""}`;
  const stop = new AbortController();
  const answer = await fetch(`${world.url}${PAGE}/stream?since=${last - 1}`, {
    headers: { cookie },
    signal: stop.signal,
  });
  const told = await read((answer.body as ReadableStream<Uint8Array>).getReader(), /data: 1\n/);
  assert.doesNotMatch(told, /still here/);
  stop.abort();
  first.stop.abort();
});

test("a stream ends when its user loses access, and is refused to users without access (decision 0100)", async () => {
  const refused = await following("rep");
  assert.equal(refused.answer.status, 403);
  const { answer, reader } = await following("max");
  assert.equal(answer.status, 200);
  const path = `/api/v4/projects/acme%2Frocket/members/${world.ids.max}`;
  const less = { as: "olga", method: "PUT", json: { access_level: 20 } } as const;
  assert.equal((await world.call(path, less)).status, 200);
  await opened("Not for Max");
  const rest = await read(reader, /data:/);
  assert.match(rest, /\(end\)$/);
  assert.doesNotMatch(rest, /data:/);
});

test("silenced alerts can be filtered for or left out in the list, counts, export and saved views (decision 0096)", async () => {
  const ends_at = new Date(Date.now() + 3_600_000).toISOString();
  const matchers = [{ field: "service", operator: "equals", value: "hushed" }];
  const silences = API.replace("alert_management_alerts", "alert_silences");
  await world.call(silences, { as: "dev", json: { comment: "Works", ends_at, matchers } });
  const quiet = [
    await opened("Hushed", { service: "hushed", severity: "low" }),
    await opened("Gone", { service: "hushed" }),
  ];
  const loud = await opened("Loud");
  await world.call(`${API}/${quiet[1]}`, { as: "dev", method: "PUT", json: { status: "resolved" } });
  const ask = async (query: string) => {
    const list = await world.call(`${API}?per_page=100&${query}`, { as: "dev" });
    const counts = await world.call(`${API}/counts?${query}`, { as: "dev" });
    const total = Number(list.headers.get("x-total"));
    assert.equal(list.json.length, Math.min(total, 100));
    const file = await world.call(`${API}/export?${query}`, { as: "dev" });
    assert.equal(file.json.length, total);
    return { iids: list.json.map((one: { iid: number }) => one.iid), total, counts: counts.json };
  };
  const yes = await ask("silenced=true");
  assert.deepEqual(yes.iids.sort(), quiet);
  assert.deepEqual([yes.counts.open, yes.counts.resolved, yes.counts.all], [1, 1, 2]);
  const [all, no] = [await ask(""), await ask("silenced=false")];
  assert.ok(no.iids.includes(loud) && !no.iids.some((iid: number) => quiet.includes(iid)));
  assert.deepEqual(
    [no.total, no.counts.all, no.counts.resolved],
    [all.total - 2, all.counts.all - 2, all.counts.resolved - 1],
  );
  assert.equal((await ask("silenced=true&severity=low&status=triggered")).total, 1);
  const low = await ask("severity=low");
  assert.equal((await ask("silenced=false&severity=low")).total, low.total - 1);
  assert.equal((await world.call(`${API}?silenced=perhaps`, { as: "dev" })).status, 400);
  const rows = async (query: string) => (await dev.get(PAGE + query)).text;
  const page = await rows("?silenced=yes");
  assert.match(page, /<option value="yes" selected>Silenced<\/option>/);
  assert.match(page, />Hushed<\/a>/);
  assert.doesNotMatch(page, />Loud<\/a>/);
  assert.match(page, /href="[^"]*tab=resolved&amp;silenced=yes"/);
  assert.match(page, /export\.csv\?silenced=yes"/);
  const others = await rows("?silenced=no");
  assert.match(others, />Loud<\/a>/);
  assert.doesNotMatch(others, />Hushed<\/a>/);
  const olga = await signedIn(world, "olga");
  const saved = await olga.submit(`${PAGE}/views?silenced=yes`, { action: "save", name: "Quiet ones" }, PAGE);
  assert.equal(saved.location, `${PAGE}?silenced=yes`);
  assert.match((await olga.get(PAGE)).text, /href="\/acme\/rocket\/-\/alerts\?silenced=yes">Quiet ones/);
});

test("a stream ends without sending the count if the user loses access while it is computed (decision 0100)", async () => {
  await opened("Counted late");
  const cookie = `session=${dev.cookie("session") ?? ""}`;
  const told = await whileDevLeaves(world, "alerts", async () => {
    const answer = await fetch(`${world.url}${PAGE}/stream?since=0`, { headers: { cookie } });
    return read((answer.body as ReadableStream<Uint8Array>).getReader(), /data:/);
  });
  assert.match(told, /\(end\)$/);
  assert.doesNotMatch(told, /data:/);
});
