/** Invitations: sent by mail or handed over as a link, accepted with a new or an existing account. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { sql } from "../../src/platform/sql.ts";
import { linkIn, type PostOffice, worldWithMail } from "../support/post-office.ts";
import { signedIn, Visitor } from "../support/visitor.ts";
import { PASSWORD, startWorld, type World } from "../support/world.ts";

let office: PostOffice;
let world: World;

before(async () => {
  office = await worldWithMail();
  world = office.world;
});

const toRocket = (email: string, level = 30, as: "max" | "dev" | "olga" = "max") =>
  world.call("/api/v4/projects/acme%2Frocket/invitations", { as, json: { email, access_level: level } });
const NEWCOMER = { name: "Nia Newcomer", password: PASSWORD };

/** Who did what to whom according to the audit log, newest first. */
async function logged(action: string): Promise<string[]> {
  const { text } = await (await signedIn(world, "ada")).get(`/admin/audit?action=${action}`);
  return [
    ...text.matchAll(/<span class="called">([^<]*)<\/span>[\s\S]*?<span class="called">([^<]*)<\/span>/g),
  ].map(([, by, about]) => `${by}: ${about}`);
}

test("a Maintainer invites by mail address, and whoever accepts gets an account and the role (decision 0111)", async () => {
  const asked = await toRocket("nia@new.example.org");
  assert.deepEqual([asked.status, asked.json], [201, { status: "success" }]);
  const mail = await office.mailTo("nia@new.example.org");
  assert.match(mail.raw, /^Subject: Max Maintainer invites you to acme\/rocket$/m);
  const link = linkIn(mail, world);
  const visitor = new Visitor(world.url);
  const form = await visitor.get(link);
  assert.match(form.text, /Max Maintainer invites you to acme\/rocket as Developer\./);
  assert.equal(form.headers.get("referrer-policy"), "no-referrer");
  const taken = await visitor.post(link, { ...NEWCOMER, username: "dev", email: "other@example.org" });
  assert.equal(taken.status, 422);
  assert.match(taken.text, /Username has already been taken/);
  assert.match(taken.text, /value="Nia Newcomer"/);
  const made = await visitor.post(link, { ...NEWCOMER, username: "nia", email: "other@example.org" });
  assert.deepEqual([made.status, made.location], [303, "/acme/rocket"]);
  assert.match((await visitor.follow(made)).text, /You are a member of acme\/rocket now/);
  const members = await world.call("/api/v4/projects/acme%2Frocket/members?query=nia", { as: "max" });
  assert.equal(members.json[0]?.access_level, 30);
  const user = await world.call("/api/v4/users?username=nia", { as: "ada" });
  assert.equal(
    user.json[0]?.email,
    "nia@new.example.org",
    "the address is the invited one, whatever the form sends",
  );
  assert.ok(user.json[0].confirmed_at, "the address is confirmed (decision 0149)");
  assert.deepEqual(await logged("user_created"), ["nia: nia"]);
  assert.deepEqual(await logged("invitation_accepted"), ["nia: nia"]);
  const admin = await signedIn(world, "ada");
  assert.match(
    (await admin.get("/admin/audit?action=user_created")).text,
    /invited by max, not an administrator</,
  );
  assert.doesNotMatch(
    (await (await signedIn(world, "max")).get("/profile/security_log")).text,
    /Created a user/,
    "the newcomer's address is not in the log of who invited them",
  );
  const again = await new Visitor(world.url).get(link);
  assert.equal(again.status, 404, "the link works once");
  assert.match(
    again.text,
    /<h1[^>]*>This link no longer works<\/h1>[\s\S]*ask whoever invited you to send it again/,
  );
  const events = await world.call("/api/v4/projects/acme%2Frocket/events?action=joined", { as: "max" });
  assert.ok(events.json.some((event: { author_username: string }) => event.author_username === "nia"));
});

