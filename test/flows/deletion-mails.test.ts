/** Who gets a mail when a project or group is marked for deletion, and what it says. */
import assert from "node:assert/strict";
import { before, describe, it, test } from "node:test";
import { withoutFlooded } from "../../src/outbox/without-flooded.ts";
import { integer, row } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { listOwnerAddresses } from "../../src/projects/store-removal.ts";
import { runJob } from "../support/jobs.ts";
import { whileDoing } from "../support/meanwhile.ts";
import { rowsHandled, rowsRead } from "../support/plans.ts";
import { type PostOffice, worldWithMail } from "../support/post-office.ts";
import { signedIn } from "../support/visitor.ts";
import { PASSWORD, type Person, startWorld, type World } from "../support/world.ts";

let office: PostOffice;
let world: World;

before(async () => {
  office = await worldWithMail();
  world = office.world;
  for (const as of ["dev", "rep"] as const) await makeOwner(`projects/${world.rocket.id}`, as);
  const blocked = await ask(`users/${world.ids.rep}/block`, { as: "ada", method: "POST" });
  assert.equal(blocked.status, 201, blocked.text);
});

const ask = (path: string, options: { as?: Person; method?: string; json?: unknown } = {}) =>
  world.call(`/api/v4/${path}`, { as: "olga", ...options });

async function makeOwner(place: string, as: Person): Promise<void> {
  const json = { access_level: 50, user_id: world.ids[as] };
  const changed = await ask(`${place}/members/${world.ids[as]}`, { method: "PUT", json });
  const reply = changed.status === 404 ? await ask(`${place}/members`, { json }) : changed;
  assert.ok(reply.status < 300, reply.text);
}

/** Deletes over the API, and returns the mails that this causes, sorted by recipient. */
async function mailsAfter(path: string, as: Person = "olga", status = 202) {
  office.mails.length = 0;
  const reply = await ask(path, { as, method: "DELETE" });
  assert.equal(reply.status, status, reply.text);
  await office.settle();
  return office.mails.toSorted((a, b) => (`${a.to}` < `${b.to}` ? -1 : 1));
}

const receivers = (mails: readonly { to: readonly string[] }[]) => mails.flatMap(({ to }) => to);
const isoDay = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const ROCKET = "projects/acme%2Frocket";

describe("a project that is marked for deletion", () => {
  it("is announced by mail to its owners and those of its groups who are not blocked: by whom, until when, and a link to restore it (decision 0171)", async () => {
    const days = [isoDay(7)];
    const mails = await mailsAfter(ROCKET, "dev");
    days.push(isoDay(7));
    assert.deepEqual(receivers(mails), ["dev@example.org", "olga@example.org"]);
    for (const { text } of mails) {
      assert.match(text, /^Subject: acme\/rocket is marked for deletion$/m);
      assert.match(text, /^By: @dev$/m);
      const [, day] = /^Deleted permanently: (\d{4}-\d{2}-\d{2}) \d{2}:\d{2} UTC$/m.exec(text) ?? [];
      assert.ok(days.includes(day ?? ""), text);
    }
    const link = /^http\S+$/m.exec(mails[1]?.text ?? "")?.[0] ?? "";
    const olga = await signedIn(world, "olga");
    const page = await olga.get(link.slice(world.url.length));
    assert.match(page.text, /id="delete"[\s\S]*action="\/acme\/rocket\/-\/settings\/restore"/);
  });

  it("causes no mail when marking it is refused, or when it is restored (decision 0171)", async () => {
    assert.deepEqual(await mailsAfter(ROCKET, "olga", 400), []);
    assert.deepEqual(await mailsAfter(ROCKET, "max", 403), []);
    assert.equal((await ask(`${ROCKET}/restore`, { method: "POST" })).status, 201);
    await office.settle();
    assert.deepEqual(office.mails, []);
  });

  it("is announced at most once an hour, however often it is marked and restored (decision 0171)", async () => {
    const { json: barge } = await ask("projects", { json: { name: "Barge" } });
    const told = async () => {
      const mails = await mailsAfter(`projects/${barge.id}`);
      assert.equal((await ask(`projects/${barge.id}/restore`, { method: "POST" })).status, 201);
      return receivers(mails);
    };
    assert.deepEqual(await told(), ["olga@example.org"]);
    // The hour may end once between two of these calls.
    const later = [await told(), await told()];
    assert.ok(later.flat().length <= 1, JSON.stringify(later));
  });

  it("is announced again, once, when it is deleted before its time (decision 0171)", async () => {
    await ask("projects/acme%2Fopen", { method: "DELETE" });
    const now = "projects/acme%2Fopen?permanently_remove=true&full_path=acme/open";
    const mails = await mailsAfter(now);
    const [mail] = mails.filter(({ text }) => /^Subject: acme\/open is being deleted$/m.test(text));
    assert.match(mail?.text ?? "", /^Deleted permanently: within a few minutes$/m);
    assert.doesNotMatch(mail?.text ?? "", /restore it/);
    assert.deepEqual(await mailsAfter(now), []);
  });
});

