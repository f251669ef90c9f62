/** Generated requests to every page, form and link, as offered and with parts changed, by people who are signed in. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sessionCookieName } from "../../src/accounts/session.ts";
import { sql } from "../../src/platform/sql.ts";
import { type Door, doorsOf } from "../support/doors.ts";
import { type Estate, startEstates } from "../support/estates.ts";
import { type Offer, offersOf, requestsFor } from "../support/generated-forms.ts";
import { GeneratedRuns } from "../support/generated-runs.ts";
import { thingNamed } from "../support/things-named.ts";
import { signedIn, type Visitor } from "../support/visitor.ts";
import "../support/no-proto.ts";
import type { Person, World } from "../support/world.ts";

const EACH = 5;
/** Endpoints for programs. */
const OF_PROGRAMS =
  /^\/(?:api|opsgenie|v2|generic|-\/receive|-\/liveness|-\/readiness|-\/metrics|openapi\.json|oauth\/(?!authorize|device|logout)|\.well-known)(?:\/|$)/;
const GAP = /:[a-z_]+(\|:[a-z_]+)*/g;

test("5 generated requests to every page, form and link for Olga and Ada get no 5xx, and a page or JSON that explains refusals (reference reliability A18)", async (t) => {
  const { world, theirs } = await startEstates();
  const runs = new GeneratedRuns(world);
  const doors = doorsOf(world.app).filter(({ path }) => !OF_PROGRAMS.test(path));
  for (const person of ["olga", "ada"] as const) {
    let visitor = await signIn(world, person);
    for (const offer of await offersTo(visitor, doors, theirs)) {
      const cookie = `${sessionCookieName(false)}=${visitor.cookie(sessionCookieName(false))}`;
      const requests = requestsFor(offer, visitor.csrfToken).map((one) => ({
        ...one,
        headers: { cookie, ...one.headers },
      }));
      await runs.ask(`${offer.method} ${offer.address} as ${person}`, requests, EACH);
      // Some forms end the session, or the account.
      if ((await visitor.get("/profile")).status !== 200) visitor = await signIn(world, person);
    }
  }
  await runs.assertNoFault(t, 3500);
});

/** Signs in whatever happened to the account meanwhile. */
async function signIn(world: World, person: Person): Promise<Visitor> {
  const { db } = world.platform;
  const id = world.ids[person];
  await db.run(sql`delete from passkeys where user_id = ${id}`);
  await db.run(sql`update users set state = 'active', username = ${person}, totp_sealed = null, totp_confirmed_at = null,
    password_hash = (select password_hash from users where id = ${world.ids.gus}) where id = ${id}`);
  return signedIn(world, person);
}

/** Everything that the pages of an estate offer, once each; what only reads comes first. */
async function offersTo(visitor: Visitor, doors: readonly Door[], estate: Estate): Promise<Offer[]> {
  const offers = new Map<string, Offer>();
  const add = (one: Offer) => {
    const kind = `${one.method} ${one.address.replace(/\d+/g, "0")} ${one.fields.map(([name]) => name)}`;
    if (!offers.has(kind)) offers.set(kind, one);
  };
  for (const door of doors) {
    const address = addressOf(door, estate);
    add({ method: door.method, address, fields: [] });
    if (door.method !== "GET" || /stream/.test(door.path)) continue;
    for (const one of offersOf((await visitor.get(address)).text, address)) add(one);
  }
  assert.ok(offers.size > doors.length, `${offers.size} offers`);
  return [...offers.values()].sort((a, b) => a.method.localeCompare(b.method));
}

function addressOf({ path }: Door, estate: Estate): string {
  return path.replace(GAP, (gap, _more, at: number) => {
    const thing = thingNamed(path.slice(0, at) + gap);
    const value = thing ? estate[thing] : "1";
    return thing === "projectPath" ? value : encodeURIComponent(value);
  });
}