test("a person who has an account can accept with it, also when signing in from the invitation (decision 0111)", async () => {
  const json = { email: "stan@elsewhere.example.org", access_level: 20, expires_at: "2999-12-31" };
  await world.call("/api/v4/projects/acme%2Frocket/invitations", { as: "max", json });
  const link = linkIn(await office.mailTo("stan@elsewhere.example.org"), world);
  const stan = new Visitor(world.url);
  await stan.get(link);
  assert.equal((await stan.post(`${link}/sign_in`, {})).location, "/users/sign_in");
  const back = await stan.submit("/users/sign_in", { username: "stan", password: PASSWORD });
  assert.equal(back.location, link);
  const question = (await stan.follow(back)).text;
  assert.match(question, /invites you to acme\/rocket as Reporter, until 31 Dec 2999, 00:00 UTC\./);
  assert.match(question, /Sent to stan@elsewhere\.example\.org[\s\S]*<a href="\/">Not now<\/a>/);
  assert.match(question, /Accept as @stan/);
  assert.equal((await stan.post(link, {})).location, "/acme/rocket");
  const members = await world.call("/api/v4/projects/acme%2Frocket/members?query=stan", { as: "max" });
  assert.equal(members.json[0]?.access_level, 20);
  assert.deepEqual(await logged("invitation_accepted"), ["stan: stan", "nia: nia"]);
  assert.deepEqual(await logged("user_created"), ["nia: nia"], "no account was created");
});

test("nobody can invite to a role above their own, and Developers cannot invite (decision 0040)", async () => {
  assert.equal((await toRocket("boss@example.net", 50)).status, 403);
  assert.equal((await toRocket("pal@example.net", 10, "dev")).status, 403);
  const stranger = await world.call("/api/v4/groups/acme/invitations", {
    as: "max",
    json: { email: "pal@example.net", access_level: 10 },
  });
  assert.equal(stranger.status, 403, "only owners invite to a group");
  await office.settle();
  assert.deepEqual(office.mails, []);
  const places = "/api/v4/projects/acme%2Frocket/invitations";
  const json = { email: "owner@example.net", access_level: 50 };
  assert.equal((await world.call(places, { as: "olga", json })).json.status, "success");
  await toRocket("worker@example.net");
  for (const [email, access_level] of [
    ["owner@example.net", 10],
    ["worker@example.net", 50],
  ] as const) {
    const change = { as: "max", method: "PUT", json: { access_level } } as const;
    assert.equal((await world.call(`${places}/${email}`, change)).status, 403, email);
  }
  const again = await world.call(`${places}/owner@example.net/resend`, { as: "max", method: "POST" });
  assert.equal(again.status, 403, "a Maintainer cannot resend an invitation to the role Owner");
  for (const email of ["owner@example.net", "worker@example.net"]) {
    const gone = await world.call(`${places}/${email}`, { as: "olga", method: "DELETE" });
    assert.equal(gone.status, 204, gone.text);
  }
  await office.settle();
  office.mails.length = 0;
});

test("of several addresses each is accepted or refused on its own, as in GitLab (decision 0111)", async () => {
  await toRocket("again@example.net");
  const { status, json } = await toRocket("again@example.net, fine@example.net,nonsense");
  assert.equal(status, 201);
  assert.deepEqual(json, {
    status: "error",
    message: { "again@example.net": "Email is invited already", nonsense: "Email is invalid" },
  });
  await office.mailTo("fine@example.net");
  const odd = await toRocket("__proto__, constructor");
  assert.equal(odd.status, 201, odd.text);
  assert.match(odd.text, /"message":\{"__proto__":"Email is invalid","constructor":"Email is invalid"\}/);
  const list = await world.call("/api/v4/projects/acme%2Frocket/invitations", { as: "max" });
  assert.equal(list.headers.get("x-total"), "2");
  const page = await (await signedIn(world, "max")).get("/acme/rocket/-/invitations");
  assert.match(
    page.text,
    />\d+ \w+ \d{4}, \d\d:\d\d UTC<\/time>/,
    "the page shows when a link expires, to the minute (ux §5, dates)",
  );
  assert.deepEqual(Object.keys(list.json[0]), [
    "id",
    "invite_email",
    "created_at",
    "access_level",
    "expires_at",
    "user_name",
    "created_by_name",
  ]);
  const past = await world.call("/api/v4/projects/acme%2Frocket/invitations", {
    as: "max",
    json: { email: "late@example.net", access_level: 30, expires_at: "2020-01-01" },
  });
  assert.equal(past.status, 400);
});

