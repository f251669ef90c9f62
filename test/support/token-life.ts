/** A model of the lifetimes of tokens beside the running service: each step changes both and compares them. */

import assert from "node:assert/strict";
import { effectiveScopes } from "../../src/accounts/scope.ts";
import { insertUser } from "../../src/accounts/store.ts";
import { deleteSessionsOfUser } from "../../src/accounts/store-sessions.ts";
import { updatePassword } from "../../src/accounts/store-users.ts";
import { DEVICE_GRANT, GRANT_TYPES } from "../../src/oauth/application.ts";
import { withdrawConsent } from "../../src/oauth/withdraw-consent.ts";
import { digest, newSecret } from "../../src/platform/secret.ts";
import { sql } from "../../src/platform/sql.ts";
import { countedLogin } from "./failures.ts";
import { CALLBACK, hiddenFields } from "./oauth.ts";
import {
  type Access,
  ALL_SCOPES,
  type Answer,
  among,
  anyApplication,
  CALLBACKS,
  type Client,
  type Code,
  covered,
  DAY,
  type Device,
  type Family,
  FLOWS,
  GRACES,
  type InjectReply,
  inject,
  type Own,
  PASSES,
  pick,
  type Question,
  REGISTERED,
  type Refresh,
  SCOPES,
  type Scopes,
  type Step,
} from "./token-life-parts.ts";
import { PASSWORD, type World } from "./world.ts";

const GRACE = 30;

/** One person, their application and another one, with all codes and tokens. */
export class TokenLife {
  private readonly world: World;
  private readonly username: string;
  private readonly hashes: readonly string[];
  private userId = 0;
  private own: Own;
  private other: Client;
  private now = 0;
  private passwords = 0;
  private blocked = false;
  private twoFactor = false;
  private consent: string[] = [];
  private readonly families: Family[] = [];
  private readonly codes: Code[] = [];
  private readonly devices: Device[] = [];
  private readonly questions: Question[] = [];
  private readonly accesses: Access[] = [];
  private readonly refreshes: Refresh[] = [];

  private constructor(world: World, username: string, own: Client, other: Client, hashes: readonly string[]) {
    this.world = world;
    this.username = username;
    this.hashes = hashes;
    const redirect = CALLBACK;
    const secrets = [{ secret: own.secret, until: Number.POSITIVE_INFINITY }];
    this.own = {
      ...own,
      exists: true,
      trusted: false,
      scopes: ALL_SCOPES,
      flows: GRANT_TYPES,
      redirect,
      secrets,
    };
    this.other = other;
  }

