/** The content of `/-/metrics`, and who can read it. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { countUp, metricsText, observe, processFamilies } from "../../src/platform/metrics.ts";
import { aSource } from "../support/alerts.ts";
import { anApplication } from "../support/oauth.ts";
import { signedIn, Visitor } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

/** The value of a series in the text, or 0. */
function countOf(text: string, series: string): number {
  const line = text.split("\n").find((one) => one.startsWith(`${series} `));
  return line === undefined ? 0 : Number(line.slice(series.length + 1));
}

describe("GET /-/metrics", () => {
  it("counts requests by surface, route pattern and status, never by address (decision 0071)", async () => {
    await world.call("/api/v4/projects/acme%2Frocket", { as: "dev" });
    await world.call("/api/v4/projects/acme%2Frocket?access_token=secret-in-query", { as: "stan" });
    await world.call("/no-such-page-anywhere/for-sure");
    const { text, headers } = await world.call("/-/metrics");
    assert.match(headers.get("content-type") ?? "", /^text\/plain; version=0\.0\.4/);
    const route = 'door="api",route="/api/v4/projects/:id",method="GET"';
    assert.ok(countOf(text, `gatehouse_http_requests_total{${route},status="200"}`) >= 1, text);
    assert.doesNotMatch(text, /rocket|secret-in-query|no-such-page/);
    assert.ok(countOf(text, 'gatehouse_http_request_seconds_count{door="api"}') >= 2);
    assert.equal(
      countOf(text, 'gatehouse_http_request_seconds_bucket{door="api",le="+Inf"}'),
      countOf(text, 'gatehouse_http_request_seconds_count{door="api"}'),
    );
  });

  it("is in text format: each line is a comment or a series with a number (Prometheus, exposition formats)", async () => {
    const { text } = await world.call("/-/metrics");
    const series = /^[a-z_]+(\{[a-z_]+="[^"\n]*"(,[a-z_]+="[^"\n]*")*\})? -?[0-9.e+-]+$/;
    for (const line of text.trimEnd().split("\n"))
      assert.ok(line.startsWith("# ") || series.test(line), line);
    assert.match(text, /^gatehouse_build_info\{version="\d+\.\d+\.\d+",node="v\d+/m);
    assert.ok(countOf(text, "process_resident_memory_bytes") > 1e6);
    assert.match(text, /^gatehouse_db_waiting 0$/m);
    assert.match(text, /^nodejs_eventloop_lag_max_seconds /m);
  });

  it("counts sign-ins, tokens and deliveries by their result (reference ux 1)", async () => {
    const before = (await world.call("/-/metrics")).text;
    await signedIn(world, "dev");
    const application = await anApplication(world, { owner: null, grantTypes: ["client_credentials"] });
    const form = { grant_type: "client_credentials" };
    await world.call("/oauth/token", { form, headers: { authorization: application.basic } });
    await world.call("/oauth/token", { form });
    await new Visitor(world.url).submit("/users/sign_in", { username: "dev", password: "not this one" });
    const source = await aSource(world);
    await source.send({ title: "Full" });
    await world.call(source.path, { json: { title: "Full" }, token: "wrong" });
    // The endpoints in the format of other services belong to the receiver, too.
    const event = {
      routing_key: source.key,
      event_action: "trigger",
      payload: { summary: "x", source: "x" },
    };
    await world.call("/v2/enqueue", { json: event });
    const genie = { authorization: `GenieKey ${source.key}` };
    const created = await world.call("/opsgenie/v2/alerts", { json: { message: "x" }, headers: genie });
    await world.call(`/opsgenie/v2/alerts/requests/${created.json.requestId}`, { headers: genie });
    await world.call("/opsgenie/v2/alerts", { json: { message: "x" } });
    const after = (await world.call("/-/metrics")).text;
    for (const [series, times] of [
      ['gatehouse_sign_ins_total{result="in"}', 1],
      ['gatehouse_sign_ins_total{result="password"}', 1],
      ['gatehouse_tokens_issued_total{grant="client_credentials"}', 1],
      ['gatehouse_alert_deliveries_total{result="accepted"}', 3],
      ['gatehouse_alert_deliveries_total{result="wrong key"}', 2],
      ['gatehouse_alert_deliveries_total{result="failed"}', 0],
    ] as const) {
      assert.equal(countOf(after, series) - countOf(before, series), times, series);
    }
  });

  it("requires an administrator's token for requests through a proxy (decision 0071; reference reliability S132)", async () => {
    for (const name of ["x-forwarded-for", "forwarded", "x-real-ip", "via"]) {
      const headers = { [name]: "203.0.113.5" };
      const nobody = await world.call("/-/metrics", { headers });
      assert.equal(nobody.status, 401, name);
      assert.match(nobody.headers.get("www-authenticate") ?? "", /^Bearer/);
      assert.equal((await world.call("/-/metrics", { headers, as: "dev" })).status, 404);
      assert.equal((await world.call("/-/metrics", { headers, as: "ada" })).status, 200);
      const little = await world.tokenOf("ada", "read_user");
      assert.equal((await world.call("/-/metrics", { headers, token: little })).status, 403);
    }
  });
});

describe("the registry", () => {
  it("keeps at most 3,000 series of a metric (decision 0071)", () => {
    for (let i = 0; i < 3500; i++) countUp("test_unbounded_total", { i });
    assert.equal(metricsText(processFamilies()).match(/^test_unbounded_total\{/gm)?.length, 3000);
  });

  it("counts a duration in every bucket that includes it (Prometheus, metric types: histogram)", () => {
    observe("test_wait_seconds", 0.03);
    observe("test_wait_seconds", 20);
    const text = metricsText(processFamilies({ worker: 2 }));
    assert.match(text, /^test_wait_seconds_bucket\{worker="2",le="0.025"\} 0$/m);
    assert.match(text, /^test_wait_seconds_bucket\{worker="2",le="0.05"\} 1$/m);
    assert.match(text, /^test_wait_seconds_bucket\{worker="2",le="10"\} 1$/m);
    assert.match(text, /^test_wait_seconds_bucket\{worker="2",le="\+Inf"\} 2$/m);
    assert.match(text, /^test_wait_seconds_sum\{worker="2"\} 20.03$/m);
  });
});