describe("a group that is marked for deletion", () => {
  it("is announced once to each of its owners, whatever it contains, but not to owners of only its projects (decision 0171)", async () => {
    const { json: top } = await ask("groups", { json: { name: "Fleet", path: "fleet" } });
    const inner = { name: "Tugs", path: "tugs", parent_id: top.id };
    const { json: below } = await ask("groups", { json: inner });
    for (const name of ["one", "two", "three"]) {
      const { json } = await ask("projects", { json: { name, path: name, namespace_id: below.id } });
      await makeOwner(`projects/${json.id}`, "gus");
    }
    await makeOwner(`groups/${below.id}`, "max");
    const mails = await mailsAfter(`groups/${below.id}`);
    assert.deepEqual(receivers(mails), ["max@example.org", "olga@example.org"]);
    for (const { text } of mails) {
      assert.match(text, /^Subject: fleet\/tugs is marked for deletion$/m);
      assert.ok(text.includes(`${world.url}/groups/fleet%2Ftugs/-/settings#delete`), text);
    }
    // It is deleted with the group.
    assert.deepEqual(await mailsAfter(`projects/fleet%2Ftugs%2Fone`), []);
    const around = await mailsAfter(`groups/${top.id}`);
    assert.deepEqual(receivers(around), ["olga@example.org"]);
  });
});

describe("the setting for mails about deletions", () => {
  it("turns them off for this user only, is confirmed by one mail, and is recorded in the security log (decision 0185; decision 0110)", async () => {
    const olga = await signedIn(world, "olga");
    assert.match((await olga.get("/profile")).text, /name="deletion_mails"[^>]* checked/);
    office.mails.length = 0;
    const off = await olga.submit("/profile/mails", {}, "/profile");
    assert.equal(off.location, "/profile");
    await olga.submit("/profile/mails", {}, "/profile");
    assert.doesNotMatch((await olga.get("/profile")).text, /name="deletion_mails"[^>]* checked/);
    assert.match((await olga.get("/profile/security_log")).text, /Turned mails about deletions off/);
    await runJob(world, "notices");
    await office.settle();
    assert.deepEqual(receivers(office.mails), ["olga@example.org"]);
    assert.match(
      office.mails[0]?.text ?? "",
      /^Mails about projects and groups that are marked for deletion were turned off\.$/m,
    );

    await makeOwner(`projects/${world.free.id}`, "dev");
    const mails = await mailsAfter("projects/free%2Fplan");
    assert.deepEqual(receivers(mails), ["dev@example.org"]);
    assert.ok(mails[0]?.text.includes(`Turn such mails off at ${world.url}/profile#mails`), mails[0]?.text);
    await ask("projects/free%2Fplan/restore", { method: "POST" });

    await olga.submit("/profile/mails", { deletion_mails: "yes" }, "/profile");
    assert.match((await olga.get("/profile")).text, /name="deletion_mails"[^>]* checked/);
    const { json } = await ask("projects", { json: { name: "Brief" } });
    assert.deepEqual(receivers(await mailsAfter(`projects/${json.id}`)), ["olga@example.org"]);
  });

  it("is not shown where no mail is set up (decision 0185)", async () => {
    const page = await (await signedIn(await startWorld(), "olga")).get("/profile");
    assert.doesNotMatch(page.text, /deletion_mails/);
  });
});

describe("an address of the maximum length of 253 characters", () => {
  it("gets its mails, and does not prevent mails to others (decision 0171; decision 0110)", async () => {
    const email = `${"l".repeat(64)}@${`${"d".repeat(60)}.`.repeat(3)}example`.slice(0, 253);
    const person = { username: "lena", name: "Lena", email, password: PASSWORD };
    const { status, json: lena } = await ask("users", { as: "ada", json: person });
    assert.deepEqual([status, email.length], [201, 253]);
    const { json: raft } = await ask("projects", { json: { name: "Raft" } });
    const member = await ask(`projects/${raft.id}/members`, { json: { user_id: lena.id, access_level: 50 } });
    assert.equal(member.status, 201, member.text);
    const mails = await mailsAfter(`projects/${raft.id}`);
    assert.deepEqual(receivers(mails), [email, "olga@example.org"]);

    office.mails.length = 0;
    for (const id of [lena.id, world.ids.gus])
      await ask(`users/${id}`, { as: "ada", method: "PUT", json: { password: `${PASSWORD} anew` } });
    await runJob(world, "notices");
    await office.settle();
    assert.deepEqual(receivers(office.mails).sort(), ["gus@example.org", email]);
  });
});