test("whoever accepts after the membership would have ended is told so, and is no member (decision 0111)", async () => {
  office.mails.length = 0;
  for (const person of [undefined, "gus"] as const) {
    const email = `tardy-${person ?? "newcomer"}@example.net`;
    const json = { email, access_level: 30 };
    await world.call("/api/v4/groups/acme/invitations", { as: "olga", json });
    const link = linkIn(await office.mailTo(email), world);
    await world.platform.db.run(
      sql`update invitations set member_until = now() - interval '1 second' where email = ${email}`,
    );
    const visitor = person ? await signedIn(world, person) : new Visitor(world.url);
    const accepted = await visitor.submit(link, { ...NEWCOMER, username: "tardy" });
    assert.deepEqual([accepted.status, accepted.location], [303, "/"], accepted.text);
    const { text } = await visitor.follow(accepted);
    assert.match(text, /You are not a member of acme: what you were invited to had ended/);
    assert.doesNotMatch(text, /You are a member/);
    const members = await world.call("/api/v4/groups/acme/members", { as: "olga" });
    const names = members.json.map(({ username }: { username: string }) => username);
    assert.equal(names.includes(person ?? "tardy"), false);
  }
});

test("whoever has the role of the group around a place keeps it, and is led there, after accepting an ended invitation to the place (decision 0111)", async () => {
  const made = await world.call("/api/v4/groups/acme", { as: "olga" });
  const group = { name: "Sub", path: "sub", parent_id: made.json.id };
  const below = await world.call("/api/v4/groups", { as: "olga", json: group });
  for (const [place, path] of [
    [`groups/${below.json.id}`, "acme/sub"],
    ["projects/acme%2Frocket", "acme/rocket"],
  ] as const) {
    office.mails.length = 0;
    const json = { email: "olga@elsewhere.example", access_level: 30 };
    const asked = await world.call(`/api/v4/${place}/invitations`, { as: "ada", json });
    assert.equal(asked.status, 201, asked.text);
    const link = linkIn(await office.mailTo("olga@elsewhere.example"), world);
    await world.platform.db.run(
      sql`update invitations set member_until = now() - interval '1 second' where email = ${json.email}`,
    );
    await world.call(`/api/v4/${place}/members/${world.ids.olga}`, { as: "ada", method: "DELETE" });
    const olga = await signedIn(world, "olga");
    const accepted = await olga.submit(link, {});
    assert.deepEqual([accepted.status, accepted.location], [303, `/${path}`], accepted.text);
    const { text } = await olga.follow(accepted);
    assert.match(text, new RegExp(`Your role in ${path} is as before: what you were invited to had ended`));
    assert.doesNotMatch(text, /You are not a member/);
  }
});

test("an invitation can be changed, resent with a new link, and withdrawn (decision 0111)", async () => {
  office.mails.length = 0;
  await toRocket("wait@example.net");
  const first = linkIn(await office.mailTo("wait@example.net"), world);
  const at = "/api/v4/projects/acme%2Frocket/invitations/wait@example.net";
  assert.equal((await world.call(`${at}/resend`, { as: "max", json: {} })).status, 429, "sent a moment ago");
  await world.platform.db.run(sql`update invitations set sent_at = now() - interval '2 minutes'`);
  assert.equal((await world.call(`${at}/resend`, { as: "max", json: {} })).status, 201);
  const second = linkIn(await office.mailTo("wait@example.net"), world);
  assert.equal((await new Visitor(world.url).get(first)).status, 404);
  assert.equal((await new Visitor(world.url).get(second)).status, 200);
  const changed = await world.call(at, { as: "max", method: "PUT", json: { access_level: 20 } });
  assert.deepEqual([changed.status, changed.json.access_level], [200, 20]);
  assert.equal((await world.call(at, { as: "dev", method: "DELETE" })).status, 403);
  assert.equal((await world.call(at, { as: "max", method: "DELETE" })).status, 204);
  assert.equal((await new Visitor(world.url).get(second)).status, 404);
  assert.equal((await world.call(at, { as: "max", method: "DELETE" })).status, 404);
});

