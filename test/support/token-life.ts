/** What the life of tokens must be, as a model beside the running service: each command changes both and compares them. */
import assert from "node:assert/strict";
import { effectiveScopes } from "../../src/accounts/scope.ts";
import { insertUser } from "../../src/accounts/store.ts";
import { registerApplication } from "../../src/oauth/register-application.ts";
import { withdrawConsent } from "../../src/oauth/withdraw-consent.ts";
import { digest, newSecret } from "../../src/platform/secret.ts";
import { sql } from "../../src/platform/sql.ts";
import { CALLBACK, hiddenFields } from "./oauth.ts";
import { PASSWORD, type World } from "./world.ts";

const DAY = 24 * 3600;
/** Each is clearly within or beyond a limit, whatever the run itself takes: grace 30 s, codes 60 s, access 2 h, idle 30 d. */
const PASSES = [40, 3600, 7300, 31 * DAY] as const;
type Scopes = readonly string[];
const SCOPES: readonly Scopes[] = [["api"], ["read_user"], ["profile"], ["profile", "read_user"]];
const REDUCED: readonly Scopes[] = [["read_user", "profile"], ["profile"], ["openid"]];

/** What may happen; `which` picks among what there is. */
export type Step =
  | { do: "authorize" | "implicit"; scopes: number; answer: "allow" | "deny" }
  | { do: "redeem" | "refresh"; which: number; by: "own" | "other"; scopes?: number | undefined }
  | { do: "revoke access" | "revoke refresh"; which: number; by: "own" | "other" }
  | { do: "password"; scopes?: number | undefined }
  | { do: "reduce scopes"; to: number }
  | { do: "time"; passes: number }
  | { do: "withdraw" | "block" | "unblock" | "renew secret" | "delete" | "two-factor" };

interface Family {
  live: boolean;
  byPassword: boolean;
  scopes: readonly string[];
}
interface Code {
  secret: string;
  family: Family;
  spent: boolean;
  expiresAt: number;
}
interface Access {
  secret: string;
  family: Family;
  scopes: readonly string[];
  ended: boolean;
  expiresAt: number;
}
interface Refresh {
  secret: string;
  family: Family;
  expiresAt: number;
  spentAt?: number;
  asked?: string | undefined;
  successor?: { access: Access; refresh: Refresh };
}
interface Client {
  id: number;
  uid: string;
  secret: string;
}

const GRACE = 30;

/** One person, their application and a stranger's, with all that they hold. */
export class TokenLife {
  private readonly world: World;
  private readonly username: string;
  private userId = 0;
  private own: Client & { scopes: readonly string[]; exists: boolean };
  private other: Client;
  private now = 0;
  private blocked = false;
  private twoFactor = false;
  private consent: string[] = [];
  private readonly families: Family[] = [];
  private readonly codes: Code[] = [];
  private readonly accesses: Access[] = [];
  private readonly refreshes: Refresh[] = [];

  private constructor(world: World, username: string, own: Client, other: Client) {
    this.world = world;
    this.username = username;
    this.own = { ...own, scopes: ["api", "read_user", "profile"], exists: true };
    this.other = other;
  }

  /** @param cheapHash of `PASSWORD`, with the least cost */
  static async begin(world: World, other: Client, cheapHash: string): Promise<TokenLife> {
    const { db } = world.platform;
    const username = `life-${newSecret("accessToken").slice(4, 20)}`;
    const own = await anyApplication(world);
    const life = new TokenLife(world, username, own, other);
    life.userId = await insertUser(db, {
      username,
      name: "Liv Life",
      email: `${username}@example.org`,
      passwordHash: cheapHash,
      isAdmin: false,
      isPlaceholder: false,
      privateProfile: false,
    });
    return life;
  }

  async step(step: Step): Promise<void> {
    switch (step.do) {
      case "authorize":
      case "implicit":
        await this.authorize(step);
        break;
      case "redeem":
        await this.redeem(step);
        break;
      case "refresh":
        await this.refresh(step);
        break;
      case "revoke access":
      case "revoke refresh":
        await this.revoke(step);
        break;
      case "password":
        await this.password(step.scopes);
        break;
      case "time":
        await this.pass(PASSES[step.passes] ?? 40);
        break;
      default:
        await this.change(step);
    }
    await this.compare();
  }

