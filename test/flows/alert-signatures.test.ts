/** Integrations that require signatures: each kind, what is signed, expired timestamps and replays. */
import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { before, describe, test } from "node:test";
import { sign } from "@octokit/webhooks-methods";
import { Webhook } from "standardwebhooks";
import { aSource, type Source } from "../support/alerts.ts";
import { startWorld, type World } from "../support/world.ts";

const api = "/api/v4/projects/acme%2Frocket";
const SECRET = "a secret of enough characters";
let world: World;
before(async () => {
  world = await startWorld();
});

/** Creates an integration and sets its signature through the API as a Maintainer. */
async function signedBy(signature: string, more: Record<string, unknown> = {}): Promise<Source> {
  const source = await aSource(world, "http", { name: `Signed ${signature} ${Math.random()}` });
  const { status, text } = await world.call(`${api}/alert_integrations/${source.id}`, {
    method: "PUT",
    as: "max",
    json: { signature, signature_secret: SECRET, ...more },
  });
  assert.equal(status, 200, text);
  return source;
}

const post = (source: Source, body: string | Uint8Array, headers: Record<string, string> = {}) =>
  world.call(source.path, { body, headers: { "content-type": "application/json", ...headers } });
const hmac = (text: string, secret = SECRET) => createHmac("sha256", secret).update(text).digest("hex");
const flipped = (text: string, at: number) =>
  text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ 1) + text.slice(at + 1);
const BODY = '{"title":"Signed"}';

describe("Standard Webhooks", () => {
  const secret = `whsec_${randomBytes(24).toString("base64")}`;
  let source: Source;
  before(async () => {
    source = await signedBy("standard_webhooks", { signature_secret: secret });
  });
  const signed = (id: string, body: string, at = new Date(), key = secret) => ({
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": new Webhook(key).sign(id, at, body),
  });

  test("requests signed by the Standard Webhooks library are accepted without a key, and with the right one (reference alerts D25; decision 0087)", async () => {
    assert.equal((await post(source, BODY, signed("m1", BODY))).status, 200);
    const both = { ...signed("m2", BODY), authorization: `Bearer ${source.key}` };
    assert.equal((await post(source, BODY, both)).status, 200);
    const rotated = signed("m3", BODY);
    const other = `v1,${randomBytes(32).toString("base64")}`;
    rotated["webhook-signature"] = `${other} ${rotated["webhook-signature"]}`;
    assert.equal((await post(source, BODY, rotated)).status, 200);
  });

  test("a changed byte, another secret or id, a wrong key or no signature gets 401 (reference alerts D25; decision 0087)", async () => {
    const right = signed("m4", BODY);
    const signature = right["webhook-signature"];
    const attempts: [string, Record<string, string>][] = [
      [flipped(BODY, 12), right],
      [BODY, { ...right, "webhook-signature": flipped(signature, 10) }],
      [BODY, { ...right, "webhook-signature": signature.replace("v1,", "v2,") }],
      [BODY, { ...right, "webhook-id": "m5" }],
      [BODY, { ...right, "webhook-timestamp": String(Number(right["webhook-timestamp"]) + 1) }],
      [BODY, signed("m4", BODY, new Date(), `whsec_${randomBytes(24).toString("base64")}`)],
      [BODY, { ...right, authorization: "Bearer wrong" }],
      [BODY, { authorization: `Bearer ${source.key}` }],
      [BODY, {}],
    ];
    for (const [body, headers] of attempts) {
      const reply = await post(source, body, headers);
      assert.deepEqual(
        [reply.status, reply.json],
        [401, { message: "401 Unauthorized" }],
        JSON.stringify(headers),
      );
    }
  });

  test("timestamps may differ from the clock by five minutes at most (reference alerts D25; decision 0087)", async () => {
    const ago = (seconds: number) => new Date(Date.now() - seconds * 1000);
    for (const [seconds, status] of [
      [290, 200],
      [-290, 200],
      [310, 401],
      [-310, 401],
    ] as const) {
      const headers = signed(`t${seconds}`, BODY, ago(seconds));
      assert.equal((await post(source, BODY, headers)).status, status, `${seconds}`);
    }
    const endless = { ...signed("t", BODY), "webhook-timestamp": "1e12" };
    assert.equal((await post(source, BODY, endless)).status, 401);
  });

  test("a replayed request gets the same response and counts once (reference alerts D5, D25; decision 0087)", async () => {
    const body = '{"title":"Replayed"}';
    const headers = signed("replayed", body);
    const first = await post(source, body, headers);
    const again = await Promise.all([1, 2, 3].map(() => post(source, body, headers)));
    for (const reply of again) assert.deepEqual([reply.status, reply.json], [200, first.json]);
    const path = `${api}/alert_management_alerts/${first.json[0].iid}`;
    assert.equal((await world.call(path, { as: "dev" })).json.events, 1);
  });
});