test("the link does not work after it expired, or while the inviter is blocked (decision 0111)", async () => {
  await world.call("/api/v4/groups/acme/invitations", {
    as: "olga",
    json: { email: "slow@example.net", access_level: 30 },
  });
  const link = linkIn(await office.mailTo("slow@example.net"), world);
  const status = async () => (await new Visitor(world.url).get(link)).status;
  assert.equal(await status(), 200);
  await world.call(`/api/v4/users/${world.ids.olga}/block`, { as: "ada", json: {} });
  assert.equal(await status(), 404);
  await world.call(`/api/v4/users/${world.ids.olga}/unblock`, { as: "ada", json: {} });
  assert.equal(await status(), 200);
  await world.platform.db.run(
    sql`update invitations set expires_at = now() - interval '1 second' where email = 'slow@example.net'`,
  );
  assert.equal(await status(), 404);
});

test("the link stops working once the inviter may not invite there any more, until somebody who may resends it (decision 0148)", async () => {
  const at = "/api/v4/projects/acme%2Frocket/invitations/friend@example.net";
  const role = (level: number) =>
    world.call(`/api/v4/projects/acme%2Frocket/members/${world.ids.max}`, {
      as: "olga",
      method: "PUT",
      json: { access_level: level },
    });
  await toRocket("friend@example.net", 40);
  const link = linkIn(await office.mailTo("friend@example.net"), world);
  const status = async (path: string) => (await new Visitor(world.url).get(path)).status;
  assert.equal(await status(link), 200);
  await role(30);
  assert.equal(await status(link), 404);
  assert.equal(
    (await new Visitor(world.url).submit(link, { ...NEWCOMER, username: "friend" }, "/users/sign_in")).status,
    404,
  );
  await world.platform.db.run(sql`update invitations set sent_at = now() - interval '2 minutes'`);
  assert.equal((await world.call(`${at}/resend`, { as: "olga", json: {} })).status, 201);
  const second = linkIn(await office.mailTo("friend@example.net"), world);
  assert.equal(await status(second), 200);
  await role(40);
  // An owner who raises the role above that of the inviter keeps the invitation valid.
  const raised = await world.call(at, { as: "olga", method: "PUT", json: { access_level: 50 } });
  assert.equal(raised.status, 200);
  assert.equal(await status(second), 200);
});

test("an invitation stops working when its role is above the current role of the inviter (decision 0148)", async () => {
  const role = (access_level: number) =>
    world.call(`/api/v4/projects/acme%2Frocket/members/${world.ids.dev}`, {
      as: "olga",
      method: "PUT",
      json: { access_level },
    });
  await role(50);
  await toRocket("heir@example.net", 50, "dev");
  await toRocket("peer@example.net", 40, "dev");
  const [heir, peer] = [
    linkIn(await office.mailTo("heir@example.net"), world),
    linkIn(await office.mailTo("peer@example.net"), world),
  ];
  const statuses = async () => [
    (await new Visitor(world.url).get(heir)).status,
    (await new Visitor(world.url).get(peer)).status,
  ];
  assert.deepEqual(await statuses(), [200, 200]);
  await role(40);
  assert.deepEqual(await statuses(), [404, 200]);
  await role(30);
});

test("an invitation by an administrator or by the owner of a group stops working when they lose that role (decision 0148)", async () => {
  const status = async (path: string) => (await new Visitor(world.url).get(path)).status;
  await world.call("/api/v4/groups/acme/members", {
    as: "olga",
    json: { user_id: world.ids.dev, access_level: 50 },
  });
  await world.call("/api/v4/groups/acme/invitations", {
    as: "dev",
    json: { email: "g@example.net", access_level: 30 },
  });
  const link = linkIn(await office.mailTo("g@example.net"), world);
  assert.equal(await status(link), 200);
  await world.call(`/api/v4/groups/acme/members/${world.ids.dev}`, { as: "olga", method: "DELETE" });
  assert.equal(await status(link), 404);
  await world.platform.db.run(sql`update users set is_admin = true where id = ${world.ids.rep}`);
  await world.call("/api/v4/invitations", { as: "rep", json: { email: "i@example.net" } });
  const to = linkIn(await office.mailTo("i@example.net"), world);
  assert.equal(await status(to), 200);
  await world.platform.db.run(sql`update users set is_admin = false where id = ${world.ids.rep}`);
  assert.equal(await status(to), 404);
});

