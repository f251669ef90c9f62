/** The explorer at `/-/docs` shows what `/openapi.json` says. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { before, describe, it } from "node:test";
import { isAbout, operationsOf } from "../../src/operations/operation.ts";
import { launchBrowser } from "../support/browser.ts";
import { whenDone } from "../support/cleanup.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

describe("GET /-/docs", () => {
  it("shows every operation of the OpenAPI document to anybody (contract §2)", async () => {
    const { text, status, headers } = await world.call("/-/docs");
    assert.equal(status, 200);
    assert.match(headers.get("content-security-policy") ?? "", /script-src 'self'/);
    const { paths } = (await world.call("/openapi.json")).json as {
      paths: Record<string, Record<string, unknown>>;
    };
    let count = 0;
    for (const [path, methods] of Object.entries(paths)) {
      for (const method of Object.keys(methods)) {
        assert.ok(text.includes(`Command for ${method.toUpperCase()} ${path}"`), `${method} ${path}`);
        count++;
      }
    }
    assert.ok(count > 30, `${count} operations`);
    assert.match(text, /Scopes, any one of: [a-z_]+, /);
  });

  it("finds by words and opens few results (reference ux 1)", async () => {
    const { text } = await world.call("/-/docs?q=POST+rotate+personal");
    assert.match(text, /<details class="more mt-s" id="post-api-v4-personal-access-tokens-id-rotate" open>/);
    assert.doesNotMatch(text, /id="get-api-v4-user"/);
  });

  it("says so when nothing is found, and shows hostile words as text", async () => {
    const { text } = await world.call(`/-/docs?q=${encodeURIComponent('<b>"x')}`);
    assert.match(text, /No operation is like that/);
    assert.ok(!text.includes("<b>"));
    assert.equal((await world.call("/-/docs?q=a&q=b")).status, 200);
  });

  it("is accessible, and keeps the page policy (reference ux 5)", async () => {
    const browser = await launchBrowser();
    whenDone(() => browser.close());
    for (const width of [1280, 390]) {
      const page = await (await browser.newContext({ viewport: { width, height: 900 } })).newPage();
      const complaints: string[] = [];
      page.on("console", (message) => void (message.type() === "error" && complaints.push(message.text())));
      await page.goto(`${world.url}/-/docs?q=members`);
      await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })");
      assert.deepEqual(complaints, []);
      await page.evaluate(axe);
      const found = (await page.evaluate(
        "axe.run().then((result) => result.violations.map((one) => one.id + ': ' + one.nodes[0].html))",
      )) as string[];
      assert.deepEqual(found, [], `at ${width}`);
      const over = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      assert.ok((over as number) <= 0, `nothing runs out of the page at ${width}`);
    }
  });
});

describe("an operation", () => {
  const [operation] = operationsOf({
    servers: [{ url: "https://gatehouse.example.org" }],
    paths: {
      "/api/v4/things/{id}": {
        put: {
          tags: ["things"],
          security: [{ bearer: [] }],
          parameters: [
            { name: "why", in: "query", required: true, schema: { type: "string", default: "it's so" } },
            { name: "id", in: "path", required: true, schema: { type: "string" } },
          ],
          requestBody: {
            content: {
              "application/json": {
                schema: {
                  type: "object",
                  required: ["name", "level", "tags"],
                  properties: {
                    name: { type: "string", description: "what it is called" },
                    level: { enum: [10, 20] },
                    tags: { type: "array", items: { type: "integer", minimum: 3 } },
                    note: { anyOf: [{ type: "string" }, { type: "null" }] },
                  },
                },
              },
            },
          },
        },
      },
    },
  });
  assert.ok(operation);

  it("has its fields, path first, with types in words", () => {
    assert.deepEqual(
      operation.fields.map(({ name, place, type, required }) => [name, place, type, required]),
      [
        ["id", "path", "string", true],
        ["why", "query", "string", true],
        ["name", "body", "string", true],
        ["level", "body", "10 | 20", true],
        ["tags", "body", "list of integer", true],
        ["note", "body", "string or null", false],
      ],
    );
  });

  it("has a command that a shell reads as it is meant", () => {
    const said = execFileSync("sh", ["-c", operation.command.replace(/^curl/, 'printf "%s\\n"')], {
      env: { TOKEN: "t" },
      encoding: "utf8",
    });
    assert.deepEqual(said.trimEnd().split("\n"), [
      "--request",
      "PUT",
      "--header",
      "Authorization: Bearer t",
      "--header",
      "Content-Type: application/json",
      "--data",
      '{"name":"…","level":10,"tags":[3]}',
      "https://gatehouse.example.org/api/v4/things/1?why=it's%20so",
    ]);
  });

  it("is about a query when every word stands in it", () => {
    assert.ok(isAbout(operation, "put THINGS"));
    assert.ok(isAbout(operation, "level"));
    assert.ok(!isAbout(operation, "put people"));
  });
});
