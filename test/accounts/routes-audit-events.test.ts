/** The audit log over the API, as clients of GitLab's audit events ask for it (decision 0293). */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { type AuditNote, FROM_CONSOLE, FROM_SERVICE } from "../../src/accounts/audit.ts";
import { recordAudit } from "../../src/accounts/record-audit.ts";
import { sql } from "../../src/platform/sql.ts";
import { signedIn } from "../support/visitor.ts";
import { PEOPLE, type Person, type Reply, startWorld, type World } from "../support/world.ts";

let world: World;
const EVENTS = "/api/v4/audit_events";
const everyone = Object.keys(PEOPLE) as Person[];

before(async () => {
  world = await startWorld();
  await signedIn(world, "dev");
});

const ask = (query = "", as: Person = "ada") => world.call(EVENTS + query, { as });

async function listed(query = ""): Promise<Reply["json"]> {
  const reply = await ask(query);
  assert.equal(reply.status, 200, reply.text);
  return reply.json;
}

async function note(more: Partial<AuditNote> & Pick<AuditNote, "action">): Promise<Reply["json"]> {
  const one = { actorId: world.ids.olga, userId: null, ip: "192.0.2.7", ...more };
  await recordAudit(world.platform.db, one);
  return (await listed("?per_page=1"))[0];
}

async function change(path: string, json?: object, as: Person = "olga"): Promise<Reply["json"]> {
  const method = json ? "PUT" : "POST";
  const reply = await world.call(`/api/v4/${path}`, { as, method, ...(json && { json }) });
  assert.ok(reply.status < 300, reply.text);
  return reply.json;
}