test("changing the role of an invitation keeps the expiry date of the membership (GitLab v4 API, invitations)", async () => {
  const at = "/api/v4/projects/acme%2Frocket/invitations";
  const json = { email: "ends@example.net", access_level: 30, expires_at: "2099-01-01" };
  await world.call(at, { as: "max", json });
  const changed = await world.call(`${at}/ends@example.net`, {
    as: "max",
    method: "PUT",
    json: { access_level: 20 },
  });
  assert.deepEqual([changed.json.access_level, changed.json.expires_at?.slice(0, 10)], [20, "2099-01-01"]);
});

test("the end of an invitation can be changed alone, and the role stays (GitLab v4 API, PUT /projects/:id/invitations/:email)", async () => {
  const at = "/api/v4/projects/acme%2Frocket/invitations";
  await world.call(at, { as: "max", json: { email: "ends@example.net", access_level: 20 } });
  const json = { expires_at: "2090-01-01" };
  const changed = await world.call(`${at}/ends@example.net`, { as: "max", method: "PUT", json });
  assert.equal(changed.status, 200, changed.text);
  assert.deepEqual([changed.json.access_level, changed.json.expires_at], [20, "2090-01-01T00:00:00.000Z"]);
});

test("a user named by id instead of a mail address is added as a member (GitLab v4 API, POST /projects/:id/invitations)", async () => {
  const at = "/api/v4/projects/acme%2Frocket/invitations";
  const ask = (json: object, as: "max" | "dev" = "max") =>
    world.call(at, { as, json: { access_level: 20, ...json } });
  const { ids } = world;
  const added = await ask({ user_id: `${ids.ada},${ids.gus}`, email: "beside@example.net" });
  const message = { gus: "Member already exists" };
  assert.deepEqual([added.status, added.json], [201, { status: "error", message }]);
  const member = await world.call(`/api/v4/projects/acme%2Frocket/members/${ids.ada}`, { as: "max" });
  assert.deepEqual([member.status, member.json.access_level], [200, 20]);
  const pending = await world.call(`${at}?query=beside@example.net`, { as: "max" });
  assert.equal(pending.json.length, 1);
  assert.equal((await ask({ user_id: ids.olga }, "dev")).status, 403);
  assert.equal((await ask({ user_id: 999_999 })).status, 404);
  assert.equal((await ask({ user_id: ids.stan, access_level: 50 })).status, 403, "above one's own role");
  assert.deepEqual((await ask({})).json, {
    error: "email, user_id are missing, at least one parameter must be provided",
  });
  await world.call(`/api/v4/projects/acme%2Frocket/members/${ids.ada}`, { as: "max", method: "DELETE" });
});

test("of several people who accept the same invitation at once, only one gets an account (decision 0111)", async () => {
  await world.call("/api/v4/groups/acme/invitations", {
    as: "olga",
    json: { email: "race@example.net", access_level: 30 },
  });
  const link = linkIn(await office.mailTo("race@example.net"), world);
  const visitors = await Promise.all(
    [1, 2, 3].map(async () => {
      const visitor = new Visitor(world.url);
      await visitor.get(link);
      return visitor;
    }),
  );
  const done = await Promise.all(
    visitors.map((visitor, index) => visitor.post(link, { ...NEWCOMER, username: `racer${index}` })),
  );
  assert.deepEqual(done.map(({ status }) => status).sort(), [303, 404, 404]);
  const racers = await world.call("/api/v4/users?search=racer", { as: "ada" });
  assert.equal(racers.json.length, 1);
  const members = await world.call("/api/v4/groups/acme/members?query=racer", { as: "olga" });
  assert.equal(members.json.length, 1);
});

test("if no mail can be sent, the page shows the link once and the API returns it (decision 0111)", async () => {
  const quiet = await startWorld();
  const max = await signedIn(quiet, "max");
  const home = "/acme/rocket/-/invitations";
  const asked = await max.submit(home, { email: "hand@example.net", access_level: "30", expires_at: "" });
  assert.equal(asked.location, `${home}#link`);
  const page = await max.get(home);
  const link = /data-value="[^"]*(\/users\/invitations\/giv_\w+)"/.exec(page.text)?.[1] ?? "";
  assert.equal((await new Visitor(quiet.url).get(link)).status, 200);
  assert.ok(!(await max.get(home)).text.includes(link), "shown once");
  const found = await quiet.platform.db.run(
    sql`select 1 from invitations i where i::text like ${`%${link.split("/").at(-1)}%`}`,
  );
  assert.equal(found, 0, "only its digest is stored");
  const again = await max.post(home, { email: "hand@example.net", access_level: "30", expires_at: "" });
  assert.match(again.text, /Email is invited already/);
  const dev = await signedIn(quiet, "dev");
  assert.equal((await dev.get(home)).status, 403);
  const json = { email: "two@example.net", access_level: 30 };
  const api = await quiet.call("/api/v4/projects/acme%2Frocket/invitations", { as: "max", json });
  assert.match(api.json.links["two@example.net"], /\/users\/invitations\/giv_/);
});

