/** Every route of a project, a group and the instance, with sufficient and insufficient roles. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { type Door, doorsOf } from "../support/doors.ts";
import { bodiesOf, queryFor } from "../support/operations.ts";
import { signedIn, type Visitor } from "../support/visitor.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

type Least = "guest" | "reporter" | "developer" | "maintainer" | "owner";

/**
 * The lowest role for each route, by the path below its project or group: the first matching row counts. Sources: the
 * contract §3 and contract-alerts, roles; contract-events §§1, 3; decisions 0040, 0102, 0109, 0111, 0117, 0118, 0140, 0152, 0204, 0286, 0293.
 */
const PROJECT_API: readonly [RegExp, Least][] = [
  [/^GET( \/(members.*|users|groups|events.*|labels.*))?$/, "guest"],
  [/^(POST|PUT|DELETE) \/issues\/:iid\/metric_images.*$/, "developer"],
  [/^GET \/(environments|issues|incident_templates|merge_requests|search).*$/, "reporter"],
  [/^POST \/issues(\/:iid\/notes)?$/, "reporter"],
  [/^[A-Z]+ \/alert_(management_alerts|silences).*$/, "developer"],
  [/^POST \/alert_integrations\/:integration_id\/test$/, "developer"],
  [/^(PUT|POST|DELETE) \/environments.*$/, "developer"],
  [/^PUT \/issues\/:iid$/, "developer"],
  [/^POST \/(events|pushes)$/, "developer"],
  [/^PUT$/, "maintainer"],
  [/^[A-Z]+ \/alert_(settings|integrations|receipts|channels|heartbeats).*$/, "maintainer"],
  [
    /^[A-Z]+ \/(incident_templates|members|invitations|event_sources|hooks|outside_identities).*$/,
    "maintainer",
  ],
  [/^(DELETE|PUT \/transfer|POST \/(restore|archive|unarchive))$/, "owner"],
];
const PROJECT_PAGES: readonly [RegExp, Least][] = [
  [/^GET( \/activity|\.atom|\.json|\.git)?$/, "guest"],
  [/^POST \/-\/incidents\/:iid(\/metric_images\/:image)?$/, "developer"],
  [/^[A-Z]+ \/-\/(incidents|issues\/incident).*$/, "reporter"],
  [/^[A-Z]+ \/-\/(alerts|alert_management|silences|environments).*$/, "developer"],
  [/^(GET \/-\/settings\/operations|POST \/-\/settings\/operations\/test)$/, "developer"],
  [/^[A-Z]+ \/-\/settings\/(move|archive|delete|restore)$/, "owner"],
  [/^[A-Z]+ \/-\/(settings|members|invitations).*$/, "maintainer"],
];
const GROUP_API: readonly [RegExp, Least][] = [
  [
    /^GET( \/(members.*|events.*|subgroups|descendant_groups|projects|issues(_statistics)?|search))?$/,
    "guest",
  ],
  [/^[A-Z]+( \/.*)?$/, "owner"],
];
const GROUP_PAGES: readonly [RegExp, Least][] = [
  [/^GET \/-\/activity$/, "guest"],
  [/^[A-Z]+ \/-\/.*$/, "owner"],
];

/** Who has which role in the private project acme/rocket and in a private group, lowest first. */
const PEOPLE: Readonly<Record<Least, Person>> = {
  guest: "gus",
  reporter: "rep",
  developer: "dev",
  maintainer: "max",
  owner: "olga",
};
const ORDER = Object.keys(PEOPLE) as Least[];
const ABSENT = "99999999";