describe("GET /audit_events", () => {
  test("lists the entries of the log in GitLab's shape, newest first (GitLab v4 API, audit events; decision 0293)", async () => {
    const { dev } = world.ids;
    const [signIn] = await listed("?per_page=1");
    const { created_at: at, details, ...event } = signIn;
    assert.match(at, /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/);
    assert.deepEqual(event, {
      id: event.id,
      author_id: dev,
      entity_id: dev,
      entity_type: "User",
      event_name: "sign_in",
    });
    const { device, ...told } = details;
    assert.equal(typeof device, "string");
    assert.deepEqual(told, {
      event_name: "sign_in",
      author_name: "dev",
      custom_message: "Signed in",
      target_id: dev,
      target_type: "User",
      target_details: "dev",
      ip_address: "127.0.0.1",
      entity_path: "dev",
    });
    const ids = (await listed("?per_page=100")).map(({ id }: { id: number }) => id);
    assert.deepEqual(
      ids,
      Array.from(ids, (_, n) => ids.length - n),
    );
  });

  test("names the console, the service and nobody as authors, without an address where there was none (decision 0293)", async () => {
    const words = async (more: Partial<AuditNote>) => {
      const { author_id, entity_type, entity_id, details } = await note({
        action: "settings_changed",
        ...more,
      });
      assert.deepEqual([author_id, entity_type, entity_id], [-1, "Gitlab::Audit::InstanceScope", 1]);
      assert.equal(details.entity_path, "gitlab_instance");
      return [details.author_name, details.ip_address];
    };
    assert.deepEqual(await words(FROM_CONSOLE), ["Console", null]);
    assert.deepEqual(await words(FROM_SERVICE), ["The service", null]);
    assert.deepEqual(await words({ actorId: null, ip: "2001:db8::7" }), ["Not signed in", "2001:db8::7"]);
  });

  test("tells no more of an entry than the page of the log: no mail address, and names of that time (decision 0293)", async () => {
    const made = await note({ action: "group_moved", details: { group: "gone", to: "elsewhere" } });
    assert.deepEqual(made.details, {
      group: "gone",
      to: "elsewhere",
      event_name: "group_moved",
      author_name: "olga",
      custom_message: "Moved a group",
      target_id: null,
      target_type: "Group",
      target_details: "gone",
      ip_address: "192.0.2.7",
      entity_path: "gone",
    });
    const text = JSON.stringify(await listed("?per_page=100"));
    assert.ok(!text.includes("@example.org"));
    const ada = await signedIn(world, "ada");
    const page = await ada.get("/admin/audit");
    for (const shown of ["Moved a group", "group gone", "to elsewhere", "192.0.2.7", "olga"])
      assert.ok(page.text.includes(shown), shown);
  });

  test("does not let details of an entry replace what the event says itself (decision 0293)", async () => {
    const details = {
      author_name: "Somebody",
      entity_path: "elsewhere",
      ip_address: "none",
      event_name: "x",
    };
    const made = await note({ action: "settings_changed", details });
    assert.deepEqual(
      [made.details.author_name, made.details.entity_path, made.details.ip_address, made.details.event_name],
      ["olga", "gitlab_instance", "192.0.2.7", "settings_changed"],
    );
  });

  test("filters by entity, and counts what it lists (GitLab v4 API, audit events)", async () => {
    const { dev, olga } = world.ids;
    await note({ action: "user_blocked", userId: dev });
    await note({ action: "identity_granted", userId: dev, details: { project: "acme/rocket" } });
    await note({ action: "project_archived", details: { project: "acme/rocket" } });
    await note({ action: "project_archived", details: { project: "acme/open" } });
    await note({ action: "group_archived", details: { group: "free" } });
    const free = (await world.call("/api/v4/groups/free", { as: "olga" })).json.id;
    for (const [query, actions] of [
      [`entity_type=User&entity_id=${dev}`, ["identity_granted", "user_blocked", "sign_in"]],
      [`entity_type=User&entity_id=${olga}`, []],
      [`entity_type=Project&entity_id=${world.rocket.id}`, ["project_archived"]],
      [`entity_type=Group&entity_id=${free}`, ["group_archived"]],
      [`entity_type=Group&entity_id=${world.rocket.id + 10_000}`, []],
      ["entity_type=Project&entity_id=99999999", []],
      ["entity_type=Project", ["project_archived", "project_archived"]],
      ["entity_type=Group", ["group_archived", "group_moved"]],
      ["entity_type=Gitlab::Audit::InstanceScope&entity_id=2", []],
    ] as const) {
      const { status, json, headers, text } = await ask(`?${query}`);
      assert.equal(status, 200, text);
      const found = json.map((each: { event_name: string }) => each.event_name);
      assert.deepEqual(found, actions, query);
      assert.equal(headers.get("x-total"), String(actions.length), query);
    }
    const instance = await listed("?entity_type=Gitlab::Audit::InstanceScope&per_page=100");
    assert.deepEqual(instance, await listed("?entity_type=Gitlab%3A%3AAudit%3A%3AInstanceScope&entity_id=1"));
    assert.ok(instance.length > 0);
  });

  test("filters by time, bounds included (GitLab v4 API, audit events)", async () => {
    const all = await listed("?per_page=100");
    const [newest, second] = all;
    const oldest = all.at(-1);
    const ids = (events: { id: number }[]) => events.map(({ id }) => id);
    for (const [query, expected] of [
      [
        `created_after=${newest.created_at}`,
        all.filter((one: typeof newest) => one.created_at >= newest.created_at),
      ],
      [
        `created_before=${second.created_at}`,
        all.filter((one: typeof newest) => one.created_at <= second.created_at),
      ],
      [
        `created_before=${oldest.created_at}`,
        all.filter((one: typeof newest) => one.created_at <= oldest.created_at),
      ],
      ["created_before=2001-01-01T00:00:00Z", []],
      ["created_after=2999-01-01T00:00:00Z", []],
    ] as const) {
      const reply = await ask(`?per_page=100&${query}`);
      assert.deepEqual(ids(reply.json), ids(expected), query);
      assert.equal(reply.headers.get("x-total"), String(expected.length), query);
    }
  });

  test("is paginated, with the total on every page (contract §4, pages)", async () => {
    const whole = await listed("?per_page=100");
    for (const query of ["", "&created_after=2001-01-01T00:00:00Z"]) {
      const { json, headers } = await ask(`?per_page=2&page=2${query}`);
      assert.deepEqual(json, whole.slice(2, 4));
      assert.deepEqual([headers.get("x-total"), headers.get("x-prev-page")], [String(whole.length), "1"]);
    }
  });

  test("refuses invalid parameters, and an entity_id without its type (GitLab v4 API, audit events)", async () => {
    for (const [query, error] of [
      ["entity_id=1", "entity_type is missing"],
      ["entity_type=Robot", "entity_type does not have a valid value"],
      ["entity_type=User&entity_id=dev", "entity_id is invalid"],
      ["created_after=yesterday", "created_after is invalid"],
      ["created_before=2024-02-30", "created_before is invalid"],
    ] as const) {
      const { status, json } = await ask(`?${query}`);
      assert.deepEqual([status, json], [400, { error }], query);
    }
  });

  test("is for administrators, with a scope to read the API (contract §4, tokens and roles; decision 0293)", async () => {
    for (const path of ["", "/1", "/99999999"]) {
      for (const as of everyone.filter((each) => each !== "ada")) {
        const { status, json } = await ask(path, as);
        assert.deepEqual([status, json], [403, { message: "403 Forbidden" }], `${as} ${path}`);
      }
      assert.equal((await world.call(EVENTS + path)).status, 401, path);
    }
    for (const [scope, status] of [
      ["read_user", 403],
      ["read_api", 200],
      ["api", 200],
    ] as const) {
      const token = await world.tokenOf("ada", scope);
      assert.equal((await world.call(EVENTS, { token })).status, status, scope);
      assert.equal((await world.call(`${EVENTS}/1`, { token })).status, status, scope);
    }
  });
});