  private async authorize({ do: kind, scopes: index, answer }: Step & { do: "authorize" | "implicit" }) {
    if (this.blocked || !this.own.exists) return;
    const scopes = among(SCOPES, index);
    const cookie = await this.session();
    const asked = new URLSearchParams({
      client_id: this.own.uid,
      redirect_uri: CALLBACK,
      response_type: kind === "implicit" ? "token" : "code",
      scope: scopes.join(" "),
    });
    let reply = await this.inject("GET", `/oauth/authorize?${asked}`, { cookie });
    const allowed = covered(scopes, this.own.scopes);
    const remembered = allowed && covered(scopes, this.consent);
    if (allowed)
      assert.equal(
        reply.status,
        remembered ? 303 : 200,
        `consent ${reply.status} ${reply.text.slice(0, 200)}`,
      );
    if (reply.status === 200) {
      const form = { ...hiddenFields(reply.text, "/oauth/authorize"), decision: answer };
      reply = await this.inject("POST", "/oauth/authorize", { cookie, form });
    }
    assert.equal(reply.status, 303, reply.text.slice(0, 300));
    const location = new URL(reply.location);
    const carried = new URLSearchParams(location.hash ? location.hash.slice(1) : location.search);
    if (!allowed) return assert.equal(carried.get("error"), "invalid_scope");
    if (!remembered && answer === "deny") return assert.equal(carried.get("error"), "access_denied");
    this.consent = [...new Set([...this.consent, ...scopes])];
    const family = this.family(scopes);
    if (kind === "implicit") this.access(family, carried.get("access_token") ?? "", scopes);
    else {
      this.codes.push({ secret: carried.get("code") ?? "", family, spent: false, expiresAt: this.now + 60 });
    }
  }

  private async redeem({ which, by }: Step & { do: "redeem" | "refresh" }) {
    const code = pick(this.codes, which);
    if (!code) return;
    const { family } = code;
    const json = await this.token(by, {
      grant_type: "authorization_code",
      code: code.secret,
      redirect_uri: CALLBACK,
    });
    if (by === "own" && !this.own.exists) return assert.equal(json.error, "invalid_client");
    // The code went with its application.
    if (!this.own.exists) return assert.equal(json.error, "invalid_grant");
    if (by === "other" || code.spent) {
      family.live = false;
      return assert.equal(json.error, "invalid_grant");
    }
    const dead = !family.live || this.now >= code.expiresAt || this.blocked;
    // Shown while its person is blocked, a code is refused for good (decision 0013).
    if (this.blocked && this.now < code.expiresAt) family.live = false;
    if (dead || !covered(family.scopes, this.own.scopes)) return assert.equal(json.error, "invalid_grant");
    assert.equal(json.error, undefined, JSON.stringify(json));
    code.spent = true;
    this.access(family, json.access_token, family.scopes);
    this.refreshes.push({ secret: json.refresh_token, family, expiresAt: this.now + 30 * DAY });
  }

  private async refresh({ which, by, scopes: index }: Step & { do: "redeem" | "refresh" }) {
    const token = pick(this.refreshes, which);
    if (!token) return;
    const scopes = index === undefined ? undefined : among(SCOPES, index);
    const asked = scopes?.join(" ");
    const form = {
      grant_type: "refresh_token",
      refresh_token: token.secret,
      ...(asked ? { scope: asked } : {}),
    };
    const json = await this.token(by, form);
    if (by === "own" && !this.own.exists) return assert.equal(json.error, "invalid_client");
    const refused = () => assert.equal(json.error, "invalid_grant");
    if (by === "other" || !this.own.exists || !token.family.live || this.blocked) return refused();
    if (token.spentAt !== undefined) return this.refreshAgain(token, asked, json);
    if (this.now >= token.expiresAt) return refused();
    const grant = effectiveScopes(token.family.scopes, this.own.scopes);
    if (grant.length === 0) return refused();
    if (scopes && !covered(scopes, grant)) return assert.equal(json.error, "invalid_scope");
    assert.equal(json.error, undefined, JSON.stringify(json));
    for (const access of this.accesses) if (access.family === token.family) access.ended = true;
    const access = this.access(token.family, json.access_token, scopes ?? grant);
    const expiresAt = this.now + 30 * DAY;
    const refresh: Refresh = { secret: json.refresh_token, family: token.family, expiresAt };
    this.refreshes.push(refresh);
    Object.assign(token, { spentAt: this.now, asked, successor: { access, refresh } });
  }

