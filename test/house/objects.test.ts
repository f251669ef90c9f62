/** Every address with an id or name, requested by people who do not own the thing. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { integer, row } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { type Door, doorsOf } from "../support/doors.ts";
import { ABSENT, type Estate, type Estates, startEstates, type Thing } from "../support/estates.ts";
import { anApplication, tokenCall } from "../support/oauth.ts";
import { bodiesOf, queryFor } from "../support/operations.ts";
import { contentOf } from "../support/rows.ts";
import { GAPS } from "../support/things-named.ts";
import { told } from "../support/told.ts";
import { until } from "../support/until.ts";
import { Visitor } from "../support/visitor.ts";
import type { World } from "../support/world.ts";

/** Parameters that are secrets or belong to nobody. */
const NO_THINGS: Readonly<Record<string, string>> = {
  "/-/avatars/:file": "initials, which everybody may see",
  "/-/help/:page": "the documents of this version, the same for everybody",
  "/-/help/decisions/:page": "the documents of this version, the same for everybody",
  "/api/v4/audit_events/:id": "of nobody: administrators read all of the log",
  "/api/v4/projects/:id/labels/:label_id": "the same label in every project",
  "/setup/:token": "a secret: whoever has it may",
  "/users/confirmation/:token": "a secret: whoever has it may",
  "/users/invitations/:token": "a secret: whoever has it may",
  "/users/:username": "people, whose year is there for whoever may see their page",
  "/opsgenie/v2/alerts/:identifier": "of the project of the key, which stands in no address",
  "/opsgenie/v2/alerts/:identifier/:action": "a word",
  "/opsgenie/v2/alerts/:identifier/actions/:name": "a word",
  "/opsgenie/v2/alerts/requests/:id": "of the project of the key, which stands in no address",
};

/** Routes that answer for another person's thing, each with its reason. */
const OPEN: readonly [RegExp, string][] = [
  [
    /^GET \/api\/v4\/users\/:id\|:user_id(\/(projects|calendar|events|events\/export))?$/,
    "people are there for whoever is signed in, and tell them what they may see",
  ],
  [/^GET \/api\/v4\/namespaces\/:id\/exists$/, "tells whether a path is taken, as creating it does"],
  [/^GET \/:project\/-\/(alert_management\/:iid\/details|issues\/incident\/:iid)$/, "leads on unseen"],
];
/** Operations for administrators answer 403, whether the thing exists or not. */
const ADMINISTRATORS =
  /^((PUT|DELETE|POST) \/api\/v4\/(projects\/user|users|applications|invitations|namespaces|outside_identities)\/|GET \/api\/v4\/(applications\/:id|issues\/:id|users\/[^/]+\/(memberships|emails))$)/;
/** Forms that redirect to a page which says that there is no such thing. */
const SAID_ON_A_PAGE = /^\/:project.*\/events\/:event_id\/resend$/;
const GAP = /:[a-z_]+(\|:[a-z_]+)*/g;
/** Fields that forms validate before they look up the thing. */
const FIELDS = { name: "Renamed", access_level: "30" };

let estates: Estates;
let world: World;
let stan: Visitor;
/** A token of an application that acts for its own account. */
let botToken: string;
let doors: Door[];
let bodyFor: Awaited<ReturnType<typeof bodiesOf>>;

const nameOf = ({ method, path }: Door) => `${method} ${path}`;
const isApi = ({ path }: Door) => path.startsWith("/api/v4/");
/** The path up to each of its parameters. */
const gapsOf = ({ path }: Door) =>
  [...path.matchAll(GAP)].map(({ 0: gap, index }) => path.slice(0, index + gap.length));

before(async () => {
  estates = await startEstates();
  ({ world, stan } = estates);
  botToken = await aBotToken();
  bodyFor = await bodiesOf(world.app);
  // Unsupported methods are refused whatever the parameters.
  doors = doorsOf(world.app).filter(
    (door) =>
      gapsOf(door).some((gap) => gap in GAPS) &&
      (!isApi(door) || bodyFor(door) !== undefined) &&
      !OPEN.some(([pattern]) => pattern.test(nameOf(door))),
  );
});

async function aBotToken(): Promise<string> {
  const { basic } = await anApplication(world, { owner: null, grantTypes: ["client_credentials"] });
  const form = { grant_type: "client_credentials", scope: "api" };
  const { json } = await tokenCall(world, form, { authorization: basic });
  const { id, bot } = (await world.call("/api/v4/user", { token: json.access_token })).json;
  assert.equal(bot, true);
  // The first use of the day is recorded in the background, and the test compares all rows.
  const used = sql`select 1 as one from users where id = ${id} and last_activity_on is not null`;
  await until(() => world.platform.db.find(row({ one: integer }), used));
  return json.access_token;
}