  /** @param hashes two hashes of `PASSWORD` with minimal cost */
  static async begin(world: World, other: Client, hashes: readonly string[]): Promise<TokenLife> {
    const { db } = world.platform;
    const username = `life-${newSecret("accessToken").slice(4, 20)}`;
    const own = await anyApplication(world);
    const life = new TokenLife(world, username, own, other, hashes);
    life.userId = await insertUser(db, {
      username,
      name: "Liv Life",
      email: `${username}@example.org`,
      passwordHash: hashes[0] ?? null,
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
      case "ask":
        await this.ask(step);
        break;
      case "answer":
        await this.answer(step);
        break;
      case "device":
        await this.device(step);
        break;
      case "poll":
        await this.poll(step);
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
      case "client":
        await this.client(step.scopes);
        break;
      case "time":
        await this.pass(PASSES[step.passes] ?? 40);
        await this.knock();
        break;
      case "scopes":
      case "flows":
      case "callback":
      case "trust":
      case "no trust":
      case "renew secret":
      case "delete":
        if (this.own.exists) await this.changeApplication(step);
        break;
      default:
        await this.changePerson(step);
    }
    await this.compare();
  }

  private async authorize({ do: kind, scopes: index, answer }: Step & { do: "authorize" | "implicit" }) {
    if (this.blocked || !this.own.exists) return;
    const scopes = among(SCOPES, index);
    const flow = kind === "implicit" ? "token" : "code";
    const { cookie } = await this.session();
    let reply = await this.inject("GET", this.question(flow, scopes), { cookie });
    const fault = this.fault(flow, scopes);
    const isAsked = !fault && !this.own.trusted && !covered(scopes, this.consent);
    if (!fault) assert.equal(reply.status, isAsked ? 200 : 303, `consent ${reply.text.slice(0, 200)}`);
    if (isAsked) {
      const form = { ...hiddenFields(reply.text, "/oauth/authorize"), decision: answer };
      reply = await this.inject("POST", "/oauth/authorize", { cookie, form });
    }
    const carried = this.carried(reply, this.own.redirect);
    if (fault) return assert.equal(carried.get("error"), fault);
    if (isAsked && answer === "deny") return assert.equal(carried.get("error"), "access_denied");
    if (isAsked) this.allow(scopes);
    this.issued(flow, scopes, this.own.redirect, carried);
  }

  /** Opens a consent page without answering it. */
  private async ask({ flow, scopes: index }: Step & { do: "ask" }) {
    if (this.blocked || !this.own.exists) return;
    const scopes = among(SCOPES, index);
    const { cookie } = await this.session();
    const reply = await this.inject("GET", `${this.question(flow, scopes)}&prompt=consent`, { cookie });
    const { redirect } = this.own;
    const fault = this.fault(flow, scopes);
    if (fault) return assert.equal(this.carried(reply, redirect).get("error"), fault);
    assert.equal(reply.status, 200);
    const fields = hiddenFields(reply.text, "/oauth/authorize");
    const open = { signedOut: false, answered: false, expiresAt: this.now + 1800 };
    this.questions.push({ cookie, fields, flow, scopes, redirect, ...open });
  }

  /** Answers a consent page opened before, whatever has happened since. */
  private async answer({ which, answer }: Step & { do: "answer" }) {
    const question = pick(this.questions, which);
    if (!question) return;
    const { cookie, fields, flow, scopes, redirect } = question;
    const form = { ...fields, decision: answer };
    const reply = await this.inject("POST", "/oauth/authorize", { cookie, form });
    if (question.signedOut) return assert.equal(reply.status, 403, "the session is over");
    if (!this.own.exists || question.answered || this.now >= question.expiresAt) {
      return assert.equal(reply.status, 400, "the question is over");
    }
    question.answered = true;
    if (redirect !== this.own.redirect) return assert.equal(reply.status, 400, "no way back");
    const carried = this.carried(reply, redirect);
    const fault = this.fault(flow, scopes) ?? (answer === "deny" ? "access_denied" : undefined);
    if (fault) return assert.equal(carried.get("error"), fault);
    this.allow(scopes);
    this.issued(flow, scopes, redirect, carried);
  }

  private question(flow: "code" | "token", scopes: Scopes): string {
    const asked = { client_id: this.own.uid, redirect_uri: this.own.redirect, response_type: flow };
    return `/oauth/authorize?${new URLSearchParams({ ...asked, scope: scopes.join(" ") })}`;
  }

  /** The error of a request under the application's current registration. */
  private fault(flow: "code" | "token", scopes: Scopes): string | undefined {
    const grant = flow === "code" ? "authorization_code" : "implicit";
    if (!this.own.flows.includes(grant)) return "unauthorized_client";
    return covered(scopes, this.own.scopes) ? undefined : "invalid_scope";
  }

  private carried({ status, location, text }: InjectReply, redirect: string): URLSearchParams {
    assert.equal(status, 303, text.slice(0, 300));
    const url = new URL(location);
    assert.equal(url.origin + url.pathname, redirect);
    return new URLSearchParams(url.hash ? url.hash.slice(1) : url.search);
  }

  private allow(scopes: Scopes): void {
    this.consent = [...new Set([...this.consent, ...scopes])];
  }

  private issued(flow: "code" | "token", scopes: Scopes, redirect: string, carried: URLSearchParams): void {
    const family = this.family(scopes, "consent");
    if (flow === "token") this.access(family, carried.get("access_token") ?? "", scopes);
    else {
      const secret = carried.get("code") ?? "";
      this.codes.push({ secret, family, redirect, spent: false, expiresAt: this.now + 60 });
    }
  }

  private async device({ scopes: index, answer }: Step & { do: "device" }) {
    const scopes = among(SCOPES, index);
    const { uid, exists, flows } = this.own;
    const form = { client_id: uid, client_secret: this.secret(), scope: scopes.join(" ") };
    const { json } = await this.inject("POST", "/oauth/authorize_device", { form });
    if (!exists) return assert.equal(json.error, "invalid_client");
    if (!flows.includes("device_code")) return assert.equal(json.error, "unauthorized_client");
    if (!covered(scopes, this.own.scopes)) return assert.equal(json.error, "invalid_scope");
    const decision = this.blocked ? "none" : answer;
    const secret = json.device_code;
    this.devices.push({ secret, scopes, decision, spent: false, expiresAt: this.now + 600 });
    if (decision === "none") return;
    const { cookie, csrf } = await this.session();
    const typed = { csrf_token: csrf, user_code: json.user_code, decision };
    const reply = await this.inject("POST", "/oauth/device", { cookie, form: typed });
    assert.equal(reply.status, 303, reply.text.slice(0, 300));
    if (decision === "allow") this.allow(scopes);
  }

  private async poll({ which, by }: Step & { do: "redeem" | "poll" }) {
    const device = pick(this.devices, which);
    if (!device) return;
    const json = await this.token(by, { grant_type: DEVICE_GRANT, device_code: device.secret });
    const refusal = this.refusedAtOnce(by, "device_code");
    if (refusal) return assert.equal(json.error, refusal);
    if (device.spent) return assert.equal(json.error, "invalid_grant");
    if (device.decision === "deny") return assert.equal(json.error, "access_denied");
    if (this.now >= device.expiresAt) return assert.equal(json.error, "expired_token");
    // Which of them depends on timing.
    if (device.decision === "none") return assert.match(json.error, /^(authorization_pending|slow_down)$/);
    if (this.blocked) {
      device.spent = true;
      return assert.equal(json.error, "invalid_grant");
    }
    if (!covered(device.scopes, this.own.scopes)) return assert.equal(json.error, "invalid_scope");
    device.spent = true;
    this.pair(this.family(device.scopes, "consent"), json);
  }

  /** The error for another application, a deleted one, or one without the grant type. */
  private refusedAtOnce(by: "own" | "other", flow: string): string | undefined {
    if (by === "other") return "invalid_grant";
    if (!this.own.exists) return "invalid_client";
    return this.own.flows.includes(flow) ? undefined : "unauthorized_client";
  }

  private async redeem({ which, by }: Step & { do: "redeem" | "poll" }) {
    const code = pick(this.codes, which);
    if (!code) return;
    const { family } = code;
    const json = await this.token(by, {
      grant_type: "authorization_code",
      code: code.secret,
      redirect_uri: code.redirect,
    });
    const refusal = this.refusedAtOnce(by, "authorization_code");
    if (refusal) {
      if (by === "other") family.live = false;
      return assert.equal(json.error, refusal);
    }
    if (code.spent) {
      family.live = false;
      return assert.equal(json.error, "invalid_grant");
    }
    const dead = !family.live || this.now >= code.expiresAt || this.blocked;
    // Presenting a code while its user is blocked revokes it (decision 0013).
    if (this.blocked && this.now < code.expiresAt) family.live = false;
    const isFit = covered(family.scopes, this.own.scopes) && code.redirect === this.own.redirect;
    if (dead || !isFit) return assert.equal(json.error, "invalid_grant");
    code.spent = true;
    this.pair(family, json);
  }

  /** A first access token, and a refresh token if the application is registered for it. */
  private pair(family: Family, json: Answer): void {
    assert.equal(json.error, undefined, JSON.stringify(json));
    this.access(family, json.access_token, family.scopes);
    const isRenewable = this.own.flows.includes("refresh_token");
    assert.equal(json.refresh_token !== undefined, isRenewable);
    if (isRenewable) {
      this.refreshes.push({ secret: json.refresh_token, family, expiresAt: this.now + 30 * DAY });
    }
  }

  private async refresh({ which, by, scopes: index }: Step & { do: "refresh" }) {
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
    const refusal = this.refusedAtOnce(by, "refresh_token");
    if (refusal) return assert.equal(json.error, refusal);
    const refused = () => assert.equal(json.error, "invalid_grant");
    if (!token.family.live || this.blocked) return refused();
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
      const left = effectiveScopes(successor.access.scopes, this.own.scopes);
      if (left.length === 0) return assert.equal(json.error, "invalid_grant");
      assert.equal(json.scope, left.join(" "));
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
    // Tokens of a deleted application are deleted, so they are not foreign but unknown.
    if (by === "other") return assert.equal(status, this.own.exists ? 403 : 200);
    assert.equal(status, 200);
    token.family.live = false;
  }

  private async password(index: number | undefined) {
    const scopes = index === undefined ? undefined : among(SCOPES, index);
    await this.world.platform.db.run(
      sql`delete from sign_in_failures where login = ${countedLogin(this.username)}`,
    );
    const form = { grant_type: "password", username: this.username, password: PASSWORD };
    const json = await this.token("own", { ...form, ...(scopes ? { scope: scopes.join(" ") } : {}) });
    const refusal = this.refusedAtOnce("own", "password");
    if (refusal) return assert.equal(json.error, refusal);
    if (!covered(scopes ?? ["api"], this.own.scopes)) return assert.equal(json.error, "invalid_scope");
    if (this.blocked || this.twoFactor) return assert.equal(json.error, "invalid_grant");
    this.alone(this.family(scopes ?? ["api"], "password"), json);
  }

  /** Client credentials: changes to the person do not affect them. */
  private async client(index: number | undefined) {
    const asked = index === undefined ? undefined : among(SCOPES, index);
    const form = { grant_type: "client_credentials", ...(asked ? { scope: asked.join(" ") } : {}) };
    const json = await this.token("own", form);
    const refusal = this.refusedAtOnce("own", "client_credentials");
    if (refusal) return assert.equal(json.error, refusal);
    const scopes = asked ?? (this.own.scopes.includes("api") ? ["api"] : this.own.scopes);
    if (!covered(scopes, this.own.scopes)) return assert.equal(json.error, "invalid_scope");
    this.alone(this.family(scopes, "itself"), json);
  }

  /** An access token without a refresh token. */
  private alone(family: Family, json: Answer): void {
    assert.equal(json.error, undefined, JSON.stringify(json));
    assert.equal(json.refresh_token, undefined);
    this.access(family, json.access_token, family.scopes);
  }

  /** The database's clock cannot be set, so all timestamps are moved into the past. */
  private async pass(seconds: number) {
    const { db } = this.world.platform;
    const by = sql`make_interval(secs => ${seconds})`;
    const ofOwn = sql`application_id = ${this.own.id}`;
    const mine = sql`authorization_id in (select id from authorizations where ${ofOwn})`;
    for (const statement of [
      sql`update authorization_codes set expires_at = expires_at - ${by}, spent_at = spent_at - ${by} where ${mine}`,
      sql`update refresh_tokens set expires_at = expires_at - ${by}, spent_at = spent_at - ${by} where ${mine}`,
      sql`update access_tokens set expires_at = expires_at - ${by}, created_at = created_at - ${by} where ${ofOwn}`,
      sql`update authorizations set created_at = created_at - ${by} where ${ofOwn}`,
      sql`update device_authorizations set expires_at = expires_at - ${by}, polled_at = polled_at - ${by} where ${ofOwn}`,
      sql`update authorization_requests set expires_at = expires_at - ${by} where ${ofOwn}`,
      sql`update application_secrets set expires_at = expires_at - ${by} where ${ofOwn}`,
    ]) {
      await db.run(statement);
    }
    this.now += seconds;
  }

  /** Compares for each secret that the application ever had whether it is valid. */
  private async knock(): Promise<void> {
    const { uid, exists, secrets } = this.own;
    if (secrets.length < 2) return;
    for (const { secret, until } of secrets) {
      const grant = {
        grant_type: "refresh_token",
        refresh_token: "gor_none",
        client_id: uid,
        client_secret: secret,
      };
      const { json } = await this.inject("POST", "/oauth/token", { form: grant });
      const isGood = exists && this.now < until;
      const refused = this.own.flows.includes("refresh_token") ? "invalid_grant" : "unauthorized_client";
      assert.equal(json.error, isGood ? refused : "invalid_client");
    }
  }

  private async changeApplication(step: Step): Promise<void> {
    const { own } = this;
    if (step.do === "scopes") {
      own.scopes = among(REGISTERED, step.to);
      await this.put({ scopes: own.scopes.join(" ") });
    } else if (step.do === "flows") {
      own.flows = among(FLOWS, step.to);
      await this.put({ grant_types: own.flows });
    } else if (step.do === "callback") {
      own.redirect = CALLBACKS[step.to % 2] ?? CALLBACK;
      await this.put({ redirect_uri: own.redirect });
    } else if (step.do === "trust" || step.do === "no trust") {
      own.trusted = step.do === "trust";
      await this.put({ trusted: own.trusted });
    } else if (step.do === "renew secret") {
      const grace = GRACES[step.to % 2] ?? 0;
      const path = `/applications/${own.id}/renew-secret`;
      const { json } = await this.asAdministrator("POST", path, { grace_seconds: grace });
      // Only the newest gets the grace period: one that is in its own ends.
      for (const old of own.secrets)
        old.until = old.secret === own.secret ? this.now + grace : Math.min(old.until, this.now);
      own.secrets.push({ secret: json.secret, until: Number.POSITIVE_INFINITY });
      own.secret = json.secret;
      await this.knock();
    } else {
      assert.equal((await this.asAdministrator("DELETE", `/applications/${own.id}`)).status, 204);
      own.exists = false;
      for (const family of this.families) family.live = false;
    }
  }

  private async put(fields: object): Promise<void> {
    const { status, text } = await this.asAdministrator("PUT", `/applications/${this.own.id}`, fields);
    assert.equal(status, 200, text);
  }

  private asAdministrator(method: string, path: string, json?: object) {
    return this.world.call(`/api/v4${path}`, { as: "ada", method, ...(json ? { json } : {}) });
  }

  private async changePerson(step: Step): Promise<void> {
    const { own, userId } = this;
    const { db } = this.world.platform;
    if (step.do === "withdraw") {
      const application = { ...own, name: "", selfRegistered: false };
      await withdrawConsent(db, userId, application, { actorId: userId, ip: "192.0.2.1" });
      this.consent = [];
      for (const family of this.families) if (family.by !== "itself") family.live = false;
      for (const device of this.devices) if (device.decision === "allow") device.decision = "deny";
    } else if (step.do === "block" || step.do === "unblock") {
      assert.equal((await this.asAdministrator("POST", `/users/${userId}/${step.do}`)).status, 201);
      this.blocked = step.do === "block";
      if (this.blocked) this.signOut();
    } else if (step.do === "two-factor") {
      await db.run(
        sql`update users set totp_sealed = '\\x00', totp_confirmed_at = now() where id = ${userId}`,
      );
      this.twoFactor = true;
      for (const family of this.families) if (family.by === "password") family.live = false;
    } else if (step.do === "one factor") {
      await db.run(sql`update users set totp_sealed = null, totp_confirmed_at = null where id = ${userId}`);
      this.twoFactor = false;
    } else if (step.do === "new password") {
      this.passwords++;
      const hash = this.hashes[this.passwords % 2] ?? "";
      await db.transaction((tx) => updatePassword(tx, userId, hash));
      // Codes and devices allowed under the old password are invalid; tokens already issued stay.
      for (const code of this.codes) code.expiresAt = Math.min(code.expiresAt, this.now);
      for (const device of this.devices) {
        if (device.decision !== "none") device.expiresAt = Math.min(device.expiresAt, this.now);
      }
      this.signOut();
    } else {
      await deleteSessionsOfUser(db, userId);
      this.signOut();
    }
  }

  private signOut(): void {
    for (const question of this.questions) question.signedOut = true;
  }

  /** Compares each token with the model, at token info, the API and introspection. */
  private async compare(): Promise<void> {
    const probes = this.accesses.map(async (access) => {
      const left = effectiveScopes(access.scopes, this.own.scopes);
      const alive = access.family.live && !access.ended && this.now < access.expiresAt && left.length > 0;
      const blocked = this.blocked && access.family.by !== "itself";
      const info = await this.inject("GET", "/oauth/token/info", { token: access.secret });
      assert.equal(info.status, alive && !blocked ? 200 : 401, `token info ${JSON.stringify(access)}`);
      if (info.status === 200) assert.deepEqual(info.json.scope, left);
      const user = await this.inject("GET", "/api/v4/user", { token: access.secret });
      const opens = left.includes("api") || left.includes("read_user");
      assert.equal(
        user.status,
        alive ? (opens && !blocked ? 200 : 403) : 401,
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

  private family(scopes: Scopes, by: Family["by"]): Family {
    const family = { live: true, by, scopes };
    this.families.push(family);
    return family;
  }

  private access(family: Family, secret: string, scopes: readonly string[]): Access {
    const access = { secret, family, scopes, ended: false, expiresAt: this.now + 7200 };
    this.accesses.push(access);
    return access;
  }

  private async token(by: "own" | "other", form: Record<string, string>): Promise<Answer> {
    const { uid, secret } = by === "own" ? { uid: this.own.uid, secret: this.secret() } : this.other;
    const all = { ...form, client_id: uid, client_secret: secret };
    return (await this.inject("POST", "/oauth/token", { form: all })).json;
  }

  /** The oldest valid one, so that grace periods are used. */
  private secret(): string {
    return this.own.secrets.find(({ until }) => this.now < until)?.secret ?? this.own.secret;
  }

  /** A signed-in browser session with its CSRF token; each consent page gets one. */
  private async session(): Promise<{ cookie: string; csrf: string }> {
    const secret = newSecret("session");
    await this.world.platform.db.run(
      sql`insert into sessions (digest, user_id, authenticated_at, expires_at)
        values (${digest(secret)}, ${this.userId}, now(), now() + interval '1 hour')`,
    );
    return { cookie: `session=${secret}`, csrf: this.world.platform.keys.sign("csrf", secret) };
  }

  private inject(method: "GET" | "POST", url: string, given: Parameters<typeof inject>[3]) {
    return inject(this.world, method, url, given);
  }
}
