/** Credentials are created, and factors removed, only if the session, token or account is still valid (decision 0155). */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { createPasswordLink } from "../../src/accounts/create-password-link.ts";
import { createToken } from "../../src/accounts/create-token.ts";
import { requestReset } from "../../src/accounts/request-reset.ts";
import { deleteSecondFactors, findFactors } from "../../src/accounts/store-second-factor.ts";
import { withinTransaction } from "../../src/demo/within-transaction.ts";
import { integer, row } from "../../src/platform/row.ts";
import { Sql, sql } from "../../src/platform/sql.ts";
import { meanwhile, whileDoing } from "../support/meanwhile.ts";
import { worldWithMail } from "../support/post-office.ts";
import { codeOf, turnOnTwoFactor } from "../support/two-factor.ts";
import { signedIn, Visitor } from "../support/visitor.ts";
import { PASSWORD, type Person, type Reply, startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

/** Counts of all credentials, and of what leads to some. */
async function keysOf(person: Person): Promise<Record<string, number>> {
  const of = (statement: string) =>
    world.platform.db
      .one(row({ n: integer }), new Sql([statement.replace("$1", String(world.ids[person]))], []))
      .then(({ n }) => n);
  return {
    tokens: await of("select count(*) as n from access_tokens where user_id = $1 and revoked_at is null"),
    applications: await of("select count(*) as n from applications where owner_id = $1 or owner_id is null"),
    renewed: await of("select count(*) as n from audit_entries where action = 'secret_renewed' and $1 > 0"),
    feeds: await of(
      "select coalesce(sum(get_byte(digest, 0) + 256 * get_byte(digest, 1)), 0)::bigint as n from event_feed_tokens where user_id = $1",
    ),
    apps: await of("select count(*) as n from users where id = $1 and totp_confirmed_at is not null"),
    codes: await of(
      "select coalesce(sum(get_byte(digest, 0) + 256 * get_byte(digest, 1)), 0)::bigint as n from recovery_codes where user_id = $1",
    ),
    addresses: await of("select count(*) as n from email_changes where user_id = $1"),
    emails: await of("select length(email) as n from users where id = $1"),
    links: await of("select count(*) as n from password_links where $1 > 0"),
    people: await of("select count(*) as n from users where $1 > 0"),
  };
}

/** Ends all sessions and tokens the way the service does: the user's row is locked first. */
const ended = (person: Person) =>
  [
    ["update users set updated_at = now() where id = $1", world.ids[person]],
    ["delete from sessions where user_id = $1", world.ids[person]],
    ["update access_tokens set revoked_at = now() where user_id = $1", world.ids[person]],
  ] as const;

describe("a session that ends during its request (decision 0155; reference reliability S54)", () => {
  const forms: [string, Person, (visitor: Visitor) => Promise<[string, Record<string, string>]>][] = [
    [
      "a personal access token",
      "dev",
      async () => ["/profile/personal_access_tokens", { name: "late", scopes: "api" }],
    ],
    [
      "an application with a secret",
      "dev",
      async () => [
        "/profile/applications",
        {
          name: "Late",
          redirect_uri: "https://late.example.org/",
          scopes: "api",
          grant_types: "client_credentials",
          confidential: "1",
        },
      ],
    ],
    ["a feed token", "dev", async () => ["/profile/feeds/reset", {}]],
    [
      "another email address",
      "dev",
      async () => ["/profile/email", { email: "late-and-longer@example.org", password: PASSWORD }],
    ],
    [
      "an authenticator app",
      "rep",
      async (visitor) => {
        await visitor.submit("/profile/two_factor", { password: PASSWORD });
        const { text } = await visitor.get("/profile/two_factor");
        const key = /id="key"[^>]*>([A-Z2-7 ]+)</.exec(text)?.[1]?.replaceAll(" ", "") ?? "";
        return ["/profile/two_factor/confirm", { code: codeOf(key) }];
      },
    ],
    [
      "a link for somebody's new password",
      "ada",
      async () => [`/admin/users/${world.ids.gus}/password_link`, {}],
    ],
    [
      "an account",
      "ada",
      async () => [
        "/admin/users",
        {
          username: "late",
          name: "Late",
          email: "l@example.org",
          password: "late words of mine",
          is_admin: "yes",
        },
      ],
    ],
  ];
  for (const [what, person, prepare] of forms) {
    it(`does not create ${what} (decision 0155)`, async () => {
      const visitor = await signedIn(world, person);
      await visitor.get("/profile");
      const [path, fields] = await prepare(visitor);
      const before = await keysOf(person);
      const page = await meanwhile(world, ended(person).slice(0, 2), () => visitor.post(path, fields));
      assert.deepEqual(await keysOf(person), before);
      assert.equal(page.location, "/users/sign_in", page.text);
    });
  }

  for (const [how, statement] of [
    ["was deleted and another session of the user continues", "delete from sessions"],
    ["has expired", "update sessions set expires_at = now()"],
  ] as const) {
    it(`does not create a token if it ${how} (decision 0155)`, async () => {
      const [goesOn, visitor] = [await signedIn(world, "dev"), await signedIn(world, "dev")];
      await visitor.get("/profile");
      const newest = "(select max(created_at) from sessions where user_id = $1)";
      const over = [
        ["update users set updated_at = now() where id = $1", world.ids.dev],
        [`${statement} where user_id = $1 and created_at = ${newest}`, world.ids.dev],
      ] as const;
      const before = await keysOf("dev");
      const fields = { name: "late", scopes: "api" };
      const page = await meanwhile(world, over, () =>
        visitor.post("/profile/personal_access_tokens", fields),
      );
      assert.deepEqual(await keysOf("dev"), before);
      assert.equal(page.location, "/users/sign_in", page.text);
      assert.equal((await goesOn.get("/profile")).status, 200);
    });
  }

  it("does not create a confirmation link for another email address (decision 0155)", async () => {
    const { world: mailing } = await worldWithMail();
    const visitor = await signedIn(mailing, "dev");
    await visitor.get("/profile");
    const dev = mailing.ids.dev;
    const over = [
      ["update users set updated_at = now() where id = $1", dev],
      ["delete from sessions where user_id = $1", dev],
    ] as const;
    const asked = () => visitor.post("/profile/email", { email: "late@example.org" });
    const page = await meanwhile(mailing, over, asked);
    assert.equal(page.location, "/users/sign_in", page.text);
    const made = new Sql(["select count(*) as n from email_changes"], []);
    assert.equal((await mailing.platform.db.one(row({ n: integer }), made)).n, 0);
  });

  it("does not create new recovery codes (decision 0155)", async () => {
    const { codes } = await turnOnTwoFactor(world, "max");
    const visitor = new Visitor(world.url);
    await visitor.submit("/users/sign_in", { username: "max", password: PASSWORD });
    await visitor.submit("/users/two_factor", { code: codes[0] ?? "" });
    await visitor.get("/profile/two_factor");
    const before = await keysOf("max");
    await meanwhile(world, ended("max").slice(0, 2), () =>
      visitor.post("/profile/two_factor/codes", { password: PASSWORD }),
    );
    assert.deepEqual(await keysOf("max"), before);
  });
});

describe("a session or token that ends during its request removes no second factor (decision 0155)", () => {
  /** Signs Rep in, and then gives them an authenticator app and a passkey. */
  const withFactors = async () => {
    const { db } = world.platform;
    const { rep } = world.ids;
    await db.transaction((tx) => deleteSecondFactors(tx, rep));
    const visitor = await signedIn(world, "rep");
    await visitor.get("/profile/two_factor");
    await db.run(sql`update users set totp_sealed = '', totp_confirmed_at = now() where id = ${rep}`);
    const { id } = await db.one(
      row({ id: integer }),
      sql`insert into passkeys (user_id, name, credential_id, public_key) values (${rep}, 'Phone', '1', '')
        returning id`,
    );
    return { visitor, passkeyId: id };
  };
  const factorsNow = () => findFactors(world.platform.db, world.ids.rep);

  for (const [what, removing] of [
    ["the authenticator app", () => ["/profile/two_factor/app/remove", {}]],
    ["a passkey", (passkeyId) => [`/profile/two_factor/passkeys/${passkeyId}/remove`, {}]],
    ["all factors", () => ["/profile/two_factor/off", { password: PASSWORD }]],
  ] as const satisfies [string, (passkeyId: number) => [string, Record<string, string>]][]) {
    it(`a session that ends does not remove ${what} (decision 0155)`, async () => {
      const { visitor, passkeyId } = await withFactors();
      const before = await factorsNow();
      const [path, fields] = removing(passkeyId);
      const page = await meanwhile(world, ended("rep").slice(0, 2), () => visitor.post(path, fields));
      assert.equal(page.location, "/users/sign_in", page.text);
      assert.deepEqual(await factorsNow(), before);
    });
  }

  it("a token that is revoked does not turn two-factor sign-in off, and gets 401 (decision 0155)", async () => {
    await withFactors();
    const before = await factorsNow();
    const json = { name: "robbed", scopes: ["api"] };
    const made = await world.call(`/api/v4/users/${world.ids.rep}/personal_access_tokens`, {
      as: "ada",
      json,
    });
    const reply = await meanwhile(world, ended("rep"), () =>
      world.call("/api/v4/user/two_factor", {
        token: made.json.token,
        method: "DELETE",
        json: { password: PASSWORD },
      }),
    );
    assert.equal(reply.status, 401, reply.text);
    assert.deepEqual(await factorsNow(), before);
  });
});

describe("a token that ends during its request (decision 0155)", () => {
  const json = {
    name: "Late",
    redirect_uri: "https://late.example.org/",
    scopes: "api",
    grant_types: ["authorization_code"],
  };
  const asks: [string, (token: string) => Promise<Reply>][] = [
    [
      "a token for somebody else",
      (token) =>
        world.call(`/api/v4/users/${world.ids.ada}/personal_access_tokens`, {
          token,
          json: { name: "late", scopes: ["api"] },
        }),
    ],
    ["an application", (token) => world.call("/api/v4/applications", { token, json })],
    ["a feed token", (token) => world.call("/api/v4/user/feed_token/reset", { token, method: "POST" })],
    [
      "an account",
      (token) =>
        world.call("/api/v4/users", {
          token,
          json: { username: "late", name: "Late", email: "l@example.org", password: "late words of mine" },
        }),
    ],
  ];
  for (const [what, ask] of asks) {
    it(`does not create ${what}, and gets 401 (decision 0155)`, async () => {
      const made = await world.call(`/api/v4/users/${world.ids.ada}/personal_access_tokens`, {
        as: "ada",
        json: { name: "robbed", scopes: ["api"] },
      });
      const before = await keysOf("ada");
      const held = [
        ["update users set updated_at = now() where id = $1", world.ids.ada],
        ["update access_tokens set revoked_at = now() where id = $1", made.json.id],
      ] as const;
      const reply = await meanwhile(world, held, () => ask(made.json.token));
      assert.equal(reply.status, 401, reply.text);
      assert.deepEqual(await keysOf("ada"), { ...before, tokens: (before.tokens ?? 0) - 1 });
    });
  }

  it("does not create an application if it expired (decision 0155)", async () => {
    const made = await world.call(`/api/v4/users/${world.ids.ada}/personal_access_tokens`, {
      as: "ada",
      json: { name: "short", scopes: ["api"] },
    });
    const before = await keysOf("ada");
    const over = [
      ["update users set updated_at = now() where id = $1", world.ids.ada],
      ["update access_tokens set expires_at = now() where id = $1", made.json.id],
    ] as const;
    const reply = await meanwhile(world, over, () =>
      world.call("/api/v4/applications", { token: made.json.token, json }),
    );
    assert.equal(reply.status, 401, reply.text);
    assert.deepEqual(await keysOf("ada"), before);
  });

  it("does not rotate another token (decision 0155)", async () => {
    const another = async () =>
      (
        await world.call(`/api/v4/users/${world.ids.ada}/personal_access_tokens`, {
          as: "ada",
          json: { name: "robbed", scopes: ["api"] },
        })
      ).json;
    const [robbed, other] = [await another(), await another()];
    const held = [
      ["update users set updated_at = now() where id = $1", world.ids.ada],
      ["update access_tokens set revoked_at = now() where id = $1", robbed.id],
    ] as const;
    const reply = await meanwhile(world, held, () =>
      world.call(`/api/v4/personal_access_tokens/${other.id}/rotate`, {
        token: robbed.token,
        method: "POST",
      }),
    );
    assert.equal(reply.status, 401, reply.text);
    assert.equal((await world.call("/api/v4/user", { token: other.token })).status, 200);
  });

  it("does not rotate another token if its user is blocked meanwhile (decision 0155)", async () => {
    const mine = async () =>
      (
        await world.call(`/api/v4/users/${world.ids.gus}/personal_access_tokens`, {
          as: "ada",
          json: { name: "mine", scopes: ["api"] },
        })
      ).json;
    const [shown, other] = [await mine(), await mine()];
    const held = [["update users set state = 'blocked' where id = $1", world.ids.gus]] as const;
    const reply = await meanwhile(world, held, () =>
      world.call(`/api/v4/personal_access_tokens/${other.id}/rotate`, { token: shown.token, method: "POST" }),
    );
    assert.equal(reply.status, 401, reply.text);
    await world.call(`/api/v4/users/${world.ids.gus}/unblock`, { as: "ada", method: "POST" });
    assert.equal((await world.call("/api/v4/user", { token: other.token })).status, 200);
  });
});

describe("a password change that ends all credentials also ends those created at the same time (decision 0046)", () => {
  const json = (username: string) => ({
    username,
    name: username,
    email: `${username}@example.org`,
    password: PASSWORD,
  });
  const person = async (username: string) => {
    const { id } = (await world.call("/api/v4/users", { as: "ada", json: json(username) })).json;
    const owner = new Visitor(world.url);
    await owner.submit("/users/sign_in", { username, password: PASSWORD });
    await owner.get("/profile/password");
    const given = { current_password: PASSWORD, password: "entirely other words", end_tokens: "yes" };
    return { id: id as number, change: () => owner.post("/profile/password", given) };
  };

  it("personal access tokens (reference ux §7)", async () => {
    const { id, change } = await person("token-of-now");
    const fields = { name: "stolen", scopes: ["api"], expiresOn: null };
    const { first, worked } = await whileDoing(world, (tx) => createToken(tx, id, fields), change);
    assert.equal(worked.status, 303, worked.text);
    assert.equal((await world.call("/api/v4/user", { token: first.secret })).status, 401);
  });

  it("links for a new password, from the console and by mail (decision 0046; decision 0110)", async () => {
    const links = (id: number) =>
      world.platform.db.one(
        row({ n: integer }),
        new Sql([`select count(*) as n from password_links where user_id = ${id}`], []),
      );
    const made = await person("link-of-now");
    const act = { actorId: null, ip: "console" };
    const { first, worked } = await whileDoing(
      world,
      (tx) => createPasswordLink(withinTransaction(world.platform, tx), made.id, act),
      made.change,
    );
    assert.equal(worked.status, 303, worked.text);
    assert.equal((await links(made.id)).n, 0, first);
    const asked = await person("mail-of-now");
    await whileDoing(
      world,
      (tx) => requestReset(withinTransaction(world.platform, tx), "mail-of-now@example.org", "::1"),
      asked.change,
    );
    assert.equal((await links(asked.id)).n, 0);
  });
});
