/** Every route that changes a project or group refuses an archived one, and says why (decision 0153). */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { doorsOf } from "../support/doors.ts";
import { fitting, operationsOf } from "../support/operations.ts";
import { signedIn } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

/** Routes that end or continue archiving or removal, and the receiver, which has its own message. */
const LIFECYCLE =
  /\/(archive|unarchive|restore|delete|event_sources\/\{?:?identifier\}?\/receive)$|^DELETE \/api\/v4\/(projects|groups)\/\{id\}$/;

let world: World;
before(async () => {
  world = await startWorld();
  for (const path of ["projects/acme%2Frocket", "groups/free"]) {
    const reply = await world.call(`/api/v4/${path}/archive`, { as: "olga", method: "POST" });
    assert.equal(reply.json?.archived, true, reply.text);
  }
});

test("every API operation that writes refuses an archived project or group, whoever calls it (decision 0153)", async () => {
  const writes = (await operationsOf(world.app)).filter(
    ({ path, method }) =>
      method !== "GET" &&
      /^\/api\/v4\/(projects|groups)\/\{id\}/.test(path) &&
      !LIFECYCLE.test(`${method} ${path}`),
  );
  assert.ok(writes.length > 50, `${writes.length} operations`);
  const taken: string[] = [];
  for (const { path, method, body } of writes) {
    const id = path.startsWith("/api/v4/groups/") ? "free" : String(world.rocket.id);
    const address = path.replace("{id}", id).replaceAll(/\{\w+\}/g, "1");
    const json = { ...(fitting(body) as object), ...MORE[`${method} ${path.slice("/api/v4".length)}`] };
    for (const as of ["olga", "ada"] as const) {
      const reply = await world.call(address, { as, method, ...(method === "DELETE" ? {} : { json }) });
      const isRefused =
        reply.status === 403 && / is archived and can only be read\.$/.test(reply.json?.message);
      if (!isRefused) taken.push(`${method} ${path} as ${as}: ${reply.status} ${reply.text.slice(0, 200)}`);
    }
  }
  assert.deepEqual(taken, []);
});

/** Bodies that are valid for an operation. */
const MORE: Readonly<Record<string, object>> = {
  "POST /projects/{id}/invitations": { email: "someone@example.org" },
  "POST /groups/{id}/invitations": { email: "someone@example.org" },
};

test("every form of the pages refuses an archived project or group (decision 0153)", async () => {
  const olga = await signedIn(world, "olga");
  const taken: string[] = [];
  const forms = doorsOf(world.app).filter(
    ({ method, path }) =>
      method === "POST" &&
      (path.startsWith("/:project") ||
        /^\/groups\/:path\/-\/(members|invitations|settings)(?!\/applications)/.test(path)) &&
      !LIFECYCLE.test(`POST ${path}`),
  );
  assert.ok(forms.length > 40, `${forms.length} forms`);
  await olga.get("/projects/new");
  for (const { path } of forms) {
    const address = path
      .replace(/^\/:project/, "/acme/rocket")
      .replace(/^\/groups\/:path/, "/groups/free")
      .replaceAll(/:[a-z_]+(\|:[a-z_]+)*/g, "1");
    const page = await olga.post(address, {});
    if (page.status !== 403 || !/is archived and can only be read/.test(page.text))
      taken.push(`${path}: ${page.status}`);
  }
  assert.deepEqual(taken, []);
});

test("an archived group accepts no new or transferred projects and groups (decision 0153)", async () => {
  const olga = await signedIn(world, "olga");
  const into = {
    as: "olga",
    json: { name: "Late", path: "late", namespace_id: "free", parent_id: 0 },
  } as const;
  const free = await world.call("/api/v4/groups/free", { as: "olga" });
  const open = String(world.open.id);
  const team = await world.call("/api/v4/groups", { as: "olga", json: { name: "Team", path: "team" } });
  const replies = [
    await world.call("/api/v4/projects", into),
    await world.call("/api/v4/projects", { ...into, as: "ada" }),
    await world.call("/api/v4/groups", { as: "olga", json: { ...into.json, parent_id: free.json.id } }),
    await world.call(`/api/v4/projects/${open}/transfer`, {
      as: "olga",
      method: "PUT",
      json: { namespace: "free" },
    }),
    await world.call(`/api/v4/groups/${team.json.id}/transfer`, {
      as: "olga",
      json: { group_id: free.json.id },
    }),
  ];
  for (const { status, json, text } of replies) {
    assert.equal(status, 403, text);
    assert.match(json.message, /This group is archived/);
  }
  const event = { action: "pushed", target_type: null, project_id: world.rocket.id };
  const bulk = await world.call("/api/v4/events/bulk", {
    as: "olga",
    body: `${JSON.stringify(event)}\n`,
    headers: { "content-type": "application/x-ndjson" },
  });
  assert.match(bulk.text, /is archived and can only be read/);
  const page = await olga.submit(
    "/projects",
    { name: "Late", path: "late", namespace: "free" },
    "/projects/new",
  );
  assert.equal(page.status, 422);
});
