/** Races: an application, consent, session or code that changes between being read and the response being written. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import pg from "pg";
import { integer, row } from "../../src/platform/row.ts";
import { digest, newSecret } from "../../src/platform/secret.ts";
import { sql } from "../../src/platform/sql.ts";
import { meanwhile, whileHeld } from "../support/meanwhile.ts";
import {
  aCode,
  anApplication,
  answerOf,
  aProof,
  authorizePath,
  decide,
  exchange,
  hiddenFields,
  refresh,
  signedIn,
  type TestApplication,
  tokenCall,
} from "../support/oauth.ts";
import { push } from "../support/pushed.ts";
import { until } from "../support/until.ts";
import { signedIn as visitorSignedIn } from "../support/visitor.ts";
import { PASSWORD, type Person, type Reply, startWorld, type World } from "../support/world.ts";

let world: World;
let application: TestApplication;
before(async () => {
  world = await startWorld();
  application = await anApplication(world);
});

const newestAuthorization = () =>
  world.platform.db.one(row({ id: integer }), sql`select max(id) as id from authorizations`);

describe("a password change, which ends the person's sessions, during the person's request", () => {
  const changed = (person: Person) =>
    [
      ["update users set password_hash = password_hash || ' ' where id = $1", world.ids[person]],
      ["delete from sessions where user_id = $1", world.ids[person]],
    ] as const;
  const isSignIn = (reply: { status: number; headers: Headers }) =>
    assert.deepEqual([reply.status, reply.headers.get("location")], [302, "/users/sign_in"]);

  it("makes the open consent form give no code (D16; reference reliability S54)", async () => {
    const dev = await signedIn(world, "dev");
    const page = await dev.get(authorizePath(application));
    const fields = { ...hiddenFields(page.text, "/oauth/authorize"), decision: "allow" };
    isSignIn(await meanwhile(world, changed("dev"), () => dev.post("/oauth/authorize", fields)));
  });

  it("gives no code where consent is remembered (D16; reference reliability S54)", async () => {
    const max = await signedIn(world, "max");
    await decide(max, authorizePath(application));
    const path = authorizePath(application, { prompt: "none" });
    const again = await meanwhile(world, changed("max"), () => max.get(path));
    assert.equal(again.status, 303);
    const location = new URL(again.headers.get("location") ?? "", world.url);
    assert.equal(location.origin, world.url, "the request starts again");
    assert.equal(answerOf(await max.get(location.pathname + location.search)).error, "login_required");
  });

  it("like a session that expires in the meantime, makes the consent form give no code (decision 0202)", async () => {
    const olga = await signedIn(world, "olga");
    const page = await olga.get(authorizePath(application));
    const fields = { ...hiddenFields(page.text, "/oauth/authorize"), decision: "allow" };
    const over = [
      ["update users set updated_at = now() where id = $1", world.ids.olga],
      ["update sessions set expires_at = now() where user_id = $1", world.ids.olga],
    ] as const;
    isSignIn(await meanwhile(world, over, () => olga.post("/oauth/authorize", fields)));
  });

  it("keeps the device from being allowed (D16)", async () => {
    const device = await anApplication(world, { redirectUris: [], grantTypes: ["device_code"] });
    const by = { authorization: device.basic };
    const { json } = await world.call("/oauth/authorize_device", { form: {}, headers: by });
    const rep = await signedIn(world, "rep");
    const form = hiddenFields((await rep.get("/oauth/device")).text, "/oauth/device");
    const fields = { ...form, user_code: json.user_code, decision: "allow" };
    isSignIn(await meanwhile(world, changed("rep"), () => rep.post("/oauth/device", fields)));
    const grant = { grant_type: "urn:ietf:params:oauth:grant-type:device_code" };
    const poll = await tokenCall(world, { ...grant, device_code: json.device_code }, by);
    assert.equal(poll.json.error, "authorization_pending");
  });
});

describe("a consent", () => {
  it("withdrawn during a request that skips the question is not given again by it (contract §4, consent)", async () => {
    const gus = await signedIn(world, "gus");
    await decide(gus, authorizePath(application));
    const path = authorizePath(application);
    assert.ok(answerOf(await gus.get(path)).code, "not asked");
    const withdrawn = ["delete from consents where user_id = $1", world.ids.gus] as const;
    const again = await meanwhile(world, [withdrawn], () => gus.get(path));
    assert.equal(again.status, 303);
    assert.equal(
      new URL(again.headers.get("location") ?? "", world.url).origin,
      world.url,
      "the request starts again",
    );
    assert.equal((await gus.get(path)).status, 200, "asked");
  });

  it("that was given while the application was public is shown as one to be asked for (decisions 0011 and 0155)", async () => {
    const open = await anApplication(world, { owner: "olga", confidential: false, scopes: ["read_user"] });
    const stan = await signedIn(world, "stan");
    const proof = { code_challenge: aProof().challenge, code_challenge_method: "S256" };
    await decide(stan, authorizePath(open, proof));
    const olga = await signedIn(world, "olga");
    const usage = async () => (await olga.get(`/profile/applications/${open.id}/usage`)).text;
    assert.doesNotMatch(await usage(), /Asked next time|Without a question/);
    const json = { confidential: true };
    const changed = await world.call(`/api/v4/applications/${open.id}`, { as: "ada", method: "PUT", json });
    assert.equal(changed.status, 200, changed.text);
    assert.match(await usage(), /@stan[\s\S]*Asked next time/);
    assert.doesNotMatch(await usage(), /Without a question/);
  });

  it("is not left behind by trust: people who were never asked are asked once trust is withdrawn (decision 0155)", async () => {
    const trusted = await anApplication(world, { owner: null, trusted: true, scopes: ["read_user"] });
    const stan = await signedIn(world, "stan");
    const { json } = await exchange(world, trusted, await aCode(stan, trusted));
    assert.equal((await world.call("/api/v4/user", { token: json.access_token })).json.username, "stan");
    const listed = (await stan.get("/profile/applications")).text;
    assert.match(listed, new RegExp(`revoke-${trusted.id}"[\\s\\S]*?1 active token stops`));
    const ada = await signedIn(world, "ada");
    const shown = await ada.get(`/admin/applications/${trusted.id}/usage`);
    assert.match(shown.text, /@stan[\s\S]*Without a question/);

    const put = (fields: object) =>
      world.call(`/api/v4/applications/${trusted.id}`, { as: "ada", method: "PUT", json: fields });
    assert.equal((await put({ trusted: false })).json.trusted, false);
    const untrusted = await ada.get(`/admin/applications/${trusted.id}/usage`);
    assert.match(untrusted.text, /@stan[\s\S]*Asked next time/);
    assert.equal((await stan.get(authorizePath(trusted))).status, 200, "asked now");
    await decide(stan, authorizePath(trusted));
    assert.ok(answerOf(await stan.get(authorizePath(trusted))).code, "and remembered from then on");
    await put({ trusted: true });
    assert.ok(answerOf(await stan.get(authorizePath(trusted))).code);
    await put({ trusted: false });
    assert.ok(answerOf(await stan.get(authorizePath(trusted))).code, "consent given before stays");
    assert.equal((await world.call("/api/v4/user", { token: json.access_token })).status, 200);
  });
});

describe("a code or refresh token that was valid when it was read", () => {
  const over = "expires_at = now()";
  const spent = "spent_at = now()";

  it("is refused once expired or spent, and a spent one revokes its authorization (RFC 6749 §4.1.2, §6; contract §4, code, refresh)", async () => {
    const stan = await signedIn(world, "stan");
    const lives = async (id: number) =>
      (await world.platform.db.run(
        sql`select from authorizations where id = ${id} and revoked_at is null`,
      )) === 1;
    for (const [change, isLeft] of [
      [over, true],
      [spent, false],
    ] as const) {
      const code = await aCode(stan, application);
      const { id } = await newestAuthorization();
      const shown = `update authorization_codes set ${change} where digest = $1`;
      const { json } = await meanwhile(world, [[shown, digest(code)]], () =>
        exchange(world, application, code),
      );
      assert.deepEqual([json.error, await lives(id)], ["invalid_grant", isLeft], change);
    }
    // A refresh token spent just now may be repeated (decision 0012), but this one has no successor.
    for (const [change, isLeft] of [
      [over, true],
      [spent, false],
    ] as const) {
      const pair = (await exchange(world, application, await aCode(stan, application))).json;
      const { id } = await newestAuthorization();
      const shown = `update refresh_tokens set ${change} where digest = $1`;
      const { json } = await meanwhile(world, [[shown, digest(pair.refresh_token)]], () =>
        refresh(world, application, pair.refresh_token),
      );
      assert.deepEqual([json.error, await lives(id)], ["invalid_grant", isLeft], change);
    }
  });
});

describe("an application", () => {
  const renew = () =>
    world.call(`/api/v4/applications/${application.id}/renew-secret`, { as: "ada", method: "POST" });
  /** Whether client authentication with the secret succeeds. */
  const opens = async (secret: string) => {
    const client = { client_id: application.uid, client_secret: secret };
    return (await tokenCall(world, { grant_type: "refresh_token", ...client })).status !== 401;
  };

  it("has one valid secret after concurrent renewals (contract §4, secrets)", async () => {
    const other = newSecret("clientSecret");
    const { id } = application;
    const mine = await meanwhile(
      world,
      [
        ["select from applications where id = $1 for no key update", id],
        ["update application_secrets set expires_at = now() where application_id = $1", id],
        ["insert into application_secrets (application_id, digest) values ($1, $2)", id, digest(other)],
      ],
      renew,
    );
    assert.deepEqual([mine.status, await opens(mine.json.secret), await opens(other)], [200, true, false]);
    const all = await Promise.all(Array.from({ length: 8 }, renew));
    const good = await Promise.all(all.map(({ json }) => opens(json.secret)));
    assert.equal(good.filter(Boolean).length, 1);
  });

  it("keeps both of two concurrent updates to different fields (contract §3)", async () => {
    const path = `/api/v4/applications/${application.id}`;
    const uris = "update applications set redirect_uris = '{https://new.example.org/cb}' where id = $1";
    const changed = await meanwhile(world, [[uris, application.id]], () =>
      world.call(path, { as: "ada", method: "PUT", json: { name: "Renamed" } }),
    );
    assert.deepEqual(
      [changed.json.application_name, changed.json.callback_url],
      ["Renamed", "https://new.example.org/cb"],
    );
  });

  it("deleted during its update or secret renewal is 404 (decision 0151)", async () => {
    for (const [method, path] of [
      ["PUT", ""],
      ["POST", "/renew-secret"],
    ] as const) {
      const { id } = await anApplication(world);
      const gone = await meanwhile(world, [["delete from applications where id = $1", id]], () =>
        world.call(`/api/v4/applications/${id}${path}`, { as: "ada", method, json: {} }),
      );
      assert.deepEqual([gone.status, gone.json], [404, { message: "404 Application Not Found" }]);
    }
  });

  it("deleted during its token request gets no tokens and an error code of the flow (RFC 6749 §5.2; contract §4, token errors)", async () => {
    const gus = await signedIn(world, "gus");
    const asks: [string, (leaving: TestApplication) => Promise<() => Promise<Reply>>][] = [
      [
        "invalid_grant",
        async (leaving) => {
          const code = await aCode(gus, leaving);
          return () => exchange(world, leaving, code);
        },
      ],
      [
        "invalid_grant",
        async (leaving) => {
          const { json } = await exchange(world, leaving, await aCode(gus, leaving));
          return () => refresh(world, leaving, json.refresh_token);
        },
      ],
      [
        "invalid_client",
        async ({ basic }) => {
          const form = { grant_type: "password", username: "gus", password: PASSWORD };
          return () => tokenCall(world, form, { authorization: basic });
        },
      ],
    ];
    for (const [error, begin] of asks) {
      const leaving = await anApplication(world);
      const ask = await begin(leaving);
      const removed = [["delete from applications where id = $1", leaving.id]] as const;
      const { status, json } = await meanwhile(world, removed, ask);
      assert.deepEqual([status, json.error], [error === "invalid_client" ? 401 : 400, error]);
    }
  });

  it("is locked before its codes, tokens and authorizations, in the order of a removal, which avoids deadlocks (decisions 0151, 0168)", async () => {
    const busy = await anApplication(world);
    const code = await aCode(await signedIn(world, "gus"), busy);
    const { id } = await newestAuthorization();
    const held = ["select from applications where id = $1 for update", busy.id] as const;
    const beside = (table: string, spent: string, ask: () => Promise<Reply>) =>
      whileHeld(world, [held], async (isWaitedFor, watcher) => {
        const asked = ask();
        await until(isWaitedFor);
        await watcher.query("select from authorizations where id = $1 for update nowait", [id]);
        await watcher.query(`select from ${table} where digest = $1 for update nowait`, [digest(spent)]);
        return { asked };
      });
    const exchanged = await (await beside("authorization_codes", code, () => exchange(world, busy, code)))
      .asked;
    assert.equal(exchanged.status, 200, exchanged.text);
    const { refresh_token: old } = exchanged.json;
    const renewed = await (await beside("refresh_tokens", old, () => refresh(world, busy, old))).asked;
    assert.equal(renewed.status, 200, renewed.text);
  });

  it("without a personal owner uses the account that a concurrent first request created (decision 0125)", async () => {
    const machine = await anApplication(world, { owner: null, grantTypes: ["client_credentials"] });
    const given = [
      "update applications set account_id = $1 where id = $2",
      world.ids.ada,
      machine.id,
    ] as const;
    const form = { grant_type: "client_credentials", scope: "read_user" };
    const issued = await meanwhile(world, [given], () =>
      tokenCall(world, form, { authorization: machine.basic }),
    );
    const { json } = await world.call("/api/v4/user", { token: issued.json.access_token });
    assert.deepEqual([issued.status, json.username], [200, "ada"], issued.text);
  });

  it("deleted during its pushed request gets an error and stores nothing (RFC 9126 §2.3; decision 0151)", async () => {
    const leaving = await anApplication(world);
    const gone = await meanwhile(world, [["delete from applications where id = $1", leaving.id]], () =>
      push(world, leaving),
    );
    assert.deepEqual([gone.status, gone.json.error], [409, "invalid_request"], gone.text);
  });
});