/** The address with the first `own` parameters from Stan's estate, and the others from another one. */
function addressOf(door: Door, own: number, others: Estate): string {
  const gaps = gapsOf(door);
  let n = 0;
  return door.path.replace(GAP, () => {
    const named = GAPS[gaps[n] ?? ""] as Thing;
    // This revokes what was allowed to another person's application.
    const thing = door.path.endsWith("/revoke") && named === "application" ? "allowed" : named;
    const value = (n++ < own ? estates.mine : others)[thing];
    return thing === "projectPath" ? value : encodeURIComponent(value);
  });
}

type Who = "stan" | "nobody" | "bot";

/** The status, and the text of the response and of the page that a form redirects to. */
async function ask(door: Door, address: string, who: Who): Promise<{ status: number; told: string }> {
  const reply = await send(door, address, who);
  const leads = who === "stan" && reply.status === 303;
  const next = leads ? await stan.get(reply.headers.get("location") ?? "") : undefined;
  return { status: reply.status, told: told(reply, address, next) };
}

function send(door: Door, address: string, who: Who) {
  const { method } = door;
  if (isApi(door)) {
    const key = who === "bot" ? { token: botToken } : who === "stan" ? { as: "stan" as const } : {};
    const body = method === "GET" ? {} : { json: bodyFor(door) };
    return world.call(address + queryFor(address), { method, ...key, ...body });
  }
  const browser = who === "stan" ? stan : new Visitor(world.url);
  return method === "GET" ? browser.get(address) : browser.post(address, FIELDS);
}

describe("every path parameter that identifies a thing", () => {
  it("is in this table, and the table has no others (reference reliability S79)", () => {
    const live = new Set(doorsOf(world.app).flatMap(gapsOf));
    assert.deepEqual([...live].sort(), [...Object.keys(GAPS), ...Object.keys(NO_THINGS)].sort());
  });

  it("gets the same response for another person's thing as for a missing one, also below one's own, and nothing is changed (contract §4, visibility; reference reliability S78, S79)", async () => {
    await stan.get("/projects");
    const before = await contentOf(world);
    const wrong: string[] = [];
    for (const door of doors) {
      for (const who of ["stan", "nobody", "bot"] as const) {
        if (who === "bot" && !isApi(door)) continue;
        const most = who === "stan" ? gapsOf(door).length : 1;
        for (let own = 0; own < most; own++) {
          const theirs = await ask(door, addressOf(door, own, estates.theirs), who);
          const absent = await ask(door, addressOf(door, own, ABSENT), who);
          const expected = ADMINISTRATORS.test(nameOf(door))
            ? 403
            : SAID_ON_A_PAGE.test(door.path) && own === 2
              ? 303
              : 404;
          const fits = who === "nobody" || theirs.status === expected;
          const isSame = theirs.told === absent.told;
          const statuses = `${theirs.status} ${absent.status}${isSame ? "" : ", which tell apart"}`;
          if (!isSame || !fits) wrong.push(`${nameOf(door)} as ${who}, ${own} own: ${statuses}`);
        }
      }
    }
    assert.deepEqual(wrong, []);
    const after = await contentOf(world);
    for (const [table, rows] of Object.entries(before)) assert.equal(after[table], rows, table);
  });

  it("is found for its owner, which shows that the requests above were valid (reference reliability S79)", async () => {
    const ends = ({ method, path }: Door) =>
      method === "DELETE" || /\/(delete|remove|withdraw|end)$/.test(path);
    const isOfPlace = (door: Door) =>
      /^(group|project)(Path)?$/.test(GAPS[gapsOf(door).at(-1) ?? ""] as Thing);
    const asked = doors
      .filter((door) => !door.path.endsWith("/stream") && (door.method === "GET" || !isOfPlace(door)))
      .sort((a, b) => Number(ends(a)) - Number(ends(b)) || Number(isApi(a)) - Number(isApi(b)));
    const reached = new Set<string>();
    for (const door of asked) {
      const address = addressOf(door, Number.POSITIVE_INFINITY, ABSENT);
      const { status } = await ask(door, address, "stan");
      const thing = door.path.endsWith("/revoke") ? "allowed" : GAPS[gapsOf(door).at(-1) ?? ""];
      if (status < 400) reached.add(thing as Thing);
    }
    assert.deepEqual([...reached].sort(), Object.keys(ABSENT).sort());
  });
});
