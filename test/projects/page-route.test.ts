import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fastify from "fastify";
import { createProjectPages, placeOf, segmentsOf } from "../../src/projects/page-route.ts";

const route = (suffix: string) => {
  const [ending = "", ...segments] = suffix.split("/");
  return { ending, segments };
};

async function site() {
  const app = fastify();
  app.setErrorHandler((error, _request, reply) => reply.code(404).send((error as Error).message));
  await app.register(async (pages) => {
    const at = createProjectPages(pages);
    pages.get("/projects/new", async () => "new project");
    at.get("", async (_request, _reply, place) => `overview ${place.projectPath}`);
    at.get(".atom", async (_request, _reply, place) => `feed ${place.projectPath}`);
    at.get(
      "/-/alerts/:iid",
      async (_request, _reply, place) => `alert ${place.params.iid} ${place.projectPath}`,
    );
    at.get("/-/alerts/counts", async () => "counts");
    at.post("/-/alerts/:iid", async (_request, _reply, place) => `changed ${place.params.iid}`);
    at.name(async (_request, _reply, name) => (name === "ada" ? "person ada" : undefined));
    at.name(async (_request, _reply, name) => (name === "acme" ? "group acme" : undefined));
  });
  return async (path: string, method: "GET" | "POST" = "GET") => {
    const { statusCode, body, headers } = await app.inject({ method, url: path });
    return statusCode === 200
      ? body
      : headers.location
        ? `${statusCode} ${headers.location}`
        : String(statusCode);
  };
}

describe("the routes of project pages", () => {
  it("finds a project below any number of groups (decision 0007)", async () => {
    const get = await site();
    assert.equal(await get("/acme/rocket"), "overview acme/rocket");
    assert.equal(await get("/acme/a/b/c/rocket"), "overview acme/a/b/c/rocket");
    assert.equal(await get("/acme/a/rocket/-/alerts/7?x=1"), "alert 7 acme/a/rocket");
    assert.equal(await get("/acme/a/rocket/-/alerts/7", "POST"), "changed 7");
  });

  it("leaves the service's own paths to their pages (reference ux §7)", async () => {
    assert.equal(await (await site())("/projects/new"), "new project");
  });

  it("does not treat the extension of a feed as part of the project's path (contract-events §4, feeds; decision 0007)", async () => {
    assert.equal(await (await site())("/acme/rocket.atom"), "feed acme/rocket");
  });

  it("tries each handler of single-segment paths in turn, people before groups (decision 0007)", async () => {
    const get = await site();
    assert.equal(await get("/ada"), "person ada");
    assert.equal(await get("/acme"), "group acme");
    assert.equal(await get("/nobody"), "404");
  });

  it("finds nothing for unknown suffixes, empty segments and encoded slashes (decision 0007; reference events A10)", async () => {
    const get = await site();
    for (const path of [
      "/acme/rocket/-/nothing",
      "/acme//rocket",
      "/acme/..%2f/rocket",
      "/acme/a%2Frocket",
      "/acme/rocket/-/alerts//",
      "/-/alerts/1",
      "/acme/-/alerts/1",
      "/acme/rock%00et",
    ]) {
      assert.equal(await get(path), "404", path);
    }
  });

  it("decodes the segments of a path (its docstring in src/projects/page-route.ts)", () => {
    assert.deepEqual(segmentsOf("/a/b%20c?d=%"), ["a", "b c"]);
    assert.equal(segmentsOf("/a/%zz"), undefined);
    assert.deepEqual(placeOf(route("/-/x/:name"), ["a", "b", "-", "x", "ü/1"]), {
      projectPath: "a/b",
      params: { name: "ü/1" },
    });
  });
});