describe("a message that is shown once", () => {
  it("is shown by only one of two pages opened at once (contract §4, secrets)", async () => {
    const ada = await visitorSignedIn(world, "ada");
    const page = `/admin/applications/${application.id}`;
    const renewed = await ada.submit(`${page}/renew_secret`, {}, page);
    assert.equal(renewed.status, 303, renewed.text);
    const taken = "update sessions set flash = null where digest = $1";
    const late = await meanwhile(world, [[taken, digest(ada.cookie("session") ?? "")]], () => ada.get(page));
    assert.equal(late.status, 200);
    assert.doesNotMatch(late.text, /gos_/);
  });

  it("is not lost when a page removes an earlier message at the same time (contract §4, secrets)", async () => {
    const olga = await visitorSignedIn(world, "olga");
    const session = digest(olga.cookie("session") ?? "");
    const sealed = (text: string) => world.platform.keys.seal(JSON.stringify({ kind: "ok", text }), "flash");
    const leave = "update sessions set flash = $1 where digest = $2";
    await world.platform.db.run(
      sql`update sessions set flash = ${sealed("the first")} where digest = ${session}`,
    );
    await meanwhile(world, [[leave, sealed("the second"), session]], () => olga.get("/profile/applications"));
    assert.match((await olga.get("/profile/applications")).text, /the second/);
    assert.doesNotMatch((await olga.get("/profile/applications")).text, /the second/);
  });
});

