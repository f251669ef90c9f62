/** The API explorer at `/-/docs` shows the content of `/openapi.json`. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { before, describe, it } from "node:test";
import { isAbout, operationsOf } from "../../src/operations/operation.ts";
import { launchBrowser } from "../support/browser.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

describe("GET /-/docs", () => {
  it("links to every operation of the OpenAPI document, each of which is public (contract §2)", async () => {
    const { text, status, headers } = await world.call("/-/docs");
    assert.equal(status, 200);
    assert.match(headers.get("content-security-policy") ?? "", /script-src 'self'/);
    const { components, paths } = (await world.call("/openapi.json")).json as {
      components: { schemas: Record<string, unknown> };
      paths: Record<string, Record<string, unknown>>;
    };
    const links = new Map(
      [...text.matchAll(/>([A-Z]+)<\/span> <a [^>]*href="([^"]+)"><code>([^<]+)</g)].map(
        ([, method, href, path]) => [`${method} ${path}`, href],
      ),
    );
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    assert.ok(operations.length > 30, `${operations.length} operations`);
    assert.deepEqual([...links.keys()].sort(), operations.sort());
    const inTags = /<t[dh][^>]*>[^<]*`/;
    assert.doesNotMatch(text, inTags, "text in backticks is shown as code");
    const records = new Set<string>();
    for (const [operation, href] of links) {
      const page = await world.call(href ?? "");
      assert.equal(page.status, 200, operation);
      assert.ok(page.text.includes(`Command for ${operation}"`), operation);
      assert.ok(page.text.includes(`>Answers of ${operation}<`), operation);
      assert.doesNotMatch(page.text, inTags, operation);
      for (const [, name = ""] of page.text.matchAll(/ id="record-([^"]+)"/g)) records.add(name);
    }
    for (const name of Object.keys(components.schemas)) assert.ok(records.has(name), name);
  });

  it("is in the navigation of the help pages (ux §7, help)", async () => {
    for (const path of ["/-/docs", "/-/docs?q=events"]) {
      const { text } = await world.call(path);
      assert.match(text, /<a href="\/-\/help">Help<\/a>/, path);
      const nav = /<nav[^>]*aria-label="Help"[\s\S]*?<\/nav>/.exec(text)?.[0] ?? "";
      assert.match(nav, /href="\/-\/help\/alerts"/, path);
      assert.match(nav, /href="\/-\/docs"[^>]*aria-current="page"/, path);
    }
  });

  it("answers 404 for an unknown operation (contract §2)", async () => {
    for (const query of ["operation=get-nothing", "operation=", "operation=a&operation=b"]) {
      const { status, text } = await world.call(`/-/docs?${query}`);
      assert.equal(status, 404, query);
      assert.match(text, /No matching operation/);
    }
  });

  it("finds operations by words, and opens them when there are few (reference ux 1)", async () => {
    const { text } = await world.call("/-/docs?q=POST+rotate+personal");
    assert.match(text, /<details class="more mt-s" id="post-api-v4-personal-access-tokens-id-rotate" open>/);
    assert.doesNotMatch(text, /id="get-api-v4-user"/);
  });

  it("shows responses and their fields, and every link leads to an anchor on the page (contract §2)", async () => {
    const { components } = (await world.call("/openapi.json")).json;
    for (const query of ["q=GET+alert_settings", "operation=get-api-v4-projects-id-alert-settings"]) {
      const { text } = await world.call(`/-/docs?${query}`);
      const places = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
      const links = [...text.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id);
      assert.ok(links.includes("record-AlertSettings") && links.includes("refusals"), query);
      assert.deepEqual(
        links.filter((id) => !places.has(id)),
        [],
      );
      for (const word of Object.keys(components.schemas.AlertSettings.properties)) {
        assert.match(text, new RegExp(`<code>${word}</code>`));
      }
      assert.doesNotMatch(text, / id="record-Incident"/);
    }
  });

  it("shows many results with one line each, so that a phone can load them (reference ux 1)", async () => {
    for (const query of ["", "?q=alert"]) {
      const { text } = await world.call(`/-/docs${query}`);
      assert.ok(text.length < 150_000, `${text.length} characters`);
      assert.doesNotMatch(text, /<details|Command for/);
      assert.match(text, /The integration is gone/);
    }
  });

  it("says so when nothing is found, and escapes hostile text (reference ux §8; reference reliability S69)", async () => {
    const { text } = await world.call(`/-/docs?q=${encodeURIComponent('<b>"x')}`);
    assert.match(text, /No matching operation/);
    assert.ok(!text.includes("<b>"));
    assert.equal((await world.call("/-/docs?q=a&q=b")).status, 200);
  });

  it("is accessible, and complies with the content security policy (reference ux 5)", async () => {
    const browser = await launchBrowser();
    for (const width of [1280, 390]) {
      const page = await (await browser.newContext({ viewport: { width, height: 900 } })).newPage();
      const complaints: string[] = [];
      page.on("console", (message) => void (message.type() === "error" && complaints.push(message.text())));
      for (const query of ["", "?q=members", "?operation=post-api-v4-projects-id-members"]) {
        await page.goto(`${world.url}/-/docs${query}`);
        await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })");
        assert.deepEqual(complaints, []);
        await page.evaluate(axe);
        const found = (await page.evaluate(
          "axe.run().then((result) => result.violations.map((one) => one.id + ': ' + one.nodes[0].html))",
        )) as string[];
        assert.deepEqual(found, [], `${query} at ${width}`);
        const over = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
        assert.ok((over as number) <= 0, `${query} does not overflow at ${width}`);
      }
    }
  });
});

describe("an operation", () => {
  const [operation] = operationsOf({
    servers: [{ url: "https://gatehouse.example.org" }],
    components: {
      responses: {
        Status404: {
          description: "It is not there",
          content: { "application/json": { schema: { $ref: "#/components/schemas/Message" } } },
        },
      },
    },
    paths: {
      "/api/v4/things/{id}": {
        put: {
          tags: ["things"],
          security: [{ bearer: [] }],
          parameters: [
            { name: "why", in: "query", required: true, schema: { type: "string", default: "it's so" } },
            { name: "id", in: "path", required: true, schema: { type: "string" } },
          ],
          responses: {
            200: {
              description: "The things",
              content: {
                "application/json": {
                  schema: { type: "array", items: { $ref: "#/components/schemas/Thing" } },
                },
                "text/csv": { schema: { type: "string" } },
              },
            },
            204: { description: "Done" },
            404: { $ref: "#/components/responses/Status404" },
          },
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

  it("has its responses, with references resolved (decision 0074)", () => {
    assert.deepEqual(
      operation.answers.map(({ status, body, description, records }) => [status, body, description, records]),
      [
        ["200", "list of Thing, or text/csv", "The things", ["Thing"]],
        ["204", undefined, "Done", []],
        ["404", "Message", "It is not there", ["Message"]],
      ],
    );
  });

  it("has its fields, path parameters first, with types in words (decision 0074)", () => {
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

  it("has a command that the shell parses correctly (decision 0074)", () => {
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

  it("has a sample with a row for a body that is a list, whose members are those of its rows (decision 0208)", () => {
    const row = { type: "object", required: ["token"], properties: { token: { type: "string" }, url: {} } };
    const [reports] = operationsOf({
      paths: {
        "/leaks": {
          post: {
            requestBody: { content: { "application/json": { schema: { type: "array", items: row } } } },
          },
        },
      },
    });
    assert.match(reports?.command ?? "", /--data '\[\{"token":"…"\}\]'/);
    assert.deepEqual(
      reports?.fields.map(({ name, place, required }) => [name, place, required]),
      [
        ["token", "body, each row", true],
        ["url", "body, each row", false],
      ],
    );
  });

  it("says what it needs, and its command has that: a token, an application's credentials, or neither (RFC 6749 §2.3.1; RFC 6750 §2.1)", async () => {
    const { text } = await world.call("/openapi.json");
    const all = operationsOf(JSON.parse(text));
    for (const [path, method, proof, part] of [
      ["/oauth/token/info", "GET", "token", '--header "Authorization: Bearer $TOKEN"'],
      ["/oauth/token", "POST", "application", '--user "$CLIENT_ID:$CLIENT_SECRET"'],
      ["/oauth/revoke", "POST", "application", "--data-urlencode 'token=…'"],
      ["/api/v4/projects", "GET", "maybe token", '--header "Authorization: Bearer $TOKEN"'],
      ["/api/v4/leak_reports", "POST", "none", `--data '[{"token":"…"}]'`],
      ["/api/v4/events/bulk", "POST", "token", `--data '[{"action":"`],
      ["/-/liveness", "GET", "none", "curl"],
    ] as const) {
      const found = all.find((one) => one.path === path && one.method === method);
      assert.equal(found?.proof, proof, path);
      assert.ok(found.command.includes(part), found.command);
      assert.equal(found.command.includes("$TOKEN"), proof.endsWith("token"), path);
      const page = await world.call(`/-/docs?operation=${found.id}`);
      const lead = {
        token: /Calls need a token:/,
        "maybe token": /Calls may have a token:/,
        application: /Calls come from an <a href="\/profile\/applications">application<\/a>/,
        none: /Calls need no token/,
      }[proof];
      assert.match(page.text, lead, path);
    }
  });

  it("matches a query if it contains every word (decision 0074)", () => {
    assert.ok(isAbout(operation, "put THINGS"));
    assert.ok(isAbout(operation, "level"));
    assert.ok(!isAbout(operation, "put people"));
  });
});
