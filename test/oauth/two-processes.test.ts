/** Two processes of the service on one database agree about refresh token families, revocation and client secrets. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { addressOf } from "../support/database.ts";
import { newInstallation, startService } from "../support/installation.ts";
import { aCode, anApplication, exchange, refresh, signedIn, type Visitor } from "../support/oauth.ts";
import { type Reply, startWorld, type World } from "../support/world.ts";

let here: World;
/** The same world, reached through the other process. */
let there: Pick<World, "call">;
let dev: Visitor;

before(async () => {
  here = await startWorld();
  const installation = await newInstallation({
    DATABASE_URL: addressOf(here.connection),
    GATEHOUSE_MASTER_KEY: "07".repeat(32),
    GATEHOUSE_RATE_LIMITS: "off",
  });
  await startService(installation);
  there = {
    call: async (path, { form, token } = {}) => {
      const reply = await fetch(installation.url + path, {
        redirect: "manual",
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
        ...(form === undefined
          ? {}
          : { method: "POST", body: new URLSearchParams(form as Record<string, string>) }),
      });
      const text = await reply.text();
      return { status: reply.status, headers: reply.headers, text, json: JSON.parse(text) };
    },
  };
  dev = await signedIn(here, "dev");
});

const aPair = async () => {
  const application = await anApplication(here);
  return { application, pair: (await exchange(here, application, await aCode(dev, application))).json };
};

const statuses = async (token: string) => {
  const asked = ["/oauth/token/info", "/api/v4/user"].flatMap((path) => [
    here.call(path, { token }),
    there.call(path, { token }),
  ]);
  return (await Promise.all(asked)).map(({ status }) => status);
};
const ALIVE = [200, 200, 200, 200];
const DEAD = [401, 401, 401, 401];

test("64 refreshes with one token at two processes give one successor (contract §4, refresh; reference oauth D23)", async () => {
  for (let round = 0; round < 5; round++) {
    const { application, pair } = await aPair();
    const replies: Reply[] = await Promise.all(
      Array.from({ length: 64 }, (_, index) =>
        refresh((index % 2 === 0 ? here : there) as World, application, pair.refresh_token),
      ),
    );
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200]);
    assert.equal(new Set(replies.map(({ json }) => json.access_token)).size, 1);
    const successors = new Set(replies.map(({ json }) => json.refresh_token));
    assert.equal(successors.size, 1);
    assert.deepEqual(await statuses(pair.access_token), DEAD);
    assert.deepEqual(await statuses(replies[0]?.json.access_token), ALIVE);
    const next = await refresh(there as World, application, [...successors][0]);
    assert.equal(next.status, 200);
    assert.deepEqual(await statuses(next.json.access_token), ALIVE);
  }
});

test("of 32 exchanges of a code at two processes one succeeds, and its tokens are then revoked (contract §4, code)", async () => {
  const application = await anApplication(here);
  const code = await aCode(dev, application);
  const replies = await Promise.all(
    Array.from({ length: 32 }, (_, index) =>
      exchange((index % 2 === 0 ? here : there) as World, application, code),
    ),
  );
  const won = replies.filter(({ status }) => status === 200);
  assert.equal(won.length, 1);
  assert.deepEqual(await statuses(won[0]?.json.access_token), DEAD);
});

test("after 16 concurrent renewals at two processes, each with a grace period, two client secrets are valid (reference reliability, client secret)", async () => {
  const { id, uid, secret } = await anApplication(here, { owner: null });
  const asked = { token: await here.tokenOf("ada", "api"), form: { grace_seconds: "3600" } };
  const renewals = Array.from({ length: 16 }, (_, index) =>
    (index % 2 === 0 ? here : there).call(`/api/v4/applications/${id}/renew-secret`, asked),
  );
  const renewed = await Promise.all(renewals);
  assert.deepEqual([...new Set(renewed.map(({ status }) => status))], [200]);
  const proven = [];
  for (const client_secret of [secret, ...renewed.map(({ json }) => json.secret)]) {
    const form = { grant_type: "refresh_token", refresh_token: "x", client_id: uid, client_secret };
    const { json } = await there.call("/oauth/token", { form });
    if (json.error === "invalid_grant") proven.push(client_secret);
  }
  assert.equal(proven.length, 2);
});

test("revocation, removal of the application, lost scopes and a blocked user take effect at both processes at once (contract §4, tokens and roles; reference oauth D69)", async () => {
  const revoked = await aPair();
  assert.deepEqual(await statuses(revoked.pair.access_token), ALIVE);
  const { uid: client_id, secret: client_secret } = revoked.application;
  const form = { token: revoked.pair.refresh_token, client_id, client_secret };
  assert.equal((await there.call("/oauth/revoke", { form })).status, 200);
  assert.deepEqual(await statuses(revoked.pair.access_token), DEAD);

  const deleted = await aPair();
  const path = `/api/v4/applications/${deleted.application.id}`;
  assert.equal((await here.call(path, { as: "ada", method: "DELETE" })).status, 204);
  assert.deepEqual(await statuses(deleted.pair.access_token), DEAD);

  const reduced = await aPair();
  const to = `/api/v4/applications/${reduced.application.id}`;
  const changed = await here.call(to, { as: "ada", method: "PUT", json: { scopes: "profile" } });
  assert.equal(changed.status, 200, changed.text);
  assert.deepEqual(await statuses(reduced.pair.access_token), [200, 200, 403, 403]);

  const blocked = await aPair();
  const block = `/api/v4/users/${here.ids.dev}/block`;
  assert.equal((await here.call(block, { as: "ada", method: "POST" })).status, 201);
  assert.deepEqual(await statuses(blocked.pair.access_token), [401, 401, 403, 403]);
  assert.equal((await refresh(there as World, blocked.application, blocked.pair.refresh_token)).status, 400);
});
