/** Changing a username, by the user or by an administrator; the old one redirects and stays reserved for them. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { row, text } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { signedIn, Visitor } from "../support/visitor.ts";
import { PASSWORD, startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

const HOME = "/profile/username";
const rename = async (as: "dev" | "rep" | "gus" | "stan", username: string) =>
  (await signedInAs(as)).submit(HOME, { username }, "/profile");
const signedInAs = async (person: "dev" | "rep" | "gus" | "stan") => {
  const visitor = new Visitor(world.url);
  const { username } = await world.platform.db.one(
    row({ username: text }),
    sql`select username from users where id = ${world.ids[person]}`,
  );
  await visitor.submit("/users/sign_in", { username, password: PASSWORD });
  return visitor;
};

test("a new username takes effect at once, and all old paths redirect to the new ones (decision 0122)", async () => {
  const made = await world.call("/api/v4/projects", {
    as: "dev",
    json: { name: "Tool", visibility: "public" },
  });
  assert.equal(made.json.path_with_namespace, "dev/tool");
  const dev = await signedIn(world, "dev");
  const saved = await dev.submit(HOME, { username: "devina" }, "/profile");
  assert.deepEqual([saved.status, saved.location], [303, "/profile"]);
  assert.match((await dev.follow(saved)).text, /You are @devina now/);
  const self = (await world.call("/api/v4/user", { as: "dev" })).json;
  assert.deepEqual([self.username, self.web_url], ["devina", `${world.url}/devina`]);
  const visitor = new Visitor(world.url);
  for (const [from, to] of [
    ["/dev", "/devina"],
    ["/Dev?page=2", "/devina?page=2"],
    ["/dev.atom", "/devina.atom"],
    ["/dev/tool", "/devina/tool"],
    ["/dev/tool/activity", "/devina/tool/activity"],
    ["/d%65v/t%6fol/activity?page=2", "/devina/tool/activity?page=2"],
  ] as const) {
    const answer = await visitor.get(from);
    assert.deepEqual([from, answer.status, answer.location], [from, 301, to]);
  }
  assert.equal((await visitor.get("/devina/tool")).status, 200);
  const read = await world.call("/api/v4/projects/dev%2Ftool", { as: "stan" });
  assert.deepEqual([read.status, read.headers.get("location")], [301, `/api/v4/projects/${made.json.id}`]);
  const events = await world.call("/api/v4/users/devina/events", { as: "dev" });
  assert.ok(events.json.length > 0);
  assert.ok(events.json.every((event: { author_username: string }) => event.author_username === "devina"));
  const old = await new Visitor(world.url).submit("/users/sign_in", { username: "dev", password: PASSWORD });
  assert.equal(old.status, 422, "the old username no longer works for signing in");
  const now = await new Visitor(world.url).submit("/users/sign_in", {
    username: "devina",
    password: PASSWORD,
  });
  assert.equal(now.status, 303);
});

test("the old username stays reserved: no other user or group can take it, and its owner can take it back (decision 0122)", async () => {
  const taken = await rename("rep", "DEV");
  assert.equal(taken.status, 422);
  assert.match(taken.text, /Username has already been taken\./);
  assert.match(taken.text, /value="DEV"/);
  const group = await world.call("/api/v4/groups", { as: "rep", json: { name: "Dev", path: "dev" } });
  assert.deepEqual(group.json, { message: { path: ["has already been taken"] } });
  const ada = await signedIn(world, "ada");
  const person = { username: "dev", name: "Other", email: "other@example.org", password: PASSWORD };
  assert.match((await ada.submit("/admin/users", person)).text, /Username has already been taken\./);
  assert.equal((await rename("dev", "dev")).status, 303);
  assert.equal((await new Visitor(world.url).get("/devina/tool")).location, "/dev/tool");
  assert.equal((await new Visitor(world.url).get("/dev")).status, 200);
});

test("invalid usernames are refused, and a user can have only five earlier ones (decision 0122)", async () => {
  for (const username of ["", "api", "a b", "x.git", "max", "acme"]) {
    assert.equal((await rename("gus", username)).status, 422, username);
  }
  for (let n = 1; n <= 5; n++) assert.equal((await rename("gus", `gus-${n}`)).status, 303);
  const sixth = await rename("gus", "gus-6");
  assert.equal(sixth.status, 422);
  assert.match(sixth.text, /an administrator can change it again/);
  assert.equal((await world.call("/api/v4/user", { as: "gus" })).json.username, "gus-5");
  assert.equal((await rename("gus", "gus")).status, 303, "back to an earlier one");
  const ada = await signedIn(world, "ada");
  const at = `/admin/users/${world.ids.gus}/username`;
  for (const username of ["gus-6", "gus-5", "gus-5"]) {
    assert.equal((await ada.submit(at, { username })).status, 303, "an administrator can go on");
  }
  const log = (await ada.get("/admin/audit?name=gus-5&action=username_changed")).text;
  assert.doesNotMatch(
    log,
    /from gus-5, to gus-5|to gus-5, from gus-5/,
    "the same username is not logged as a change",
  );
});

test("administrators change usernames of others with recent authentication, and it is logged for both (decision 0122)", async () => {
  const ada = await signedIn(world, "ada");
  const at = `/admin/users/${world.ids.rep}/username`;
  assert.match((await ada.get("/admin/users?search=rep")).text, new RegExp(`href="${at}"`));
  assert.equal((await ada.submit(at, { username: "max" })).status, 422);
  const saved = await ada.submit(at, { username: "reporter" });
  assert.match((await ada.follow(saved)).text, /Rep Reporter is @reporter now/);
  assert.match((await ada.get("/admin/audit")).text, /class="title">Changed the username</);
  const rep = await signedInAs("rep");
  assert.match((await rep.get("/profile/security_log")).text, /Changed the username/);
  assert.equal((await rep.get(at)).status, 404);
  assert.equal((await rep.post(at, { username: "ha" })).status, 404);
  await world.platform.db.run(sql`update sessions set authenticated_at = now() - interval '20 minutes'`);
  assert.match((await ada.submit(at, { username: "rep" })).location ?? "", /^\/users\/prove/);
  assert.match((await rep.submit(HOME, { username: "rep" }, "/profile")).location ?? "", /^\/users\/prove/);
});

test("the old username of a user with a private profile is 404, like the new one (reference ux 7)", async () => {
  await world.platform.db.run(sql`update users set private_profile = true where id = ${world.ids.stan}`);
  assert.equal((await rename("stan", "stanley")).status, 303);
  assert.equal((await new Visitor(world.url).get("/stan")).status, 404);
  assert.equal((await new Visitor(world.url).get("/stanley")).status, 404);
});