  private refreshAgain(token: Refresh, asked: string | undefined, json: Answer): unknown {
    const { successor, spentAt = 0, family } = token;
    const within = this.now - spentAt < GRACE;
    if (within && asked !== token.asked) return assert.equal(json.error, "invalid_grant");
    const unused =
      successor &&
      successor.refresh.spentAt === undefined &&
      !successor.access.ended &&
      this.now < successor.access.expiresAt;
    if (within && unused) {
      assert.equal(json.refresh_token, successor.refresh.secret, JSON.stringify(json));
      return assert.equal(json.access_token, successor.access.secret);
    }
    family.live = false;
    return assert.equal(json.error, "invalid_grant");
  }

  private async revoke({ do: kind, which, by }: Step & { do: "revoke access" | "revoke refresh" }) {
    const token = kind === "revoke access" ? pick(this.accesses, which) : pick(this.refreshes, which);
    if (!token) return;
    const client = by === "own" ? this.own : this.other;
    const form = { token: token.secret, client_id: client.uid, client_secret: client.secret };
    const { status } = await this.inject("POST", "/oauth/revoke", { form });
    if (by === "own" && !this.own.exists) return assert.equal(status, 401);
    // Of a deleted application nothing is left to be another's.
    if (by === "other") return assert.equal(status, this.own.exists ? 403 : 200);
    assert.equal(status, 200);
    token.family.live = false;
  }

  private async password(index: number | undefined) {
    const scopes = index === undefined ? undefined : among(SCOPES, index);
    await this.world.platform.db.run(sql`delete from sign_in_failures where login = lower(${this.username})`);
    const form = { grant_type: "password", username: this.username, password: PASSWORD };
    const json = await this.token("own", { ...form, ...(scopes ? { scope: scopes.join(" ") } : {}) });
    if (!this.own.exists) return assert.equal(json.error, "invalid_client");
    if (!covered(scopes ?? ["api"], this.own.scopes)) return assert.equal(json.error, "invalid_scope");
    if (this.blocked || this.twoFactor) return assert.equal(json.error, "invalid_grant");
    assert.equal(json.error, undefined, JSON.stringify(json));
    assert.equal(json.refresh_token, undefined);
    this.access(this.family(scopes ?? ["api"], true), json.access_token, scopes ?? ["api"]);
  }

  /** The database's clock cannot be set, so everything that has an instant is moved into the past. */
  private async pass(seconds: number) {
    const { db } = this.world.platform;
    const by = sql`make_interval(secs => ${seconds})`;
    const mine = sql`authorization_id in (select id from authorizations where user_id = ${this.userId})`;
    await db.run(
      sql`update authorization_codes set expires_at = expires_at - ${by}, spent_at = spent_at - ${by} where ${mine}`,
    );
    await db.run(
      sql`update refresh_tokens set expires_at = expires_at - ${by}, spent_at = spent_at - ${by} where ${mine}`,
    );
    await db.run(
      sql`update access_tokens set expires_at = expires_at - ${by}, created_at = created_at - ${by} where user_id = ${this.userId}`,
    );
    await db.run(
      sql`update authorizations set created_at = created_at - ${by} where user_id = ${this.userId}`,
    );
    this.now += seconds;
  }

  private async change(step: Step) {
    const { world, own } = this;
    const { db } = world.platform;
    const admin = (method: string, path: string) => world.call(`/api/v4${path}`, { as: "ada", method });
    if (step.do === "withdraw") {
      await withdrawConsent(db, this.userId, own, { actorId: this.userId, ip: "192.0.2.1" });
      this.consent = [];
      for (const family of this.families) family.live = false;
    } else if (step.do === "block" || step.do === "unblock") {
      assert.equal((await admin("POST", `/users/${this.userId}/${step.do}`)).status, 201);
      this.blocked = step.do === "block";
    } else if (step.do === "two-factor") {
      await db.run(
        sql`update users set totp_sealed = '\\x00', totp_confirmed_at = now() where id = ${this.userId}`,
      );
      this.twoFactor = true;
      for (const family of this.families) if (family.byPassword) family.live = false;
    } else if (step.do === "reduce scopes") {
      own.scopes = among(REDUCED, step.to);
      await db.run(sql`update applications set scopes = ${own.scopes} where id = ${own.id}`);
    } else if (step.do === "renew secret" && own.exists) {
      const renewed = await admin("POST", `/applications/${own.id}/renew-secret`);
      const before = await this.token("own", { grant_type: "refresh_token", refresh_token: "gor_none" });
      assert.equal(before.error, "invalid_client");
      own.secret = renewed.json.secret;
    } else if (step.do === "delete" && own.exists) {
      assert.equal((await admin("DELETE", `/applications/${own.id}`)).status, 204);
      own.exists = false;
      for (const family of this.families) family.live = false;
    }
  }

