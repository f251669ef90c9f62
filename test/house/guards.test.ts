import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { type Door, doorsOf } from "../support/doors.ts";
import { signedIn, Visitor } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let doors: Door[];
/** A private group with a private project. */
let hidden: { group: string; project: string; path: string };

before(async () => {
  world = await startWorld();
  doors = doorsOf(world.app);
  const group = await world.call("/api/v4/groups", { as: "olga", json: { name: "Vault", path: "vault" } });
  const json = { name: "core", namespace_id: group.json.id };
  const project = await world.call("/api/v4/projects", { as: "olga", json });
  hidden = { group: String(group.json.id), project: String(project.json.id), path: "vault/core" };
});

const isOfProject = ({ path }: Door) => path.startsWith("/api/v4/projects/:id");
const isOfGroup = ({ path }: Door) => path.startsWith("/api/v4/groups/:id");
const isApi = ({ path }: Door) => path.startsWith("/api/v4/");
const isPage = ({ path }: Door) => path.startsWith("/:project");
const nameOf = ({ method, path }: Door) => `${method} ${path}`;

/** The address of a route, with a project or group for the first parameter and `1` for the others. */
function addressOf(door: Door, at: typeof hidden): string {
  const first = isOfProject(door) ? at.project : isOfGroup(door) ? at.group : "1";
  return door.path
    .replace(/^\/:project/, `/${at.path}`)
    .replace(/:[a-z_]+(\|:[a-z_]+)*/, first)
    .replace(/:[a-z_]+(\|:[a-z_]+)*/g, "1");
}

/** A former address redirects to another one, whatever is behind it. */
const leadsOn = (door: Door, status: number) => isPage(door) && status === 301;

/** Routes that answer without a token or session, each with its reason. */
const OPEN_TO_NOBODY: Readonly<Record<string, string>> = {
  "GET /api/v4/projects": "lists what is public",
  "GET /api/v4/groups": "lists what is public",
  "POST /api/v4/leak_reports": "whoever has a secret may end it (decision 0208)",
  "POST /oauth/authorize": "a form: without its session it is refused as too old",
  "DELETE /oauth/authorize": "a form: without its session it is refused as too old",
  "POST /oauth/logout": "a question from elsewhere is asked again by GET; a form of ours wants its session",
  "GET /oauth/logout": "says that nobody is signed in",
  "GET /oauth/authorize": "says what is wrong with the request before it asks who is there",
  "POST /oauth/token": "authenticates the application by itself",
  "GET /.well-known/oauth-authorization-server": "metadata",
  "GET /.well-known/openid-configuration": "metadata",
  "POST /oauth/register": "programs register themselves there, once administrators let them",
  "GET /.well-known/webfinger": "metadata, the same for everybody",
  "GET /.well-known/oauth-protected-resource": "metadata",
  "GET /.well-known/oauth-protected-resource/api/v4": "metadata",
  "GET /oauth/discovery/keys": "public keys",
  ...Object.fromEntries(
    ["v2/enqueue", "v2/change/enqueue", "generic/2010-04-15/create_event.json"].flatMap((path) =>
      ["", "/"].map((slash) => [`POST /${path}${slash}`, "the key is in the body, which is judged first"]),
    ),
  ),
  "GET /openapi.json": "the description of the API",
  "GET /-/docs": "the explorer of the description",
  "GET /-/help": "the documents of this version",
  "GET /-/liveness": "for whatever watches the process",
  "GET /-/readiness": "for whatever watches the process",
  "GET /-/metrics": "for whatever watches the process",
  "GET /projects": "lists what is public",
  "GET /groups": "lists what is public",
  "GET /users/sign_in": "the way in",
  "GET /users/sign_up": "the way in for who has no account",
  "GET /users/password/new": "the way in for who forgot the password",
};

describe("every route of the service", () => {
  it("is found in the router (house §2.10)", () => {
    assert.ok(doors.length > 100, `${doors.length} doors`);
    assert.ok(doors.some(isPage) && doors.some(isOfProject) && doors.some(isOfGroup));
  });

  it("refuses requests without authentication, unless it is on the list of open routes (reference reliability S77)", async () => {
    const open: string[] = [];
    for (const door of doors) {
      const visitor = new Visitor(world.url);
      const address = addressOf(door, hidden);
      const reply =
        door.method === "GET"
          ? await visitor.get(address)
          : await world.call(address, { method: door.method, form: {} });
      const location = "location" in reply ? reply.location : reply.headers.get("location");
      const refused =
        [401, 403, 404, 405].includes(reply.status) ||
        location === "/users/sign_in" ||
        leadsOn(door, reply.status);
      // Alert endpoints in the format of other tools parse the body first, because it contains the key.
      if (!refused && !(nameOf(door) in OPEN_TO_NOBODY) && !address.startsWith("/-/assets/")) {
        open.push(`${nameOf(door)} ${reply.status}`);
      }
    }
    assert.deepEqual(open, []);
  });

  it("of the API requires more than the scope profile (reference reliability S80)", async () => {
    const token = await world.tokenOf("olga", "profile");
    const served: string[] = [];
    for (const door of doors.filter((each) => isApi(each) && !each.path.endsWith("/self"))) {
      const options = { method: door.method, token, ...(door.method === "GET" ? {} : { json: {} }) };
      const { status, json } = await world.call(addressOf(door, hidden), options);
      const refused = status === 405 || (status === 403 && json?.error === "insufficient_scope");
      // The credential is in the body, which is validated first.
      const proves = door.path.endsWith("/receive") || door.path === "/api/v4/leak_reports";
      if (!refused && !proves) served.push(`${nameOf(door)} ${status}`);
    }
    assert.deepEqual(served, []);
  });

  it("that takes a form refuses it without the session's CSRF token (reference reliability S65)", async () => {
    const olga = await signedIn(world, "olga");
    const taken: string[] = [];
    for (const door of doors.filter(
      (each) =>
        each.method === "POST" &&
        !isApi(each) &&
        !each.path.startsWith("/oauth/") &&
        !/^\/(-\/receive|v2|generic|opsgenie)/.test(each.path),
    )) {
      const { status } = await olga.post(addressOf(door, hidden), { csrf_token: "not the token" });
      if (status !== 403 && status !== 405) taken.push(`${nameOf(door)} ${status}`);
    }
    assert.deepEqual(taken, []);
    assert.equal((await olga.get("/")).status, 200, "still signed in");
  });
});