test("accepting a link that was handed over confirms the mail address only if an administrator created the invitation (decision 0149)", async () => {
  const quiet = await startWorld();
  const json = { email: "handed@example.net", access_level: 30 };
  const place = await quiet.call("/api/v4/projects/acme%2Frocket/invitations", { as: "max", json });
  const plain = await quiet.call("/api/v4/invitations", { as: "ada", json: { email: "word@example.net" } });
  const accept = async (link: string, username: string) => {
    const made = await new Visitor(quiet.url).submit(new URL(link).pathname, { ...NEWCOMER, username });
    assert.equal(made.status, 303, made.text);
    const [user] = (await quiet.call(`/api/v4/users?username=${username}`, { as: "ada" })).json;
    return user.confirmed_at !== null;
  };
  assert.equal(await accept(place.json.links["handed@example.net"], "handed"), false);
  assert.equal(await accept(plain.json.link, "worded"), true);
});

test("administrators invite to the installation, on the page and with the API (decision 0111)", async () => {
  office.mails.length = 0;
  const made = await world.call("/api/v4/invitations", { as: "ada", json: { email: "plain@example.net" } });
  assert.deepEqual(
    [made.status, made.json.invite_email, made.json.link],
    [201, "plain@example.net", undefined],
  );
  assert.equal((await world.call("/api/v4/invitations", { as: "max" })).status, 403);
  await world.platform.db.run(sql`insert into invitations (digest, email, expires_at)
    values ('signed up', 'by-herself@example.net', now() + interval '1 hour')`);
  const listed = await world.call("/api/v4/invitations?per_page=100", { as: "ada" });
  assert.match(listed.text, /plain@example\.net/);
  assert.doesNotMatch(listed.text, /by-herself/, "somebody who signed up was not invited");
  const link = linkIn(await office.mailTo("plain@example.net"), world);
  const max = await signedIn(world, "max");
  assert.match((await max.get(link)).text, /need no other account/);
  await max.get("/profile/password");
  assert.equal((await max.post(link, {})).status, 400);
  const ada = await signedIn(world, "ada");
  assert.match((await ada.get("/admin/invitations")).text, /plain@example\.net/);
  const withdrawn = await ada.post(`/admin/invitations/${made.json.id}/withdraw`, {});
  assert.equal(withdrawn.status, 303);
  assert.equal((await new Visitor(world.url).get(link)).status, 404);
  assert.equal((await max.get("/admin/invitations")).status, 404);
  await ada.submit("/admin/invitations", { email: "paged@example.net" });
  const visitor = new Visitor(world.url);
  const second = linkIn(await office.mailTo("paged@example.net"), world);
  const joined = await visitor.submit(second, { ...NEWCOMER, username: "paged" });
  assert.equal(joined.location, "/");
});

test("while registration is off, only administrators can invite (decision 0111)", async () => {
  const closed = await startWorld({ GATEHOUSE_REGISTRATION: "off" });
  const json = { email: "who@example.net", access_level: 30 };
  const asked = await closed.call("/api/v4/projects/acme%2Frocket/invitations", { as: "max", json });
  assert.equal(asked.status, 403);
  const byAdmin = await closed.call("/api/v4/projects/acme%2Frocket/invitations", { as: "ada", json });
  assert.equal(byAdmin.status, 201);
  const visitor = new Visitor(closed.url);
  assert.match((await visitor.get("/users/sign_up")).text, /Ask an administrator of this Gatehouse/);
  assert.equal((await visitor.post("/users/sign_up", { email: "who@example.net" })).status, 403);
});
