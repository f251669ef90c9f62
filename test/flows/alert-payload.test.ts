/** Every member of the alert payload, valid and invalid, and the alert that the API shows for it. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { aSource, readsAlerts, type Source } from "../support/alerts.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let source: Source;
before(async () => {
  world = await startWorld();
  source = await aSource(world);
  await world.call("/api/v4/projects/acme%2Frocket/environments", {
    as: "max",
    json: { name: "production" },
  });
});

const { receiptOf } = readsAlerts(() => world);
let count = 0;
const become = async (payload: Record<string, unknown>) => {
  const reply = await source.send({ unique: count++, title: "T", ...payload });
  assert.equal(reply.status, 200, reply.text);
  const path = `/api/v4/projects/acme%2Frocket/alert_management_alerts/${reply.json[0].iid}`;
  const receipt = `/api/v4/projects/acme%2Frocket/alert_receipts/${reply.headers.get("x-alert-receipt")}`;
  return {
    alert: (await world.call(path, { as: "dev" })).json,
    warnings: (await world.call(receipt, { as: "max" })).json.warnings.join(" "),
  };
};

describe("members of the specification", () => {
  test("a title alone is enough, and the default severity is critical (spec: POST alert endpoint 3; spec: Alert payload; spec: Alert payload title; spec: Alert payload severity)", async () => {
    const reply = await source.send({ title: "Only a title" });
    assert.deepEqual(reply.json, [{ iid: reply.json[0].iid, title: "Only a title" }]);
    const { alert, warnings } = await become({});
    assert.deepEqual(
      [
        alert.title,
        alert.severity,
        alert.description,
        alert.service,
        alert.monitoring_tool,
        alert.hosts,
        alert.test,
      ],
      ["T", "critical", null, null, null, [], false],
    );
    assert.equal(warnings, "");
  });

  test("text members are stored (spec: Alert payload description; spec: Alert payload service; spec: Alert payload monitoring_tool)", async () => {
    const { alert } = await become({ description: "d", service: "s", monitoring_tool: "m" });
    assert.deepEqual([alert.description, alert.service, alert.monitoring_tool], ["d", "s", "m"]);
  });

  test("text that is too long is truncated in the alert and kept whole in the payload (contract-alerts, text lengths)", async () => {
    const long = "𝒳".repeat(1200);
    const { alert } = await become({ title: long, description: long, service: long, monitoring_tool: long });
    const lengths = [alert.title, alert.description, alert.service, alert.monitoring_tool].map(
      (text: string) => [...text].length,
    );
    assert.deepEqual(lengths, [200, 1000, 100, 100]);
    assert.ok(alert.title.endsWith("𝒳...") && alert.title.isWellFormed());
    assert.equal(alert.payload.title, long);
  });

  for (const [given, severity] of [
    ["high", "high"],
    ["CRITICAL ", "critical"],
    ["unknown", "unknown"],
    ["info", "info"],
    ["low", "low"],
    ["Medium", "medium"],
    ["panic", "critical"],
    [5, "critical"],
    [["high"], "critical"],
    [null, "critical"],
  ]) {
    test(`severity ${JSON.stringify(given)} is ${severity} (spec: Alert payload severity)`, async () => {
      assert.equal((await become({ severity: given })).alert.severity, severity);
    });
  }

  for (const [given, hosts] of [
    ["db-1", ["db-1"]],
    [
      ["a", ["b", 3, null], "a"],
      ["a", "b", "3"],
    ],
    [{ name: "x" }, []],
    [null, []],
  ]) {
    test(`hosts ${JSON.stringify(given)} are ${JSON.stringify(hosts)} (spec: Alert payload hosts)`, async () => {
      assert.deepEqual((await become({ hosts: given })).alert.hosts, hosts);
    });
  }

  test("a host is truncated to 255 characters, with a warning in the receipt (reference alerts A5)", async () => {
    const whole = "😀".repeat(255);
    const kept = await become({ hosts: [whole, "b".repeat(255)] });
    assert.deepEqual([kept.alert.hosts, kept.warnings], [[whole, "b".repeat(255)], ""]);
    const cut = await become({ hosts: ["a", `${whole}.example.org`] });
    assert.deepEqual(cut.alert.hosts, ["a", whole]);
    assert.match(cut.warnings, /A host is longer than 255 characters/);
  });

  test("start_time is the start of the alert; without a valid one it is the time of receipt (spec: Alert payload start_time)", async () => {
    assert.equal(
      (await become({ start_time: "2026-01-27 13:01:11 +02:00" })).alert.started_at,
      "2026-01-27T11:01:11.000Z",
    );
    const { alert } = await become({});
    assert.equal(alert.started_at, alert.created_at);
    const bad = await become({ start_time: "tomorrow" });
    assert.equal(bad.alert.started_at, bad.alert.created_at);
    assert.match(bad.warnings, /start_time cannot be read/);
  });

  test("an environment is linked by its exact name within the project and never created (spec: Alert payload platform_environment_name)", async () => {
    for (const name of ["platform_environment_name", "gitlab_environment_name", "environment"]) {
      assert.equal((await become({ [name]: "production" })).alert.environment?.name, "production", name);
    }
    const path = "/api/v4/projects/acme%2Fopen/environments";
    const made = await world.call(path, { as: "max", json: { name: "elsewhere" } });
    assert.equal(made.status, 201);
    const foreign = await become({ environment: "elsewhere" });
    assert.equal(foreign.alert.environment, null, "an environment of another project");
    const other = await become({ environment: "Production" });
    assert.equal(other.alert.environment, null);
    assert.match(other.warnings, /no environment called Production/);
    const strange = await become({ environment: { name: "production" } });
    assert.equal(strange.alert.environment, null);
    assert.match(strange.warnings, /An environment is no string/);
    assert.equal((await become({ environment: "production" })).warnings, "");
    const environments = await world.call("/api/v4/projects/acme%2Frocket/environments", { as: "max" });
    assert.equal(environments.json.length, 1);
  });

  test("custom fields are stored unchanged, including nested ones (spec: Alert payload custom fields)", async () => {
    const custom = {
      a: { b: [1, { c: null }], "": true },
      n: 1.5,
      constructor: { prototype: 1 },
      toString: "x",
    };
    const { alert } = await become({ custom });
    assert.deepEqual(alert.payload.custom, custom);
  });

  test('without a title the alert is called "New: Alert", with a warning; a strict integration refuses it (reference reliability S92; contract §4, missing title)', async () => {
    for (const title of [undefined, null, "", "  ", [], {}]) {
      const { alert, warnings } = await become({ title });
      assert.equal(alert.title, "New: Alert");
      assert.match(warnings, /title is missing/);
      const issue = await world.call(`/api/v4/projects/acme%2Frocket/issues/${alert.issue_iid}`, {
        as: "dev",
      });
      assert.equal(issue.json.title, `New: Incident ${alert.issue_iid}`);
    }
    const strict = await aSource(world, "http", { strict: true });
    const refused = await strict.send({ severity: "low" });
    assert.deepEqual([refused.status, refused.json], [422, { message: "title is missing" }]);
  });

  test("a number, list or object as title is shown as text (reference alerts A5)", async () => {
    assert.equal((await become({ title: 5 })).alert.title, "5");
    assert.equal((await become({ title: { a: [1] } })).alert.title, '{"a":[1]}');
  });
});

test("a start_time of 0 counts as none, also in a known tool's payload: the alert begins when it is received (decision 0128; spec: Alert payload start_time)", async () => {
  const google = {
    incident: { incident_id: "12345", state: "OPEN", started_at: 0, policy_name: "Test", summary: "A test" },
  };
  for (const payload of [{ title: "Not begun", start_time: 0 }, google]) {
    const { alert } = await become(payload);
    assert.equal(alert.started_at, alert.created_at);
  }
});

test("an end_time of 0 counts as none: the alert stays open, with a warning in the receipt (decision 0128)", async () => {
  const first = await become({ fingerprint: "no-end-yet" });
  const again = await become({ fingerprint: "no-end-yet", end_time: 0 });
  assert.deepEqual(
    [again.alert.iid, again.alert.status, again.alert.events],
    [first.alert.iid, "triggered", 2],
  );
  assert.match(again.warnings, /end_time cannot be read as a time/);
});

describe("bodies that cannot be stored as they are", () => {
  const send = (body: string | Uint8Array) =>
    world.call(source.path, {
      body,
      headers: { authorization: `Bearer ${source.key}`, "content-type": "application/json" },
    });

  test("NUL and lone surrogates become U+FFFD, with a warning (reference alerts D13; reference reliability S95; contract-alerts, limits)", async () => {
    const reply = await send('{"title":"a\\u0000b\\ud800","\\u0000":"\\\\u0000"}');
    assert.equal(reply.json[0].title, "a\ufffdb\ufffd");
    assert.match((await receiptOf(reply)).warnings.join("\n"), /U\+FFFD/);
    const path = `/api/v4/projects/acme%2Frocket/alert_management_alerts/${reply.json[0].iid}`;
    assert.equal((await world.call(path, { as: "dev" })).json.payload["\ufffd"], "\\u0000");
  });

  test("keys such as __proto__ are stored as data (reference alerts D12; reference reliability S99; contract-alerts, limits)", async () => {
    const reply = await send('{"title":"proto","__proto__":{"polluted":true},"hasOwnProperty":1}');
    const path = `/api/v4/projects/acme%2Frocket/alert_management_alerts/${reply.json[0].iid}`;
    const { text } = await world.call(path, { as: "dev" });
    assert.match(text, /"__proto__":\s?\{"polluted":\s?true\}/);
    assert.equal(({} as { polluted?: boolean }).polluted, undefined);
  });

  const bodies: readonly (readonly [string, string, string | Uint8Array, number])[] = [
    ["D17", "an empty body", "", 400],
    ["D17", "white space", " \n", 400],
    ["D17", "null", "null", 400],
    ["D17", "a string", '"x"', 400],
    ["D17", "a number", "5", 400],
    ["D17", "a list of numbers", "[1]", 400],
    ["D17", "an empty list", "[]", 200],
    ["D17", "an open brace", "{", 400],
    ["D17", "something after the end", '{"title":"x"}}', 400],
    ["D17", "a comment", '{"title":"x"/*y*/}', 400],
    [
      "D11; reference reliability S97",
      "101 levels",
      `{"title":"x","d":${"[".repeat(100)}${"]".repeat(100)}}`,
      400,
    ],
    ["D11", "100 levels", `{"title":"x","d":${"[".repeat(99)}${"]".repeat(99)}}`, 200],
    ["D11", "100,000 open brackets", "[".repeat(100_000), 400],
    ["D11; reference reliability S97", "100,000 levels", "[".repeat(100_000) + "]".repeat(100_000), 400],
    ["D14; reference reliability S95", "invalid UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]), 400],
    ["D14; reference reliability S95", "UTF-16", Buffer.from('\ufeff{"title":"x"}', "utf16le"), 400],
    ["D14; reference reliability S95", "a byte order mark", '\ufeff{"title":"bom"}', 200],
    [
      "D15; reference reliability S96",
      "numbers beyond a double",
      '{"title":"x","a":1e400,"b":-1e200000,"c":12345678901234567890123}',
      200,
    ],
    ["D15", "doubled keys", '{"title":"x","title":"y"}', 200],
    ["D12; reference reliability S98", "a key of 1 KB", `{"title":"x","${"k".repeat(1024)}":1}`, 200],
    ["D20", "a fingerprint of 900 KB", `{"title":"x","fingerprint":"${"f".repeat(900_000)}"}`, 200],
    [
      "D20; reference reliability S98",
      "10,000 hosts",
      JSON.stringify({ title: "x", hosts: Array.from({ length: 10_000 }, (_, i) => `h${i}`) }),
      200,
    ],
    [
      "D16",
      "dates out of range",
      '{"title":"x","start_time":"9999-12-31T23:59:60Z","end_time":"275760-01-01T00:00:00Z"}',
      200,
    ],
    ["D16", "a start in year 0", '{"title":"x","start_time":"0000-01-01T00:00:00Z"}', 200],
    ["D16", "a start as an object", '{"title":"x","start_time":{"a":1},"end_time":[1]}', 200],
    [
      "D20",
      "a fingerprint as an object",
      '{"title":"x","fingerprint":{"a":1},"severity":{},"hosts":{},"service":[],"environment":5}',
      200,
    ],
    [
      "D13; reference reliability S95",
      "an environment name of NUL",
      '{"title":"x","environment":"\\u0000"}',
      200,
    ],
    [
      "D17",
      "nine members of Alertmanager, wrongly typed",
      JSON.stringify({
        version: "4",
        groupKey: 1,
        status: 1,
        receiver: 1,
        groupLabels: 1,
        commonLabels: 1,
        commonAnnotations: 1,
        externalURL: 1,
        alerts: [{ labels: 5, annotations: [], startsAt: {}, endsAt: 1e300, fingerprint: {}, status: [] }],
      }),
      201,
    ],
    [
      "D17",
      "Alertmanager with alerts that are no objects",
      JSON.stringify({
        version: "4",
        groupKey: 1,
        status: 1,
        receiver: 1,
        groupLabels: 1,
        commonLabels: 1,
        commonAnnotations: 1,
        externalURL: 1,
        alerts: [1, null],
      }),
      400,
    ],
  ];
  for (const [id, name, body, status] of bodies) {
    test(`answers ${status} to ${name} (reference alerts ${id})`, async () => {
      const reply = await send(body);
      assert.equal(reply.status, status, reply.text);
      if (status >= 400) assert.equal(typeof reply.json.message, "string");
    });
  }

  test("an error in the JSON is reported with its line and column (contract-alerts, order of refusal)", async () => {
    const reply = await send('{\n  "hosts": ["a"]\n  "title": "x"\n}');
    assert.match(reply.json.message, /line 3, column 3: a comma is missing/);
  });
});