describe("a bare HMAC", () => {
  test("the default header is GitHub's, in hexadecimal with or without its prefix (reference alerts D25; decision 0087)", async () => {
    const source = await signedBy("hmac_sha256");
    const right = await sign(SECRET, BODY);
    assert.match(right, /^sha256=/);
    assert.equal((await post(source, BODY, { "x-hub-signature-256": right })).status, 200);
    assert.equal((await post(source, BODY, { "x-hub-signature-256": right.slice(7) })).status, 200);
    for (const wrong of ["", "sha256=", `sha256=${hmac(BODY, "x")}`, flipped(right, 20), `sha1=${right}`]) {
      assert.equal((await post(source, BODY, { "x-hub-signature-256": wrong })).status, 401, wrong);
    }
    assert.equal((await post(source, flipped(BODY, 3), { "x-hub-signature-256": right })).status, 401);
  });

  test("the name of the header can be configured (decision 0087)", async () => {
    const source = await signedBy("hmac_sha256", { signature_header: "X-My-Signature" });
    assert.equal((await post(source, BODY, { "x-my-signature": hmac(BODY) })).status, 200);
    assert.equal((await post(source, BODY, { "x-hub-signature-256": hmac(BODY) })).status, 401);
  });

  test("a signature with another integration's secret gets 401 (reference alerts D25)", async () => {
    const [one, other] = [
      await signedBy("hmac_sha256"),
      await signedBy("hmac_sha256", { signature_secret: `${SECRET}2` }),
    ];
    const headers = { "x-hub-signature-256": hmac(BODY, `${SECRET}2`) };
    assert.deepEqual(
      [(await post(one, BODY, headers)).status, (await post(other, BODY, headers)).status],
      [401, 200],
    );
  });
});

test("Sentry signatures are read from Sentry's header (reference alerts D25; decision 0087)", async () => {
  const source = await signedBy("sentry");
  assert.equal((await post(source, BODY, { "sentry-hook-signature": hmac(BODY) })).status, 200);
  assert.equal((await post(source, BODY, { "sentry-hook-signature": hmac(`${BODY} `) })).status, 401);
});

test("Grafana's timestamp is checked as part of the signed text (reference alerts D25; decision 0087)", async () => {
  const source = await signedBy("grafana");
  const at = (seconds: number) => String(Math.floor(Date.now() / 1000) - seconds);
  const headers = (time: string) => ({
    "x-grafana-alerting-signature": hmac(`${time}:${BODY}`),
    "x-grafana-alerting-timestamp": time,
  });
  assert.equal((await post(source, BODY, headers(at(0)))).status, 200);
  assert.equal((await post(source, BODY, headers(at(400)))).status, 401);
  const moved = { ...headers(at(400)), "x-grafana-alerting-timestamp": at(0) };
  assert.equal((await post(source, BODY, moved)).status, 401);
  const { "x-grafana-alerting-timestamp": _, ...without } = headers(at(0));
  assert.equal((await post(source, BODY, without)).status, 401);
  assert.equal((await post(source, BODY, { "x-grafana-alerting-signature": hmac(BODY) })).status, 200);
});

