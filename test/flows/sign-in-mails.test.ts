/** Mails about a sign-in with a device or from a network that is new to the account. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { sql } from "../../src/platform/sql.ts";
import { runJob } from "../support/jobs.ts";
import { type PostOffice, worldWithMail } from "../support/post-office.ts";
import { Visitor } from "../support/visitor.ts";
import { PASSWORD, type Person } from "../support/world.ts";

const LINUX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const NEWER = LINUX.replaceAll("140.0", "152.0");
const PHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1";

let office: PostOffice;

before(async () => {
  office = await worldWithMail({ GATEHOUSE_TRUSTED_PROXIES: "127.0.0.1,::1" });
});

async function signsIn(person: Person, ip: string, agent: string, password = PASSWORD): Promise<number> {
  const visitor = new Visitor(office.world.url);
  const headers = { "x-forwarded-for": ip, "user-agent": agent };
  await visitor.get("/users/sign_in", headers);
  return (await visitor.post("/users/sign_in", { username: person, password }, headers)).status;
}

/** Runs the job and returns the mails sent since the last call. */
async function told() {
  office.mails.length = 0;
  await runJob(office.world, "notices");
  await office.settle();
  return office.mails.map(({ to, text }) => ({ to, text }));
}

test("the first sign-in of an account causes no mail, and a new device and a new network cause one mail each (decision 0193; reference ux §4)", async () => {
  assert.equal(await signsIn("max", "192.0.2.10", LINUX), 303);
  assert.deepEqual(await told(), []);
  assert.equal(await signsIn("max", "192.0.2.10", PHONE), 303);
  const [device, ...more] = await told();
  assert.deepEqual(more, []);
  assert.deepEqual(device?.to, ["max@example.org"]);
  assert.match(device?.text ?? "", /^Subject: A sign-in with a new device or from a new network: @max$/m);
  assert.match(device?.text ?? "", /^Device: Safari on iPhone$/m);
  assert.match(device?.text ?? "", /^From: 192\.0\.2\.10$/m);
  assert.match(device?.text ?? "", /If not, set a new password at/);
  assert.equal(await signsIn("max", "198.51.100.7", PHONE), 303);
  const [network, ...others] = await told();
  assert.deepEqual(others, []);
  assert.match(network?.text ?? "", /^From: 198\.51\.100\.7$/m);
  assert.equal(await signsIn("max", "198.51.100.7", LINUX), 303);
  assert.deepEqual(await told(), [], "both are known");
});

test("a newer version of a browser or another address of the same network is not new (decision 0193)", async () => {
  assert.equal(await signsIn("dev", "2001:db8:1:2::7", LINUX), 303);
  assert.equal(await signsIn("dev", "2001:db8:1:2:3:4:5:6", NEWER), 303);
  assert.equal(await signsIn("dev", "203.0.113.1", NEWER), 303);
  assert.equal(await signsIn("dev", "203.0.113.99", LINUX), 303);
  const mails = await told();
  assert.equal(mails.length, 1);
  assert.match(mails[0]?.text ?? "", /^From: 203\.0\.113\.1$/m);
});

test("the devices and networks of other users are not known to an account, and a failed sign-in makes nothing known (decision 0193)", async () => {
  assert.equal(await signsIn("rep", "192.0.2.10", LINUX), 303);
  assert.equal(await signsIn("rep", "198.51.100.7", PHONE, "not the password"), 422);
  assert.deepEqual(await told(), []);
  assert.equal(await signsIn("rep", "198.51.100.7", PHONE), 303);
  const mails = await told();
  assert.deepEqual(
    mails.map(({ to }) => to),
    [["rep@example.org"]],
  );
});

test("after a year without use, a device and a network are new again (decision 0193)", async () => {
  assert.equal(await signsIn("gus", "192.0.2.10", LINUX), 303);
  await told();
  await office.world.owner.transaction(async (tx) => {
    await tx.run(sql`alter table audit_entries disable trigger user`);
    const aged = sql`update audit_entries set at = now() - interval '366 days' where user_id = ${office.world.ids.gus}`;
    assert.ok((await tx.run(aged)) > 0);
    await tx.run(sql`alter table audit_entries enable trigger user`);
  });
  assert.equal(await signsIn("gus", "192.0.2.10", LINUX), 303);
  assert.equal((await told()).length, 1);
});