/** Routes that do not depend on a role, each with its reason. */
const OTHERWISE: readonly [RegExp, string][] = [
  [/^POST \/api\/v4\/projects\/.*\/receive$/, "what is delivered proves itself"],
  [/^POST \/api\/v4\/leak_reports$/, "whoever has a secret may end it (decision 0208)"],
  [
    /^[A-Z]+ \/groups\/:path\/-\/settings\/applications\/:id/,
    "nobody else learns of one (reference oauth D79)",
  ],
  [/\/stream$/, "has no end; it is opened as the list of events or of alerts is"],
];
/** Only administrators may do this (contract §3; decisions 0047, 0111, 0118, 0286, 0293). */
const ADMINISTRATION = [
  /^(POST|PUT|DELETE) \/api\/v4\/users(\/.*)?$/,
  /^GET \/api\/v4\/(users\/[^/]+\/(memberships|emails)|user\/activities)$/,
  /^POST \/api\/v4\/projects\/user\/:user_id$/,
  /^[A-Z]+ \/api\/v4\/applications(\/:id(\/renew-secret)?)?$/,
  /^[A-Z]+ \/api\/v4\/(invitations|outside_identities)(\/.*)?$/,
  /^PUT \/api\/v4\/namespaces\/:id$/,
  /^GET \/api\/v4\/(issues\/:id|audit_events(\/:id)?)$/,
  /^[A-Z]+ \/admin(\/.*)?$/,
];
/** Open to everybody, for what is theirs or visible to them. */
const EVERYBODY = [
  /^[A-Z]+ \/api\/v4\/(user(?!\/activities$)|personal_access_tokens|events|issues(?!\/)|issues_statistics)(\/.*)?$/,
  /^GET \/api\/v4\/(users|namespaces|applications\/:id)(?!\/[^/]+\/(memberships|emails)$)(\/.*)?$/,
  /^(GET|POST) (\/api\/v4)?\/(projects|groups)(\/new)?$/,
  /^GET (\/|\/groups\*|\/openapi\.json|\/search|\/api\/v4\/(version|metadata|search))$/,
  /^[A-Z]+ \/(oauth|profile|users|setup|-|\.well-known|v2|generic|opsgenie)\//,
  /^(GET|POST) \/profile$/,
];

let world: World;
let doors: Door[];
let bodyFor: Awaited<ReturnType<typeof bodiesOf>>;
let browsers: Record<Person, Visitor>;

const SITES = [
  { prefix: "/api/v4/projects/:id", roles: PROJECT_API, at: "/api/v4/projects/acme%2Frocket" },
  { prefix: "/:project", roles: PROJECT_PAGES, at: "/acme/rocket" },
  { prefix: "/api/v4/groups/:id", roles: GROUP_API, at: "/api/v4/groups/crew" },
  { prefix: "/groups/:path", roles: GROUP_PAGES, at: "/groups/crew" },
] as const;
type Site = (typeof SITES)[number];

const isApi = ({ path }: Door) => path.startsWith("/api/v4/");
const nameOf = ({ method, path }: Door) => `${method} ${path}`;
const isOne = (patterns: readonly RegExp[], door: Door) => patterns.some((one) => one.test(nameOf(door)));
const isOtherwise = (door: Door) =>
  isOne(
    OTHERWISE.map(([pattern]) => pattern),
    door,
  );
const siteOf = (door: Door) => SITES.find(({ prefix }) => new RegExp(`^${prefix}([/.]|$)`).test(door.path));
const endingOf = (door: Door, { prefix }: Site) => door.path.slice(prefix.length);
/** The table row of a route. */
const rowOf = (door: Door, site: Site) => {
  const ending = endingOf(door, site);
  const below = `${door.method}${ending.startsWith("/") ? " " : ""}${ending}`;
  return site.roles.find(([pattern]) => pattern.test(below));
};

before(async () => {
  world = await startWorld();
  const made = await world.call("/api/v4/groups", { as: "olga", json: { name: "Crew", path: "crew" } });
  assert.equal(made.status, 201, made.text);
  for (const [n, least] of ORDER.slice(0, -1).entries()) {
    const json = { user_id: world.ids[PEOPLE[least]], access_level: 10 * (n + 1) };
    assert.equal((await world.call("/api/v4/groups/crew/members", { as: "olga", json })).status, 201);
  }
  bodyFor = await bodiesOf(world.app);
  doors = doorsOf(world.app).filter((door) => !isApi(door) || bodyFor(door) !== undefined);
  browsers = {} as Record<Person, Visitor>;
  for (const person of [...Object.values(PEOPLE), "stan", "ada"] as const) {
    browsers[person] = await signedIn(world, person);
    await browsers[person].get("/projects");
  }
});

/** With a valid body and ids that do not exist: allowed requests succeed or get 404. */
async function ask(person: Person, door: Door, address = door.path) {
  const { method } = door;
  const path = address.replace(/:[a-z_]+(\|:[a-z_]+)*/g, ABSENT);
  if (isApi(door))
    return world.call(path + queryFor(path), {
      as: person,
      method,
      ...(method === "GET" ? {} : { json: bodyFor(door) }),
    });
  return method === "GET" ? browsers[person].get(path) : browsers[person].post(path, { name: "", path: "" });
}

