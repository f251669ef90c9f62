/** Robustness of the OAuth doors: clocks that are wrong, and limits that no header or spelling slips past. */
import assert from "node:assert/strict";
import { afterEach, before, mock, test } from "node:test";
import { sql } from "../../../src/platform/sql.ts";
import { aPair, apiStatus, aScene } from "../../support/attacks.ts";
import { stopsMeasuring } from "../../support/measuring.ts";
import {
  aCode,
  anApplication,
  exchange,
  refresh,
  type TestApplication,
  type Visitor,
} from "../../support/oauth.ts";
import { startWorld, type World } from "../../support/world.ts";

let world: World;
let dev: Visitor;
let application: TestApplication;

before(async () => {
  ({ world, dev, application } = await aScene());
});

const DAY = 86_400_000;

afterEach(() => mock.restoreAll());

test("a process whose clock is days off issues, renews and refuses as the database's clock says (contract §4, time; reference oauth D87, reliability F23)", async () => {
  for (const off of [-3 * DAY, 3 * DAY]) {
    const code = await aCode(dev, application);
    const dead = await aPair(world, dev, application);
    await world.platform.db.run(
      sql`update access_tokens set expires_at = now() where id = (select max(id) from access_tokens)`,
    );
    mock.timers.enable({ apis: ["Date"], now: Date.now() + off });
    try {
      const issued = await exchange(world, application, code);
      assert.equal(issued.status, 200, issued.text);
      assert.ok(
        Math.abs(issued.json.created_at * 1000 - (Date.now() - off)) < 60_000,
        "created_at is the database's",
      );
      const info = await world.call("/oauth/token/info", { token: issued.json.access_token });
      assert.ok(info.json.expires_in > 7100 && info.json.expires_in <= 7200, info.text);
      assert.equal(await apiStatus(world, dead.access_token), 401);
      const renewed = await refresh(world, application, issued.json.refresh_token);
      assert.equal(renewed.status, 200, renewed.text);
      assert.equal(await apiStatus(world, renewed.json.access_token), 200);
    } finally {
      mock.timers.reset();
    }
  }
});

test("the limit of refusals is 429 with Retry-After, and neither another header, spelling nor way of proof slips past it (contract §4, rate limits; reference oauth D88)", async () => {
  const limited = await startWorld({ GATEHOUSE_RATE_LIMITS: "on" });
  const target = await anApplication(limited);
  const form = { grant_type: "refresh_token", refresh_token: "x" };
  const wrong = (id: string) => `Basic ${Buffer.from(`${id}:wrong`).toString("base64")}`;
  const encoded = [...target.uid].map((c) => `%${c.charCodeAt(0).toString(16)}`).join("");
  const ways = [
    (n: number) => ({
      form: { ...form, client_id: target.uid, client_secret: `wrong${n}` },
      headers: { "x-forwarded-for": `10.0.0.${n}` },
    }),
    (n: number) => ({ form, headers: { authorization: wrong(target.uid), "x-real-ip": `10.0.1.${n}` } }),
    (n: number) => ({ form, headers: { authorization: wrong(encoded), forwarded: `for=10.0.2.${n}` } }),
    (n: number) => ({
      form: { ...form, client_id: target.uid, client_secret: "w" },
      headers: { "user-agent": `agent ${n}` },
    }),
  ];
  stopsMeasuring();
  const statuses: number[] = [];
  for (let n = 0; n < 64; n++) {
    const way = ways[n % ways.length] as (n: number) => object;
    statuses.push((await limited.call("/oauth/token", way(n))).status);
  }
  assert.deepEqual([...new Set(statuses)].sort(), [401, 429]);
  assert.equal(statuses.filter((status) => status === 401).length, 60, "one bucket, whatever the way");
  for (const way of ways) {
    const reply = await limited.call("/oauth/token", way(1));
    assert.equal(reply.status, 429);
    assert.match(reply.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
    assert.equal(reply.headers.get("ratelimit-remaining"), "0");
    assert.equal(reply.json.error, "temporarily_unavailable");
    assert.equal(reply.headers.get("www-authenticate"), null);
  }
});

test("devices begin 600 times a minute from one address at most, for an application that needs no proof (reference oauth D83, D88)", async () => {
  const limited = await startWorld({ GATEHOUSE_RATE_LIMITS: "on" });
  const television = await anApplication(limited, { grantTypes: ["device_code"], confidential: false });
  const begin = () =>
    limited.call("/oauth/authorize_device", { form: { client_id: television.uid, scope: "read_user" } });
  stopsMeasuring();
  const statuses: number[] = [];
  for (let n = 0; n < 65; n++) {
    statuses.push(...(await Promise.all(Array.from({ length: 10 }, begin))).map(({ status }) => status));
  }
  assert.deepEqual([...new Set(statuses)].sort(), [200, 429]);
  assert.ok(
    statuses.filter((status) => status === 200).length >= 600,
    "what arrives at once is judged together",
  );
  assert.match((await begin()).headers.get("retry-after") ?? "", /^[1-9]\d*$/);
});
