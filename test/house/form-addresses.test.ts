/** Requesting with GET an address that only accepts forms leads to a page. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { doorsOf } from "../support/doors.ts";
import { signedIn, Visitor } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

/** Endpoints for programs: API, OAuth, and the alert receiver. */
const OF_PROGRAMS = /^\/(?:api|oauth|opsgenie|v2|generic|-\/receive)(?:\/|$)/;

/** Their form is on a page whose address is not a prefix. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "/profile/applications/7/revoke": "/profile/applications",
  "/users/password": "/users/password/new",
  "/users/sign_out": "/",
  "/-/metric_images": "/",
  "/acme/rocket/-/settings/archive": "/acme/rocket/-/settings/general",
  "/acme/rocket/-/settings/delete": "/acme/rocket/-/settings/general",
  "/acme/rocket/-/settings/restore": "/acme/rocket/-/settings/general",
};

const addressOf = (path: string) => path.replace(/^\/:project/, "/acme/rocket").replace(/:[a-z_]+/g, "7");

describe("the GET address of a form (reference ux §7, decision 0240)", () => {
  it("redirects to the page with the form, signed in or not, for every form (decision 0240)", async () => {
    const doors = doorsOf(world.app).filter(({ path }) => !OF_PROGRAMS.test(path));
    const looks = doors.filter(({ method }) => method === "GET").map(({ path }) => path);
    const pages = looks.map((path) => new RegExp(`^${addressOf(path).replaceAll("7", "[^/]+")}$`));
    const all = doors.filter(({ method }) => method === "POST");
    assert.ok(all.length > 80, `${all.length} forms`);
    const forms = all.filter(({ path }) => !looks.includes(path));
    for (const visitor of [new Visitor(world.url), await signedIn(world, "olga")]) {
      for (const address of forms.map(({ path }) => addressOf(path))) {
        const { status, location } = await visitor.get(address);
        assert.equal(status, 302, address);
        const isAbove = location !== "/" && location !== "/acme/rocket" && address.startsWith(`${location}/`);
        assert.ok(isAbove || location === ELSEWHERE[address], `${address} leads to ${location}`);
        assert.ok(
          location === "/" || pages.some((page) => page.test(location ?? "")),
          `${location} is a page`,
        );
      }
    }
  });

  it("leads back to the form after an error, also in a subgroup (decision 0240)", async () => {
    const olga = await signedIn(world, "olga");
    const { id } = (await world.call("/api/v4/groups/acme", { as: "olga" })).json;
    const json = { name: "Team", path: "team", parent_id: id };
    assert.equal((await world.call("/api/v4/groups", { as: "olga", json })).status, 201);
    for (const [form, home] of [
      ["/profile/email", "/profile"],
      ["/profile/two_factor/off", "/profile/two_factor"],
      ["/acme/rocket/-/settings/delete", "/acme/rocket/-/settings/general"],
      ["/groups/acme%2Fteam/-/settings/delete", "/groups/acme%2Fteam/-/settings"],
    ] as const) {
      const wrong = await olga.submit(form, { email: "no address", confirm: "x", code: "x" }, home);
      assert.ok([303, 422].includes(wrong.status), `${form} ${wrong.status}`);
      const again = await olga.get(form);
      assert.equal(again.location, home);
      assert.equal((await olga.follow(again)).status, 200);
    }
  });

  it("leads from a refused picture to its alert or incident, and to no other site (decision 0240)", async () => {
    const olga = await signedIn(world, "olga");
    for (const [beside, home] of [
      ["/acme/rocket/-/alerts/7", "/acme/rocket/-/alerts/7"],
      ["/acme/a/rocket/-/incidents/7", "/acme/a/rocket/-/incidents/7"],
      ["//evil.example/-/alerts/7", "/"],
      ["https://evil.example/-/alerts/7", "/"],
      ["/\\\\evil.example/-/alerts/7", "/"],
    ] as const) {
      const { status, location } = await olga.get(`/-/metric_images?beside=${encodeURIComponent(beside)}`);
      assert.deepEqual([status, location], [302, home], beside);
    }
  });

  it("reveals nothing about what exists, and other addresses stay unknown (decision 0240)", async () => {
    const stranger = new Visitor(world.url);
    for (const project of ["acme/rocket", "acme/nothing"]) {
      const { status, location } = await stranger.get(`/${project}/-/settings/operations/test`);
      assert.deepEqual([status, location], [302, `/${project}/-/settings/operations`]);
    }
    const stan = await signedIn(world, "stan");
    for (const address of [
      "/profile/nothing",
      "/acme/rocket/-/nothing",
      "/profile/about/more",
      "//profile/about",
    ]) {
      assert.equal((await stan.get(address)).status, 404, address);
    }
  });
});
