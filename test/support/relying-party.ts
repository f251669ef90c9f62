/** An application on its own server, which signs people in and fully verifies logout tokens. */
import assert from "node:assert/strict";
import { createRemoteJWKSet, jwtVerify } from "jose";
import type { ApplicationFields } from "../../src/oauth/application.ts";
import { logoutSender } from "../../src/oauth/send-logout-token.ts";
import { deliverDue } from "../../src/outbox/deliver-due.ts";
import { aPair } from "./attacks.ts";
import { PATIENCE_MS } from "./database.ts";
import { anApplication, type TestApplication, type Visitor } from "./oauth.ts";
import { type Received, type Receiver, startReceiver } from "./receivers.ts";
import { startWorld, type World } from "./world.ts";

/** Configuration for worlds whose applications listen on this machine. */
export const LOCAL = { GATEHOUSE_ALLOW_PRIVATE_TARGETS: "127.0.0.1" };

/** The claims of a verified logout token. */
export interface Told {
  sub: string;
  sid: string | undefined;
  jti: string;
  iat: number;
}

export interface RelyingParty {
  application: TestApplication;
  receiver: Receiver;
  /** Sends waiting deliveries, and returns the verified logout tokens received since the last call. */
  told(): Promise<Told[]>;
  /** Signs a browser's person in by a code; returns the claims of the ID token. */
  signIn(
    visitor: Visitor,
    more?: Record<string, string>,
  ): Promise<{ sub: string; sid?: string; raw: string }>;
}

/** Sends all waiting deliveries, to applications and others. */
export const deliver = (world: World) => deliverDue(world.platform, () => true, { logout: logoutSender });

/** Registers the application and starts its server. */
export async function aRelyingParty(
  world: World,
  fields: Partial<ApplicationFields> = {},
): Promise<RelyingParty> {
  const receiver = await startReceiver();
  const application = await anApplication(world, {
    scopes: ["openid", "read_user"],
    grantTypes: ["authorization_code", "refresh_token", "implicit", "device_code"],
    backchannelLogoutUri: `${receiver.url}/backchannel?tenant=7`,
    ...fields,
  });
  return {
    application,
    receiver,
    told: async () => {
      await deliver(world);
      const told = await Promise.all(
        receiver.requests.map((request) => checked(world, application, request)),
      );
      receiver.reset();
      return told;
    },
    signIn: async (visitor, more = {}) => {
      const { id_token: raw } = await aPair(world, visitor, application, { scope: "openid", ...more });
      return { ...(await verified(world, application, raw)).payload, raw } as Awaited<
        ReturnType<RelyingParty["signIn"]>
      >;
    },
  };
}

/** A world with two applications that use different ID token algorithms. */
export async function twoParties() {
  const world = await startWorld({ ...LOCAL, GATEHOUSE_LOG_LEVEL: "silent" });
  const desk = await aRelyingParty(world, { name: "Desk" });
  const wiki = await aRelyingParty(world, { name: "Wiki", idTokenAlgorithm: "ES256" });
  return { world, desk, wiki };
}

/** The sessions in the logout tokens that an application received since the last call. */
export async function onlySids(party: RelyingParty): Promise<(string | undefined)[]> {
  return (await party.told()).map(({ sid }) => sid);
}

/** Verifies with the keys that discovery publishes. */
async function verified(world: World, { uid }: { uid: string }, token: string, typ?: string) {
  const { jwks_uri, issuer } = (await world.call("/.well-known/openid-configuration")).json;
  const keys = createRemoteJWKSet(new URL(jwks_uri), { timeoutDuration: PATIENCE_MS });
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    issuer,
    audience: uid,
    algorithms: ["RS256", "ES256"],
    requiredClaims: ["iss", "aud", "iat", "exp", "sub"],
    ...(typ === undefined ? {} : { typ }),
  });
  return { payload, protectedHeader };
}

/** The validation of OpenID Connect Back-Channel Logout §2.6, and of the request of §2.5. */
async function checked(world: World, application: TestApplication, request: Received): Promise<Told> {
  assert.equal(request.path, "/backchannel?tenant=7");
  assert.equal(request.headers["content-type"], "application/x-www-form-urlencoded");
  const members = [...new URLSearchParams(request.body)];
  assert.deepEqual(
    members.map(([name]) => name),
    ["logout_token"],
  );
  return readLogoutToken(world, application, members[0]?.[1] ?? "");
}

/** @throws if an application that follows the specification would refuse the token */
export async function readLogoutToken(
  world: World,
  application: { uid: string },
  token: string,
): Promise<Told> {
  const { payload } = await verified(world, application, token, "logout+jwt");
  const { sub, sid, jti, iat = 0, exp = 0, events } = payload;
  assert.ok(sub !== undefined && jti);
  assert.equal("nonce" in payload, false);
  assert.deepEqual(events, { "http://schemas.openid.net/event/backchannel-logout": {} });
  assert.equal(exp - iat, 120);
  assert.ok(Math.abs(Date.now() / 1000 - iat) < 60, "just signed");
  return { sub, sid: sid as string | undefined, jti, iat };
}