describe("a slow list of applications", () => {
  it("does not delay other requests (reference performance)", async () => {
    const ada = await signedIn(world, "ada");
    const token = await world.tokenOf("ada", "api");
    const client = new pg.Client(world.connection);
    await client.connect();
    try {
      await client.query("begin");
      await client.query("lock table consents in access exclusive mode");
      const paths = ["/profile/applications", "/admin/applications", `/admin/applications/${application.id}`];
      const lists = Promise.all([...paths, ...paths].map((path) => ada.get(path)));
      await until(async () => {
        // Activity is looked up once per transaction unless the snapshot is cleared.
        await client.query("select pg_stat_clear_snapshot()");
        const waiting =
          "select from pg_stat_activity where cardinality(pg_blocking_pids(pid)) > 0 and datname = current_database()";
        return ((await client.query(waiting)).rowCount ?? 0) >= 2;
      });
      const asked = Array.from({ length: 20 }, () => world.call("/oauth/token/info", { token }));
      for (const reply of await Promise.all(asked)) assert.equal(reply.status, 200);
      await client.query("rollback");
      for (const list of await lists) assert.equal(list.status, 200);
    } finally {
      await client.end();
    }
  });
});

describe("a password change while a response is being written", () => {
  /** Changes the person's password after the response has begun to write and before it ends. */
  async function changedBeside(person: Person, applicationId: number, answer: () => Promise<Reply>) {
    const held = ["select from applications where id = $1 for update", applicationId] as const;
    const { answered, changed } = await whileHeld(world, [held], async (isWaitedFor, watcher) => {
      const answered = answer();
      await until(isWaitedFor);
      const json = { password: "an entirely different horse" };
      const path = `/api/v4/users/${world.ids[person]}`;
      const changed = world.call(path, { as: "ada", method: "PUT", json });
      const waiting =
        "select from pg_stat_activity where cardinality(pg_blocking_pids(pid)) > 0 and datname = current_database()";
      await until(async () => ((await watcher.query(waiting)).rowCount ?? 0) >= 2);
      return { answered, changed };
    });
    assert.equal((await changed).status, 200);
    return answered;
  }

  it("waits for it and invalidates the code in it (reference oauth D16)", async () => {
    const gus = await signedIn(world, "gus");
    const asking = await anApplication(world);
    const fields = hiddenFields((await gus.get(authorizePath(asking))).text, "/oauth/authorize");
    const given = await changedBeside("gus", asking.id, () =>
      gus.post("/oauth/authorize", { ...fields, decision: "allow" }),
    );
    const { json } = await exchange(world, asking, answerOf(given).code ?? "");
    assert.equal(json.error, "invalid_grant");
  });

  it("waits for it and invalidates the allowed device, too (reference oauth D16)", async () => {
    const device = await anApplication(world, { redirectUris: [], grantTypes: ["device_code"] });
    const by = { authorization: device.basic };
    const { json } = await world.call("/oauth/authorize_device", { form: {}, headers: by });
    const stan = await signedIn(world, "stan");
    const form = hiddenFields((await stan.get("/oauth/device")).text, "/oauth/device");
    const given = await changedBeside("stan", device.id, () =>
      stan.post("/oauth/device", { ...form, user_code: json.user_code, decision: "allow" }),
    );
    assert.equal(given.status, 303);
    const grant = { grant_type: "urn:ietf:params:oauth:grant-type:device_code" };
    const poll = await tokenCall(world, { ...grant, device_code: json.device_code }, by);
    assert.equal(poll.json.error, "expired_token");
  });
});