describe("GET /audit_events/:id", () => {
  test("returns an entry as the list does, and 404 for an unknown one (GitLab v4 API, audit events)", async () => {
    for (const each of await listed("?per_page=100")) {
      const { status, json } = await ask(`/${each.id}`);
      assert.deepEqual([status, json], [200, each]);
    }
    for (const unknown of ["99999999", "0", "x", "9".repeat(30)]) {
      const { status, json } = await ask(`/${unknown}`);
      assert.deepEqual([status, json], [404, { message: "404 Audit Event Not Found" }], unknown);
    }
  });
});

describe("the entity of an event", () => {
  const about = async (id: number, type = "Project") =>
    (await listed(`?entity_type=${type}&entity_id=${id}`)).map(
      ({ details }: { details: { entity_path: string } }) => details.entity_path,
    );

  test("is a project or group by its current or a former path (decision 0293)", async () => {
    const group = await world.call("/api/v4/groups", { as: "olga", json: { name: "Crew", path: "crew" } });
    const json = { name: "boat", namespace_id: group.json.id };
    const { id } = (await world.call("/api/v4/projects", { as: "olga", json })).json;
    await change("projects/crew%2Fboat/archive");
    await change("projects/crew%2Fboat/unarchive");
    await change(`projects/${id}`, { path: "ship" });
    await change(`groups/${group.json.id}`, { path: "team" });
    await change("projects/team%2Fship/archive");
    assert.deepEqual(await about(id), ["team/ship", "crew/boat", "crew/boat", "crew/boat"]);
    assert.deepEqual(await about(group.json.id, "Group"), ["crew"]);
    const [newest] = await listed("?per_page=1");
    assert.deepEqual(
      [newest.entity_id, newest.details.target_id, newest.details.entity_path],
      [id, id, "team/ship"],
    );
  });

  test("is not a project that came to the path of a removed one (decision 0293)", async () => {
    const json = { name: "tide", namespace_id: "free" };
    const first = (await world.call("/api/v4/projects", { as: "olga", json })).json.id;
    const other = { name: "tide", namespace_id: "acme" };
    const mover = (await world.call("/api/v4/projects", { as: "olga", json: other })).json.id;
    await change("projects/free%2Ftide/archive");
    assert.deepEqual(await about(first), ["free/tide"]);
    await world.owner.run(sql`delete from projects where id = ${first}`);
    assert.deepEqual((await listed("?per_page=1"))[0].entity_id, null);
    await change(`projects/${mover}/transfer`, { namespace: "free" });
    await change("projects/free%2Ftide/archive");
    assert.deepEqual(await about(mover), ["free/tide", "acme/tide"]);
    const events = await listed("?entity_type=Project&per_page=3");
    assert.deepEqual(
      events.map((each: { entity_id: number }) => each.entity_id),
      [mover, mover, null],
    );
  });
});