test("Prometheus integrations that share an address are told apart by their signatures (decision 0087)", async () => {
  const [one, two] = [await aSource(world, "prometheus"), await aSource(world, "prometheus")];
  for (const [source, secret] of [
    [one, `${SECRET} one`],
    [two, `${SECRET} two`],
  ] as const) {
    await world.call(`${api}/alert_integrations/${source.id}`, {
      method: "PUT",
      as: "max",
      json: { signature: "hmac_sha256", signature_secret: secret },
    });
  }
  const reply = await post(two, BODY, { "x-hub-signature-256": hmac(BODY, `${SECRET} two`) });
  assert.equal(reply.status, 200);
  const receipt = `${api}/alert_receipts/${reply.headers.get("x-alert-receipt")}`;
  assert.equal((await world.call(receipt, { as: "max" })).json.integration_id, two.id);
});

test("a signed Alertmanager group of more than 1 MiB is accepted with a key and gets 413 without one (decision 0087)", async () => {
  const source = await signedBy("hmac_sha256");
  const group = (filler: number) =>
    JSON.stringify({
      ...{ version: "4", groupKey: "large", status: "firing", receiver: "gatehouse", truncatedAlerts: 0 },
      ...{ groupLabels: {}, commonLabels: {}, commonAnnotations: {}, externalURL: "http://a.example.org" },
      alerts: [
        {
          ...{ status: "firing", labels: { alertname: "Large" }, startsAt: "2026-05-01T10:00:00Z" },
          annotations: { summary: "x".repeat(filler) },
        },
      ],
    });
  const [small, large] = [group(900 * 1024), group(1024 * 1024)];
  const sent = async (body: string, more = {}) =>
    (await post(source, body, { "x-hub-signature-256": hmac(body), ...more })).status;
  assert.equal(await sent(small), 201);
  assert.equal(await sent(large), 413);
  assert.equal(await sent(large, { authorization: `Bearer ${source.key}` }), 201);
});

test("the secret is never returned, is kept if not given, and is validated by field (decision 0087)", async () => {
  const source = await signedBy("hmac_sha256");
  const path = `${api}/alert_integrations/${source.id}`;
  const change = (json: unknown) => world.call(path, { method: "PUT", as: "max", json });
  const renamed = await change({ name: "Renamed" });
  assert.deepEqual([renamed.json.signature, renamed.json.signature_header], ["hmac_sha256", null]);
  assert.ok(!renamed.text.includes(SECRET) && !("signature_secret" in renamed.json));
  assert.equal((await post(source, BODY, { "x-hub-signature-256": hmac(BODY) })).status, 200);
  for (const [json, field] of [
    [{ signature_secret: "short" }, "signature_secret"],
    [{ signature: "standard_webhooks" }, "signature_secret"],
    [{ signature: "standard_webhooks", signature_secret: "not base64!" }, "signature_secret"],
    [{ signature: "standard_webhooks", signature_secret: `whsec_${"A".repeat(20)}` }, "signature_secret"],
    [{ signature_header: "Bad header" }, "signature_header"],
    [{ signature_header: "authorization" }, "signature_header"],
  ] as const) {
    const { status, json: told } = await change(json);
    assert.deepEqual([status, Object.keys(told.message)], [400, [field]], JSON.stringify(json));
  }
  assert.equal((await change({ signature: "md5" })).status, 400);
  assert.equal((await change({ signature: null })).json.signature, null);
  assert.equal((await post(source, BODY, { authorization: `Bearer ${source.key}` })).status, 200);
  assert.equal((await change({ signature_secret: SECRET })).status, 400);
  const made = await world.call(`${api}/alert_integrations`, {
    as: "max",
    json: { type: "http", name: "From the start", signature: "sentry", signature_secret: SECRET },
  });
  assert.deepEqual([made.status, made.json.signature], [201, "sentry"]);
});