  /** Each token is worth what the model says, at token info, the API and introspection. */
  private async compare(): Promise<void> {
    const probes = this.accesses.map(async (access) => {
      const left = effectiveScopes(access.scopes, this.own.scopes);
      const alive = access.family.live && !access.ended && this.now < access.expiresAt && left.length > 0;
      const info = await this.inject("GET", "/oauth/token/info", { token: access.secret });
      assert.equal(info.status, alive && !this.blocked ? 200 : 401, `token info ${JSON.stringify(access)}`);
      if (info.status === 200) assert.deepEqual(info.json.scope, left);
      const user = await this.inject("GET", "/api/v4/user", { token: access.secret });
      const opens = left.includes("api") || left.includes("read_user");
      assert.equal(
        user.status,
        alive ? (opens && !this.blocked ? 200 : 403) : 401,
        `API ${JSON.stringify(access)}`,
      );
    });
    const { own } = this;
    const asked = (own.exists ? this.refreshes : []).map(async (token) => {
      const form = { token: token.secret, client_id: own.uid, client_secret: own.secret };
      const { json } = await this.inject("POST", "/oauth/introspect", { form });
      const left = effectiveScopes(token.family.scopes, own.scopes);
      const unspent = token.spentAt === undefined && this.now < token.expiresAt;
      const alive = token.family.live && unspent && !this.blocked && left.length > 0;
      assert.deepEqual([json.active, json.scope], alive ? [true, left.join(" ")] : [false, undefined]);
    });
    await Promise.all([...probes, ...asked]);
  }

  private family(scopes: readonly string[], byPassword = false): Family {
    const family = { live: true, byPassword, scopes };
    this.families.push(family);
    return family;
  }

  private access(family: Family, secret: string, scopes: readonly string[]): Access {
    const access = { secret, family, scopes, ended: false, expiresAt: this.now + 7200 };
    this.accesses.push(access);
    return access;
  }

  private async token(by: "own" | "other", form: Record<string, string>): Promise<Answer> {
    const { uid, secret } = by === "own" ? this.own : this.other;
    const all = { ...form, client_id: uid, client_secret: secret };
    return (await this.inject("POST", "/oauth/token", { form: all })).json;
  }

  /** A browser that has signed in; blocking ends them, so each question gets one. */
  private async session(): Promise<string> {
    const secret = newSecret("session");
    await this.world.platform.db.run(
      sql`insert into sessions (digest, user_id, authenticated_at, expires_at)
        values (${digest(secret)}, ${this.userId}, now(), now() + interval '1 hour')`,
    );
    return `session=${secret}`;
  }

  private async inject(
    method: "GET" | "POST",
    url: string,
    given: { token?: string; cookie?: string; form?: Readonly<Record<string, string>> },
  ): Promise<{ status: number; text: string; location: string; json: Answer }> {
    const { token, cookie, form } = given;
    const reply = await this.world.app.inject({
      method,
      url,
      headers: {
        host: new URL(this.world.url).host,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(cookie === undefined ? {} : { cookie }),
        ...(form === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" }),
      },
      ...(form === undefined ? {} : { payload: new URLSearchParams(form).toString() }),
    });
    let json: Answer = {};
    try {
      json = reply.json();
    } catch {}
    return {
      status: reply.statusCode,
      text: reply.body,
      location: String(reply.headers.location ?? ""),
      json,
    };
  }
}

// biome-ignore lint/suspicious/noExplicitAny: any member of an answer that is about to be judged
type Answer = any;

/** An application of the instance that may do all that the model does. */
export async function anyApplication(world: World): Promise<Client> {
  return registerApplication(world.platform.db, null, {
    name: "Life",
    redirectUris: [CALLBACK],
    postLogoutRedirectUris: [],
    backchannelLogoutUri: "",
    backchannelLogoutSessionRequired: false,
    scopes: ["api", "read_user", "profile"],
    grantTypes: ["authorization_code", "refresh_token", "implicit", "password"],
    confidential: true,
    omitIss: true,
    idTokenAlgorithm: "RS256",
    homePage: "",
  });
}

function pick<T>(list: readonly T[], which: number): T | undefined {
  return list.length === 0 ? undefined : list[which % list.length];
}

function among(list: readonly Scopes[], which: number): Scopes {
  return list[which % list.length] ?? [];
}

/** Plainly, so that the model does not lean on what it judges: `api` brings all, `read_user` the profile. */
function covered(asked: readonly string[], by: readonly string[]): boolean {
  return asked.every(
    (scope) => by.includes(scope) || by.includes("api") || (scope === "profile" && by.includes("read_user")),
  );
}
