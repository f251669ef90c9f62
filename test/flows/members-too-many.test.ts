/** Unexpected fields in a request (mass assignment) that would raise somebody's rights or falsify records. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { linkIn, type PostOffice, worldWithMail } from "../support/post-office.ts";
import { signedIn, Visitor } from "../support/visitor.ts";
import { PASSWORD, type World } from "../support/world.ts";

let office: PostOffice;
let world: World;
before(async () => {
  office = await worldWithMail({ GATEHOUSE_REGISTRATION: "open" });
  world = office.world;
});

const RISEN = {
  ...{ admin: "true", is_admin: "true", isAdmin: "true", role: "administrator", access_level: "50" },
  ...{ state: "active", id: "1", user_id: "1", username: "ada", email: "ada@example.org", confirmed: "true" },
  ...{
    two_factor: "false",
    "user[admin]": "1",
    "__proto__[isAdmin]": "true",
    "constructor[prototype][admin]": "1",
  },
};

const person = async (username: string) => {
  const { json } = await world.call(`/api/v4/users?username=${username}`, { as: "ada" });
  const { id, is_admin, email, state } = json[0];
  return { id, is_admin, email, state };
};

test("no extra field in the profile or at registration makes a user an administrator or another user (CWE-915; reference reliability S81)", async () => {
  const before = await person("gus");
  const gus = await signedIn(world, "gus");
  await gus.submit("/profile", { name: "Gus", time_zone: "UTC", ...RISEN, email: before.email });
  assert.deepEqual(await person("gus"), before);

  const visitor = new Visitor(world.url);
  await visitor.submit("/users/sign_up", { ...RISEN, email: "new@example.org" });
  const link = linkIn(await office.mailTo("new@example.org"), world);
  const made = await visitor.submit(link, {
    ...RISEN,
    username: "newcomer",
    name: "New",
    password: PASSWORD,
  });
  assert.equal(made.status, 303, made.text);
  const newcomer = await person("newcomer");
  assert.deepEqual([newcomer.is_admin, newcomer.email], [false, "new@example.org"]);
  assert.equal((await visitor.get("/admin/users")).status, 404);
});

test("a new project gets its own id, path, creator and time, and a new member no more rights, whatever the request claims (CWE-915; reference reliability S81)", async () => {
  const told = {
    id: 1,
    iid: 77,
    creator_id: world.ids.ada,
    author_id: world.ids.ada,
    created_at: "2001-01-01T00:00:00Z",
  };
  const more = {
    ...told,
    plan: "premium",
    full_path: "acme/rocket",
    archived: true,
    owner_id: world.ids.ada,
  };
  const json = { name: "Mine", path: "mine", visibility: "private", ...more };
  const project = await world.call("/api/v4/projects", { as: "stan", json });
  assert.equal(project.status, 201, project.text);
  const { id, path_with_namespace, archived, creator_id, created_at } = project.json;
  assert.deepEqual([path_with_namespace, archived, creator_id], ["stan/mine", false, world.ids.stan]);
  assert.ok(id !== 1 && !created_at.startsWith("2001"));

  const token = {
    name: "mine",
    scopes: ["read_user"],
    user_id: world.ids.ada,
    token: "gpat_chosen",
    active: false,
  };
  const path = `/api/v4/users/${world.ids.ada}/personal_access_tokens`;
  assert.equal((await world.call(path, { as: "stan", json: token })).status, 403);

  const member = {
    user_id: world.ids.gus,
    access_level: 30,
    created_by: world.ids.ada,
    is_admin: true,
    ...told,
  };
  const added = await world.call("/api/v4/projects/stan%2Fmine/members", { as: "stan", json: member });
  assert.deepEqual(
    [added.status, added.json.id, added.json.access_level],
    [201, world.ids.gus, 30],
    added.text,
  );
  assert.equal((await person("gus")).is_admin, false);
});
