/** The committed OpenAPI document matches the routes. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { describedApi } from "../../scripts/described-api.ts";

test("openapi.json is what the routes generate (house §2.7)", async () => {
  assert.equal(readFileSync("openapi.json", "utf8"), await describedApi(), "run: npm run openapi");
});

test("API operations are below /api/v4, OAuth operations at the root (spec: Endpoints)", async () => {
  const { paths } = JSON.parse(await describedApi()) as { paths: Record<string, unknown> };
  const all = Object.keys(paths);
  assert.ok(all.includes("/api/v4/events") && all.includes("/oauth/token"));
  for (const path of all) assert.match(path, /^\/(api\/v4|oauth|\.well-known|-)\//);
});

test("every operation lists its responses by exact status (decision 0074)", async () => {
  const { paths } = JSON.parse(await describedApi()) as {
    paths: Record<string, Record<string, { responses: Record<string, unknown> }>>;
  };
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { responses }] of Object.entries(methods)) {
      const said = Object.keys(responses);
      assert.ok(said.length > 0, `${method} ${path}`);
      for (const status of said) assert.match(status, /^[2-5]\d\d$/, `${method} ${path}`);
    }
  }
});

test("every operation of the API and of OAuth says that it may be refused for its rate or an outage (decision 0074; contract §4)", async () => {
  interface Response {
    $ref?: string;
    headers?: Record<string, unknown>;
  }
  const { paths, components } = JSON.parse(await describedApi()) as {
    paths: Record<string, Record<string, { responses: Record<string, Response> }>>;
    components: { responses: Record<string, Response> };
  };
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { responses }] of Object.entries(methods)) {
      for (const status of ["429", "503"]) {
        const said = responses[status];
        if (!said && path.startsWith("/-/")) continue;
        assert.ok(said, `${status} of ${method} ${path}`);
        const { headers } = said.$ref
          ? (components.responses[said.$ref.split("/").at(-1) ?? ""] ?? {})
          : said;
        assert.ok(headers?.["Retry-After"], `Retry-After of ${status} of ${method} ${path}`);
      }
    }
  }
});

test("every operation says that it may be refused as invalid, as are addresses over 8 KiB (decision 0074; reference reliability A18)", async () => {
  const { paths } = JSON.parse(await describedApi()) as {
    paths: Record<string, Record<string, { responses: Record<string, unknown> }>>;
  };
  for (const [path, methods] of Object.entries(paths))
    for (const [method, { responses }] of Object.entries(methods))
      assert.ok(responses["400"], `400 of ${method} ${path}`);
});

test("operations that work without a token are described so (events: Read)", async () => {
  const { paths } = JSON.parse(await describedApi()) as {
    paths: Record<string, Record<string, { security?: Record<string, unknown>[]; description?: string }>>;
  };
  const isOptional = (path: string) =>
    paths[path]?.get?.security?.some((one) => Object.keys(one).length === 0);
  for (const path of ["/api/v4/projects", "/api/v4/projects/{id}/events", "/api/v4/groups/{id}"]) {
    assert.equal(isOptional(path), true, path);
    assert.match(paths[path]?.get?.description ?? "", /A token may be left out/);
  }
  for (const path of ["/api/v4/user", "/api/v4/events"]) assert.equal(isOptional(path), false, path);
});

interface Operation {
  security?: Record<string, unknown>[];
  description?: string;
  requestBody?: { required: boolean; content: Record<string, unknown> };
}

test("operations that refuse everybody without a token demand one, whatever place decides on the refusal (contract-alerts, roles)", async () => {
  const { paths } = JSON.parse(await describedApi()) as { paths: Record<string, Record<string, Operation>> };
  const alerts = Object.entries(paths).filter(([path]) => path.includes("/alert_management_alerts"));
  assert.ok(alerts.length >= 5, `${alerts.length} paths`);
  for (const [path, methods] of alerts) {
    for (const [method, { security = [], description = "" }] of Object.entries(methods)) {
      assert.ok(security.length > 0 && security.every((one) => Object.keys(one).length > 0), method + path);
      assert.doesNotMatch(description, /may be left out/, method + path);
    }
  }
});

test("userinfo documents the form that may carry the token, and needs no body (RFC 6750 §2.2; OpenID Connect Core §5.3.1)", async () => {
  const { paths } = JSON.parse(await describedApi()) as { paths: Record<string, Record<string, Operation>> };
  const { requestBody } = paths["/oauth/userinfo"]?.post ?? {};
  assert.equal(requestBody?.required, false);
  assert.deepEqual(Object.keys(requestBody.content), ["application/x-www-form-urlencoded"]);
});

test("applications authenticate by HTTP Basic or in the body, token information takes a token (RFC 6749 §2.3.1; spec: Token information)", async () => {
  const { paths, components } = JSON.parse(await describedApi()) as {
    paths: Record<string, Record<string, Operation>>;
    components: { securitySchemes: Record<string, { type: string; scheme?: string }> };
  };
  const { basic, ...byToken } = components.securitySchemes;
  assert.deepEqual([basic?.type, basic?.scheme], ["http", "basic"]);
  for (const name of ["token", "revoke", "introspect", "par", "authorize_device"])
    assert.deepEqual(paths[`/oauth/${name}`]?.post?.security, [{ basic: [] }, {}], name);
  assert.deepEqual(
    paths["/oauth/token/info"]?.get?.security,
    Object.keys(byToken).map((scheme) => ({ [scheme]: [] })),
  );
});

test("bodies that a route parses itself are described (contract-events §2, §3)", async () => {
  const { paths } = JSON.parse(await describedApi()) as { paths: Record<string, Record<string, Operation>> };
  const typesOf = (path: string) => Object.keys(paths[path]?.post?.requestBody?.content ?? {});
  assert.deepEqual(typesOf("/api/v4/events/bulk"), ["application/json", "application/x-ndjson"]);
  assert.deepEqual(typesOf("/api/v4/projects/{id}/event_sources/{identifier}/receive"), [
    "application/json",
    "application/x-www-form-urlencoded",
    "application/cloudevents+json",
    "application/cloudevents-batch+json",
  ]);
});

test("request headers that an operation reads are described (decision 0074; contract-events §2, §4)", async () => {
  const { paths } = JSON.parse(await describedApi()) as {
    paths: Record<string, Record<string, { parameters?: { name: string; in: string }[] }>>;
  };
  const read: Record<string, string[]> = {};
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { parameters = [] }] of Object.entries(methods)) {
      for (const { name } of parameters.filter((one) => one.in === "header"))
        read[name] = [...(read[name] ?? []), `${method} ${path.replace("/api/v4", "")}`];
    }
  }
  assert.deepEqual(read, {
    DPoP: ["post /oauth/token", "post /oauth/par"],
    "If-None-Match": ["", "/users/{id}", "/projects/{id}", "/groups/{id}"].map(
      (place) => `get ${place}/events`,
    ),
    "Last-Event-ID": ["get /events/stream", "get /projects/{id}/events/stream"],
    "Idempotency-Key": ["post /projects/{id}/events", "post /projects/{id}/pushes"],
  });
});