describe("mails about deletions", () => {
  it("are queued in the outbox together with the mark, and not queued where no mail is set up (decision 0171; decision 0048)", async () => {
    const waiting = async ({ platform }: World) =>
      platform.db.one(
        row({ n: integer }),
        sql`select count(*) as n from outbox_deliveries where purpose = 'deletion_notice' and target = 'olga@example.org'
          and content ->> 'subject' = 'free/plan is marked for deletion'`,
      );
    await ask("projects/free%2Fplan", { method: "DELETE" });
    assert.equal((await waiting(world)).n, 1);
    const quiet = await startWorld();
    const reply = await quiet.call("/api/v4/projects/free%2Fplan", { as: "olga", method: "DELETE" });
    assert.equal(reply.status, 202);
    assert.equal((await waiting(quiet)).n, 0);
  });

  it("go to at most 100 owners, and finding these does not read the users of the whole instance (decision 0171; decision 0169)", async () => {
    const { pooled } = world.platform.db;
    await pooled.run(sql`insert into users (username, name, email)
      select 'sailor' || n, 'Sailor', 'sailor' || n || '@example.org' from generate_series(1, 5000) n`);
    await pooled.run(sql`insert into members (namespace_id, user_id, access_level)
      select n.id, u.id, case when u.username ~ '[05]$' then 50 else 30 end from namespaces n, users u
      where n.full_path = 'acme' and u.username ~ '^sailor\\d{1,3}$'`);
    await world.owner.run(sql`analyze users, members`);
    const { db } = world.platform;
    const group = await db.one(row({ id: integer }), sql`select id from namespaces where full_path = 'acme'`);
    for (const [kind, id] of [["project", world.rocket.id] as const, ["group", group.id] as const]) {
      const found = await listOwnerAddresses(db, kind, id, 100);
      assert.equal(found.length, 100);
      assert.equal(found[0]?.email, "olga@example.org");
      const list = (asked: Parameters<typeof listOwnerAddresses>[0]) =>
        listOwnerAddresses(asked, kind, id, 100);
      const read = await rowsRead(world, "users", list);
      assert.ok(read < 1500, `${kind}: ${read} people`);
      assert.ok((await rowsHandled(world, list)) < 15_000, kind);
    }
  });
});

test("no mail is sent when the account of the person who marks a project is deleted at the same moment, as the mark is not set (decisions 0151, 0171, 0313)", async () => {
  const fields = { username: "going", name: "Going", email: "going@example.org", password: PASSWORD };
  const { json: going } = await ask("users", { as: "ada", json: fields });
  const tokenFields = { name: "t", scopes: ["api"] };
  const made = await ask(`users/${going.id}/personal_access_tokens`, { as: "ada", json: tokenFields });
  const { json: acme } = await ask("groups/acme");
  const place = { name: "Short", path: "short", namespace_id: acme.id };
  const { json: short } = await ask("projects", { json: place });
  await ask(`projects/${short.id}/members`, { json: { user_id: going.id, access_level: 50 } });
  const path = `/api/v4/projects/${short.id}`;
  const { worked } = await whileDoing(
    world,
    async (tx) => {
      await tx.run(sql`update projects set updated_at = now() where id = ${short.id}`);
      await tx.run(sql`delete from events where author_id = ${going.id}`);
      await tx.run(sql`delete from users where id = ${going.id}`);
    },
    () => world.call(path, { token: made.json.token, method: "DELETE" }),
  );
  assert.deepEqual([worked.status, worked.json], [403, { message: "403 Forbidden" }]);
  assert.equal((await world.call(path, { as: "olga" })).json.marked_for_deletion_on, null);
  await office.settle();
  assert.deepEqual(
    office.mails.filter(({ raw }) => raw.includes("acme/short")),
    [],
  );
});

test("a person gets at most 20 such mails an hour, however many places are made to be deleted (decision 0299)", async () => {
  const again = async () => {
    const { json } = await ask("projects", { as: "dev", json: { name: `Junk ${++junk}` } });
    const owner = { access_level: 50, user_id: world.ids.gus };
    const made = await ask(`projects/${json.id}/members`, { as: "dev", json: owner });
    assert.equal(made.status, 201, made.text);
    return receivers(await mailsAfter(`projects/${json.id}`, "dev")).filter((to) => to === "gus@example.org");
  };
  let junk = 0;
  const found: string[] = [];
  for (let n = 0; n < 22; n++) found.push(...(await again()));
  assert.equal(found.length, 20);
  await world.platform.db.run(sql`update outbox_deliveries set created_at = created_at - interval '1 hour'`);
  assert.equal((await again()).length, 1);
  // What others were sent is not read.
  await world.platform.db.run(
    sql`insert into outbox_deliveries (channel, target, content, purpose, dedupe_key)
      select 'mail', 'p' || n || '@example.org', '{}', 'deletion_notice', n from generate_series(1, 5000) n`,
  );
  const rows = await rowsHandled(world, (db) =>
    withoutFlooded(db, {
      purpose: "deletion_notice",
      mailboxes: ["gus@example.org"],
      most: 20,
      seconds: 3600,
    }),
  );
  assert.ok(rows < 100, `${rows} rows`);
});