describe("every route", () => {
  it("is in one of these tables, and every row is used (reference reliability S77)", () => {
    const placed = doors.filter((door) => !isOtherwise(door) && !isOne(EVERYBODY, door));
    const used = new Set<unknown>();
    const unknown = placed.filter((door) => {
      const site = siteOf(door);
      const row = site ? rowOf(door, site) : ADMINISTRATION.find((one) => one.test(nameOf(door)));
      used.add(row);
      return row === undefined;
    });
    assert.deepEqual(unknown.map(nameOf), []);
    const rows = [...SITES.flatMap(({ roles }) => roles), ...ADMINISTRATION];
    assert.deepEqual(
      rows.filter((row) => !used.has(row)),
      [],
    );
  });

  it("of a project or group is allowed for its lowest role and above, and forbidden below it (decision 0040; contract-alerts, roles; reference reliability S77)", async () => {
    const wrong: string[] = [];
    for (const door of doors) {
      const site = siteOf(door);
      const least = site && !isOtherwise(door) ? rowOf(door, site)?.[1] : undefined;
      if (!site || !least) continue;
      const ending = endingOf(door, site);
      const ends = nameOf(door) === "DELETE " || /\/(archive|transfer|delete|restore|move)$/.test(ending);
      for (const [n, role] of ORDER.entries()) {
        const mayDo = n >= ORDER.indexOf(least);
        // Skips requests that would remove, move or archive the project or group.
        if (mayDo && (ends || (door.method === "DELETE" && ending === ""))) continue;
        const { status } = await ask(PEOPLE[role], door, site.at + ending);
        if ((status === 403) === mayDo || status >= 500) wrong.push(`${nameOf(door)} as ${role}: ${status}`);
      }
    }
    assert.deepEqual(wrong, []);
  });

  it("of a public project that needs a role is forbidden without one, and the others are open (contract-alerts, roles; reference reliability S77)", async () => {
    const wrong: string[] = [];
    for (const door of doors) {
      const site = siteOf(door);
      const least = site && !isOtherwise(door) ? rowOf(door, site)?.[1] : undefined;
      if (!site || !least || !/project/.test(site.prefix)) continue;
      const { status } = await ask("stan", door, site.at.replace("rocket", "open") + endingOf(door, site));
      // Everybody can read these of public projects (contract-events §5).
      const isOpen = least === "guest" || nameOf(door).endsWith("/merge_requests");
      if ((status === 403) === isOpen) wrong.push(`${nameOf(door)}: ${status}`);
    }
    assert.deepEqual(wrong, []);
  });

  it("of the instance is for administrators; to others its pages do not exist (contract §3; decision 0047)", async () => {
    const wrong: string[] = [];
    for (const door of doors.filter((each) => !siteOf(each) && isOne(ADMINISTRATION, each))) {
      const refused = isApi(door) ? 403 : 404;
      const { status } = await ask("olga", door);
      const ruled = await ask("ada", door);
      const isOpen =
        ruled.status !== 403 && ruled.status < 500 && (ruled.status !== 404 || door.path.includes(":"));
      if (status !== refused || !isOpen) wrong.push(`${nameOf(door)}: ${status} ${ruled.status}`);
    }
    assert.deepEqual(wrong, []);
  });

  it("is closed to blocked people, by token and by session (contract §4, tokens and roles; reference reliability S77)", async () => {
    const blocked = await world.call(`/api/v4/users/${world.ids.gus}/block`, { as: "ada", method: "POST" });
    assert.equal(blocked.status, 201, blocked.text);
    const open: string[] = [];
    for (const door of doors) {
      const site = siteOf(door);
      if (!isApi(door) && !site) continue;
      const reply = await ask("gus", door, site ? site.at + endingOf(door, site) : door.path);
      const leads = "location" in reply ? reply.location : null;
      const isShut = isApi(door)
        ? reply.status === 403 && /account has been blocked/.test(reply.text)
        : leads === "/users/sign_in" || reply.status === 403 || reply.status === 404;
      if (!isShut && !isOtherwise(door)) open.push(`${nameOf(door)}: ${reply.status} ${leads}`);
    }
    assert.deepEqual(open, []);
  });
});
