/** The alert endpoints: their addresses, keys and limits, and the order of refusals. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { sql } from "../../src/platform/sql.ts";
import { aSource, type Source } from "../support/alerts.ts";
import { stopsMeasuring } from "../support/measuring.ts";
import { type Reply, startWorld, type World } from "../support/world.ts";

let world: World;
let generic: Source;
let named: Source;
let metrics: Source;
before(async () => {
  world = await startWorld();
  generic = await aSource(world);
  named = await aSource(world, "http", { name: "Yard sensors" });
  metrics = await aSource(world, "prometheus");
});

const bearer = (key: string) => ({ authorization: `Bearer ${key}`, "content-type": "application/json" });
const post = (path: string, headers: Record<string, string>, body: string | Uint8Array = '{"title":"x"}') =>
  world.call(path, { method: "POST", headers, body });

describe("addresses", () => {
  test("the .json suffix and a trailing slash are optional, and the name in the path does not matter (reference alerts A1; spec: POST alert endpoint 1)", async () => {
    const bare = (path: string) => path.replace(/\.json$/, "");
    for (const path of [generic.path, bare(generic.path), `${bare(generic.path)}/`, `${generic.path}/`]) {
      assert.equal((await post(path, bearer(generic.key))).status, 200, path);
    }
    const renamed = named.path.replace("yard-sensors", "anything");
    for (const path of [named.path, bare(named.path), renamed, `${renamed}/`]) {
      assert.equal((await post(path, bearer(named.key))).status, 200, path);
    }
    assert.equal((await post(metrics.path, bearer(metrics.key))).status, 200);
    assert.equal((await post("/ACME/Rocket/alerts/notify.json", bearer(generic.key))).status, 200);
  });

  test("the address is read from the right, so that a project and its groups may have the names in it (reference alerts A1; contract §1, alert receiver)", async () => {
    const group = async (path: string, parent_id?: number): Promise<number> => {
      const made = await world.call("/api/v4/groups", { as: "olga", json: { name: path, path, parent_id } });
      return made.json.id;
    };
    const outer = await group("yard");
    for (const namespace_id of [
      await group("alerts", outer),
      await group("alerts", await group("north", outer)),
    ]) {
      const json = { name: "notify", path: "notify", namespace_id };
      const made = await world.call("/api/v4/projects", { as: "olga", json });
      const path: string = made.json.path_with_namespace;
      for (const source of [
        await aSource(world, "generic", {}, path),
        await aSource(world, "http", {}, path),
      ]) {
        const reply = await source.send({ title: path });
        assert.equal(reply.status, 200, `${source.path} ${reply.text}`);
      }
      const metrics = await aSource(world, "prometheus", {}, path);
      assert.equal((await metrics.send({ title: path })).status, 200, metrics.path);
    }
  });

  test("methods other than POST return 405, whether the project exists or not (contract-alerts, order of refusal)", async () => {
    for (const path of [generic.path, named.path, metrics.path, "/acme/rocket/alertmanager/api/v2/alerts"]) {
      for (const address of [path, path.replace("/acme/rocket/", "/acme/nowhere/")]) {
        for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
          const reply = await world.call(address, { method, headers: bearer(generic.key) });
          assert.deepEqual([reply.status, reply.headers.get("allow")], [405, "POST"], `${method} ${address}`);
          assert.match(reply.json.message, /^405 /);
        }
      }
    }
    const status = await world.call("/acme/rocket/alertmanager/api/v2/status", {});
    assert.deepEqual([status.status, status.json], [404, { message: "404 Not Found" }]);
  });

  test("the OPTIONS handshake of CloudEvents webhooks is answered without a key, whether the project exists or not (HTTP 1.1 Web Hooks for CloudEvents §4)", async () => {
    for (const path of [generic.path, named.path, generic.path.replace("/acme/rocket/", "/acme/nowhere/")]) {
      const asked = await world.call(path, {
        method: "OPTIONS",
        headers: { "webhook-request-origin": "eventgrid.azure.net", "webhook-request-rate": "120" },
      });
      assert.equal(asked.status, 200, path);
      const told = ["allow", "webhook-allowed-origin", "webhook-allowed-rate"].map((name) =>
        asked.headers.get(name),
      );
      assert.deepEqual(told, ["POST, OPTIONS", "*", "3000"]);
      const other = await world.call(path, { method: "OPTIONS" });
      assert.deepEqual([other.status, other.headers.get("webhook-allowed-origin")], [200, null]);
    }
    const page = await world.call("/acme/rocket/-/alerts", { method: "OPTIONS" });
    assert.equal(page.headers.get("webhook-allowed-origin"), null);
  });

  test("HTTP integrations of one project have their own addresses and keys (spec: Configuration 3; spec: Versioning 4)", async () => {
    const other = await aSource(world, "http", { name: "Other" });
    assert.notEqual(other.path, named.path);
    assert.equal((await post(other.path, bearer(named.key))).status, 401);
    assert.equal((await other.send({ title: "y" })).status, 200);
  });

  test("responses carry the ids of the request and of the receipt (contract-alerts, answer by payload shape)", async () => {
    const reply = await generic.send({ title: "x" });
    assert.match(reply.headers.get("x-request-id") ?? "", /^[0-9a-f-]{36}$/);
    assert.match(reply.headers.get("x-alert-receipt") ?? "", /^[0-9a-f-]{36}$/);
    assert.equal(reply.headers.get("content-type"), "application/json");
  });
});

describe("keys", () => {
  const basic = (user: string, password: string) =>
    `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;

  test("the key is accepted as Bearer in any case, or as the password of Basic (spec: POST alert endpoint 2; spec: Authentication 10)", async () => {
    for (const authorization of [
      `Bearer ${generic.key}`,
      `bearer ${generic.key}`,
      `Bearer  ${generic.key}`,
      basic("", generic.key),
      basic("anyone", generic.key),
    ]) {
      assert.equal(
        (await post(generic.path, { ...bearer(""), authorization })).status,
        200,
        authorization.slice(0, 8),
      );
    }
  });

  test("the key is accepted in Alerta's `Key` scheme, also with the key in the query (decision 0270)", async () => {
    const alert = {
      ...{ resource: "db-1", event: "disk_full", environment: "Production", severity: "warning" },
      ...{ service: ["Netdata"], text: "disk is full", origin: "netdata/db-1", type: "netdataAlarm" },
    };
    const open = await aSource(world, "http", { keyInAddress: true });
    for (const [authorization, path] of [
      [`Key ${generic.key}`, generic.path],
      [`key ${open.key}`, `${open.path}?authorization_key=${open.key}&path=/alert`],
    ] as const) {
      const reply = await world.call(path, { json: alert, headers: { authorization } });
      assert.deepEqual([reply.status, reply.json[0]?.title], [200, "disk_full on db-1"], reply.text);
    }
    const wrong = await world.call(generic.path, { json: alert, headers: { authorization: "Key x" } });
    assert.equal(wrong.status, 401);
  });

  test("any wrong or malformed key gets 401 with both challenges (reference reliability S91; reference alerts D21; RFC 9110 §11.6.1)", async () => {
    const elsewhere = await aSource(world, "generic", {}, "acme/open");
    for (const authorization of [
      "",
      "Bearer",
      "Bearer x",
      `Bearer ${named.key}`,
      `Bearer ${elsewhere.key}`,
      `Bearer ${generic.key} ${generic.key}`,
      basic(generic.key, ""),
      `GenieKey ${generic.key}`,
      `Bearer ${await world.tokenOf("ada", "api")}`,
    ]) {
      const reply = await post(generic.path, { ...bearer(""), authorization });
      assert.deepEqual([reply.status, reply.json], [401, { message: "401 Unauthorized" }], authorization);
      const challenges = 'Bearer realm="Gatehouse", Basic realm="Gatehouse"';
      assert.equal(reply.headers.get("www-authenticate"), challenges);
    }
    const inQuery = await post(`${generic.path}?token=${generic.key}`, {
      "content-type": "application/json",
    });
    assert.equal(inQuery.status, 401);
  });

  test("an unknown integration, an inactive one and an unknown project return the same 403 (reference alerts D23; reference reliability S91; contract §4, receiver answers)", async () => {
    const off = await aSource(world, "http", { active: false });
    const answers = await Promise.all(
      [
        off.path,
        "/acme/rocket/alerts/notify/x/0123456789abcdef.json",
        "/acme/nowhere/alerts/notify.json",
        "/free/plan/alerts/notify",
        "/free/plan/prometheus/alerts/notify.json",
      ].map((path) => post(path, bearer(off.key))),
    );
    for (const { status, json } of answers)
      assert.deepEqual([status, json], [403, { message: "403 Forbidden" }]);
  });

  test("the key of an inactive integration gets 403 at every endpoint that several integrations share (contract §4, receiver answers; spec: States 5)", async () => {
    const off = await aSource(world, "prometheus", { active: false });
    const manager = "/acme/rocket/alertmanager/api/v2/alerts";
    const basic = `Basic ${Buffer.from(`any:${off.key}`).toString("base64")}`;
    const event = { routing_key: off.key, event_action: "trigger", payload: { summary: "x", source: "x" } };
    const replies = [
      await post(metrics.path, bearer(off.key)),
      await post(metrics.path, { authorization: basic, "content-type": "application/json" }),
      await post(manager, bearer(off.key), "[]"),
      await world.call("/v2/enqueue", { json: event }),
    ];
    assert.deepEqual(
      replies.map(({ status, headers }) => [status, headers.get("www-authenticate")]),
      replies.map(() => [403, null]),
    );
    assert.equal((await post(metrics.path, bearer(`${off.key}x`))).status, 401);
    assert.equal((await post(metrics.path, bearer(metrics.key))).status, 200);
  });
});

test("a Prometheus integration accepts payloads of other formats, with a warning in the receipt (reference alerts A3)", async () => {
  const warningsOf = async (from: Source, payload: unknown) => {
    const reply = await from.send(payload);
    const path = `/api/v4/projects/acme%2Frocket/alert_receipts/${reply.headers.get("x-alert-receipt")}`;
    return (await world.call(path, { as: "max" })).json.warnings.join(" ");
  };
  const alert = { status: "firing", labels: { alertname: "Up" }, startsAt: "2026-05-01T10:00:00Z" };
  const group = {
    ...{ version: "4", groupKey: "k", status: "firing", receiver: "r", groupLabels: {}, commonLabels: {} },
    ...{ commonAnnotations: {}, externalURL: "", alerts: [alert] },
  };
  const { groupKey: _left, ...broken } = group;
  assert.match(await warningsOf(metrics, { title: "Plain" }), /not in the format of Alertmanager or Grafana/);
  assert.match(await warningsOf(metrics, broken), /not in the format of Alertmanager or Grafana/);
  assert.equal(await warningsOf(metrics, group), "");
  assert.equal(await warningsOf(generic, { title: "Plain" }), "");
});

describe("refusals", () => {
  const big = JSON.stringify({ title: "x", filler: "a".repeat(1024 * 1024) });
  const group = (alerts: unknown[], filler = "") =>
    JSON.stringify({
      version: "4",
      groupKey: "k",
      status: "firing",
      receiver: "r",
      groupLabels: {},
      commonLabels: {},
      commonAnnotations: { filler },
      externalURL: "",
      alerts,
    });

  test("the size is checked first, then endpoint and key, then the rest (contract-alerts, order of refusal; decision 0088; reference reliability S119)", async () => {
    const huge = `{"alerts":"${"a".repeat(17 * 1024 * 1024)}"}`;
    assert.equal((await post(generic.path, bearer("wrong"), huge)).status, 413);
    assert.equal((await post("/acme/nowhere/alerts/notify.json", bearer("wrong"), big)).status, 413);
    assert.equal((await post("/acme/nowhere/alerts/notify.json", bearer("wrong"), "{}")).status, 403);
    const exact = JSON.stringify({ title: "x", filler: "" });
    const filled = (bytes: number) =>
      JSON.stringify({ title: "x", filler: "a".repeat(bytes - exact.length) });
    assert.equal((await post(generic.path, bearer(generic.key), filled(1024 * 1024))).status, 200);
    assert.equal((await post(generic.path, bearer(generic.key), filled(1024 * 1024 + 1))).status, 413);
    const statuses = [
      (await post(generic.path, bearer("wrong"), big)).status,
      (await post(generic.path, bearer(generic.key), big)).status,
      (await post(generic.path, bearer("wrong"), "{")).status,
      (await post(generic.path, { ...bearer("wrong"), "content-type": "text/html" }, "{")).status,
      (await post(generic.path, bearer(generic.key), "{")).status,
    ];
    assert.deepEqual(statuses, [413, 413, 401, 401, 400]);
  });

  test("a body of any size is answered with a readable 413 (contract §4, receiver answers; decisions 0006, 0088)", async () => {
    const enormous = Buffer.alloc(96 * 1024 * 1024, "a");
    for (const key of [generic.key, "wrong"]) {
      const reply = await post(generic.path, bearer(key), enormous);
      assert.deepEqual([reply.status, Object.keys(reply.json)], [413, ["message"]], key);
    }
  });

  test("Alertmanager groups may be larger than other payloads, up to their own limit (spec: Limits 2; contract-alerts, limits)", async () => {
    const alert = {
      status: "firing",
      labels: { alertname: "Big" },
      annotations: {},
      startsAt: "2026-05-01T10:00:00Z",
    };
    const large = group([alert], "a".repeat(2 * 1024 * 1024));
    assert.equal((await post(generic.path, bearer(generic.key), large)).status, 201);
    assert.equal((await post(generic.path, bearer("wrong"), large)).status, 401);
    const tooLarge = group([alert], "a".repeat(17 * 1024 * 1024));
    assert.equal((await post(generic.path, bearer(generic.key), tooLarge)).status, 413);
    const many = group(Array.from({ length: 10_001 }, () => ({})));
    assert.equal((await post(generic.path, bearer(generic.key), many)).status, 413);
  });

  test("at the address that Prometheus posts to, the key of a larger body is checked up to the limit of groups (contract-alerts, limits; contract-alerts, order of refusal; decision 0088)", async () => {
    const list = (bytes: number) =>
      JSON.stringify([{ labels: { alertname: "A", filler: "a".repeat(bytes) } }]);
    const manager = (project: string) => `/acme/${project}/alertmanager/api/v2/alerts`;
    for (const [project, key, bytes, status] of [
      ["rocket", "wrong", 2, 401],
      ["nowhere", "wrong", 2, 403],
      ["rocket", "wrong", 17, 413],
      ["rocket", metrics.key, 2, 200],
      ["rocket", metrics.key, 17, 413],
    ] as const) {
      const reply = await post(manager(project), bearer(key), list(bytes * 1024 * 1024));
      assert.equal(reply.status, status, `${project} ${bytes} MiB ${reply.text}`);
    }
  });

  test("what an Alertmanager gets and what it sends may be as large at each other's addresses (contract-alerts, answer by payload shape; contract-alerts, limits)", async () => {
    const alert = { labels: { alertname: "Large" }, annotations: { filler: "a".repeat(2 * 1024 * 1024) } };
    const list = JSON.stringify([alert]);
    const grafana = group([{ status: "firing", ...alert }]).replace('"version":"4"', '"version":"1"');
    const manager = "/acme/rocket/alertmanager/api/v2/alerts";
    for (const [path, body, status, text] of [
      [manager, list, 200, ""],
      [manager, group([{ status: "firing", ...alert }]), 201, ""],
      [manager, grafana, 201, ""],
      [generic.path, list, 200, /^\[\{"iid":\d+,"title":"Large"\}\]$/],
    ] as const) {
      const reply = await post(path, bearer(generic.key), body);
      assert.equal(reply.status, status, reply.text);
      if (typeof text === "string") assert.equal(reply.text, text);
      else assert.match(reply.text, text);
      assert.equal((await post(path, bearer("wrong"), body)).status, 401);
    }
    assert.equal((await post(manager, bearer(generic.key), '{"title":"x"}')).status, 400);
  });

  test("gzip bodies are inflated up to the size limit; other encodings get 415 (reference alerts D19; reference reliability S105; contract-alerts, limits)", async () => {
    const headers = (encoding: string) => ({ ...bearer(generic.key), "content-encoding": encoding });
    const packed = gzipSync('{"title":"packed"}');
    assert.equal((await post(generic.path, headers("gzip"), packed)).json[0].title, "packed");
    assert.equal((await post(generic.path, headers("gzip"), gzipSync(big))).status, 413);
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x20));
    assert.equal((await post(generic.path, headers("gzip"), bomb)).status, 413);
    assert.equal((await post(generic.path, headers("gzip"), packed.subarray(0, 12))).status, 400);
    assert.equal((await post(generic.path, headers("gzip"), "{}")).status, 400);
    for (const encoding of ["br", "deflate", "gzip, gzip"]) {
      assert.equal((await post(generic.path, headers(encoding), packed)).status, 415, encoding);
    }
  });

  for (const [type, status] of [
    ["application/json", 200],
    ["application/json; charset=utf-8", 200],
    ["Application/JSON", 200],
    ["application/cloudevents+json", 200],
    ["", 200],
    ["text/plain", 415],
    ["application/x-www-form-urlencoded", 415],
    ["multipart/form-data; boundary=x", 415],
    ["application/json; charset=latin1", 415],
    ["json", 415],
    ["application/json\ta", 415],
    [" application/json", 200],
    ["application/jsonx", 415],
  ] as const) {
    test(`answers ${status} to the media type ${type || "that is missing"} (reference alerts D18; reference reliability S104; contract-alerts, limits)`, async () => {
      const reply = await post(
        generic.path,
        { authorization: `Bearer ${generic.key}`, "content-type": type },
        Buffer.from('{"title":"t"}'),
      );
      assert.equal(reply.status, status, reply.text);
    });
  }

  test("a request refused after its key was accepted has a receipt with the reason (reference alerts F4)", async () => {
    const reply = await post(generic.path, bearer(generic.key), '{"title":');
    const path = `/api/v4/projects/acme%2Frocket/alert_receipts/${reply.headers.get("x-alert-receipt")}`;
    const { json } = await world.call(path, { as: "max" });
    assert.deepEqual([json.decision, json.status, json.reading], ["refused", 400, null]);
    assert.match(json.warnings[0], /line 1, column 10/);
    assert.equal(Buffer.from(json.raw, "base64").toString(), '{"title":');
    assert.ok(json.key_hint.endsWith(generic.key.slice(-4)) && !JSON.stringify(json).includes(generic.key));
  });
});

describe("repeated requests", () => {
  test("x-alert-deduplicated is set if all alerts of a request were counted on open alerts (reference alerts A3)", async () => {
    const told = async (body: unknown) => (await generic.send(body)).headers.get("x-alert-deduplicated");
    const one = { title: "Told once", fingerprint: "told-once" };
    const other = { title: "Told beside it", fingerprint: "told-beside" };
    assert.equal(await told(one), null);
    assert.equal(await told(one), "true");
    assert.equal(await told([one, other]), null, "one of them is new");
    assert.equal(await told([one, other]), "true");
    const over = { ...one, end_time: "2999-05-01T11:00:00Z" };
    assert.deepEqual([await told(over), await told(over)], [null, null]);
  });

  test("repeats of an Idempotency-Key get the same response, count one event and are each a delivery, in parallel too (reference alerts D5; contract-alerts, counting)", async () => {
    const payload = { title: "Idempotent" };
    const send = (key: string) => generic.send(payload, { "idempotency-key": key });
    const first = await send("a");
    const again = await Promise.all(Array.from({ length: 16 }, () => send("a")));
    for (const reply of again) {
      assert.deepEqual([reply.status, reply.json], [200, first.json]);
      assert.equal(reply.headers.get("x-alert-receipt"), first.headers.get("x-alert-receipt"));
      assert.equal(reply.headers.get("x-alert-deduplicated"), "true");
    }
    const parallel = await Promise.all(Array.from({ length: 16 }, () => send("b")));
    assert.equal(new Set(parallel.map((reply) => reply.text)).size, 1);
    const path = `/api/v4/projects/acme%2Frocket/alert_management_alerts/${first.json[0].iid}`;
    const { json } = await world.call(path, { as: "dev" });
    assert.deepEqual([json.events, json.deliveries], [2, 33]);
  });
});

describe("the old key after a rotation", () => {
  test("is refused at every endpoint once its grace period is over (contract-alerts, rotation)", async () => {
    const source = await aSource(world, "http", { name: "Rotated" });
    const path = `/api/v4/projects/acme%2Frocket/alert_integrations/${source.id}/rotate_key`;
    await world.call(path, { as: "max", json: { grace_seconds: 600 } });
    const event = {
      routing_key: source.key,
      event_action: "trigger",
      payload: { summary: "x", source: "x" },
    };
    const doors = async () => [
      (await source.send({ title: "x" })).status,
      (await world.call("/v2/enqueue", { json: event })).status,
    ];
    assert.deepEqual(await doors(), [200, 202]);
    await world.platform.db.run(
      sql`update alert_integrations set old_key_until = now() where id = ${source.id}`,
    );
    assert.deepEqual(await doors(), [401, 401]);
  });
});

describe("an Idempotency-Key", () => {
  test("is matched with the decompressed body, however it was compressed (decision 0089)", async () => {
    const text = JSON.stringify({ title: "Compressed", rows: Array.from({ length: 200 }, (_, n) => n) });
    const send = (level: number) =>
      post(
        generic.path,
        { ...bearer(generic.key), "idempotency-key": "packed", "content-encoding": "gzip" },
        gzipSync(text, { level }),
      );
    const [quick, small] = [await send(1), await send(9)];
    assert.deepEqual([small.status, small.json], [200, quick.json]);
    const plain = await post(generic.path, { ...bearer(generic.key), "idempotency-key": "packed" }, text);
    assert.deepEqual([plain.status, plain.json], [200, quick.json]);
  });

  test("counts again after 72 hours, even if not deleted yet (contract-alerts, counting)", async () => {
    const send = async () =>
      (await generic.send({ title: "Old key" }, { "idempotency-key": "old" })).json[0].iid;
    const iid = await send();
    const { db } = world.platform;
    await db.run(sql`update alert_idempotency_keys set created_at = created_at - interval '72 hours'`);
    assert.equal(await send(), iid);
    assert.equal(await send(), iid);
    const alert = await world.call(`/api/v4/projects/acme%2Frocket/alert_management_alerts/${iid}`, {
      as: "dev",
    });
    assert.equal(alert.json.events, 2);
  });

  test("reused with another body gets 422, in sequence and concurrently; another integration may use the same key (decision 0089)", async () => {
    const send = (source: Source, key: string, title: string) =>
      source.send({ title }, { "idempotency-key": key });
    const first = await send(generic, "once", "First");
    const other = await send(generic, "once", "Second");
    assert.equal(other.status, 422);
    assert.match(other.json.message, /^This Idempotency-Key was already used with a different body/);
    assert.deepEqual((await send(generic, "once", "First")).json, first.json);
    assert.equal((await send(named, "once", "Second")).status, 200);
    const statuses = (
      await Promise.all(["A", "B", "C", "D"].map((title) => send(generic, "at once", title)))
    ).map((reply) => reply.status);
    assert.deepEqual(statuses.sort(), [200, 422, 422, 422]);
    const path = `/api/v4/projects/acme%2Frocket/alert_receipts/${other.headers.get("x-alert-receipt")}`;
    const { json } = await world.call(path, { as: "max" });
    assert.deepEqual([json.status, json.decision], [422, "refused"]);
  });
});

describe("throttling", () => {
  test("past a project's burst limit senders get 429, or 503 for Alertmanager, with Retry-After (reference reliability S103; contract-alerts, throttling)", async () => {
    const limited = await startWorld({ GATEHOUSE_RATE_LIMITS: "on" });
    const source = await aSource(limited);
    stopsMeasuring();
    const statuses: number[] = [];
    for (let batch = 0; batch < 24; batch++) {
      const replies = await Promise.all(Array.from({ length: 64 }, () => source.send({ title: "flood" })));
      statuses.push(...replies.map((reply) => reply.status));
      if (statuses.includes(429)) break;
    }
    assert.ok(statuses.filter((status) => status === 200).length >= 1000);
    const agents = Array.from({ length: 64 }, (_, i) => (i % 2 === 0 ? "Alertmanager/0.25.0" : "curl/8"));
    const replies = await Promise.all(
      agents.map((agent) => source.send({ title: "flood" }, { "user-agent": agent })),
    );
    const refused = (agent: number) =>
      replies.filter((reply, index) => reply.status !== 200 && index % 2 === agent);
    const [patient, other] = [refused(0)[0], refused(1)[0]];
    assert.deepEqual([patient?.status, other?.status], [503, 429]);
    assert.equal(other?.headers.get("ratelimit-remaining"), "0");
    assert.equal(other?.headers.get("ratelimit-limit"), "1000");
    assert.match(other?.headers.get("ratelimit-reset") ?? "", /^\d+$/);
    assert.match(patient?.headers.get("retry-after") ?? "", /^\d+$/);
    assert.match(other?.headers.get("retry-after") ?? "", /^\d+$/);
  });

  test("a valid alert gets through beside another integration's flood, and bodies that are refused do not count (reference reliability E, S103; contract-alerts, throttling; decision 0310)", async () => {
    const limited = await startWorld({ GATEHOUSE_RATE_LIMITS: "on" });
    const [flooding, quiet] = [await aSource(limited), await aSource(limited, "http")];
    stopsMeasuring();
    const many = (send: () => Promise<Reply>) => Promise.all(Array.from({ length: 64 }, send));
    for (const [send, status] of [
      [() => flooding.sendBytes("{", { "content-type": "application/json" }), 400],
      [() => flooding.sendBytes("{}", { "content-type": "text/html" }), 415],
    ] as const) {
      for (const reply of await many(send)) assert.equal(reply.status, status, reply.text);
    }
    const { headers } = await quiet.send({ title: "quiet" });
    assert.ok(Number(headers.get("ratelimit-remaining")) > 900, "as if nothing had been sent");
    for (let batch = 0; batch < 24; batch++) {
      const replies = await many(() => flooding.send({ title: "flood" }));
      if (replies.some(({ status }) => status === 429)) break;
    }
    const [reply, ...refused] = await Promise.all([
      quiet.send({ title: "quiet" }),
      ...Array.from({ length: 32 }, () => flooding.send({ title: "flood" })),
    ]);
    assert.ok(refused.some(({ status }) => status === 429));
    assert.deepEqual([reply?.status, reply?.json[0]?.title], [200, "quiet"]);
  });
});
