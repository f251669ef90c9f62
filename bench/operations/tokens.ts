/** Getting a token: by password with the lowest and the real hash cost, by code, and by refresh token. */
import type { Shape, Varied } from "../load-plan.ts";
import { CONNECTIONS, type Operation } from "../operation.ts";
import type { Options } from "../options.ts";
import {
  applicationUid,
  PASSWORD,
  PEER_CLIENT,
  REAL_HASH_USERS,
  REDIRECT_URI,
  SECRETS,
  USERS,
} from "../seeded.ts";

const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;

function tokenRequest(form: Readonly<Record<string, string>>, varied: Varied): Shape {
  // Values of the form may contain {n}, which must not be encoded.
  const body = new URLSearchParams(form).toString().replaceAll("%7Bn%7D", "{n}");
  return {
    method: "POST",
    path: "/oauth/token",
    headers: {
      authorization: basic(applicationUid(1), `${SECRETS.application}1`),
      "content-type": "application/x-www-form-urlencoded",
    },
    body,
    varied: { n: varied },
    expect: 200,
  };
}

/** A password grant of a user whose hash has the lowest or the real cost. */
export function passwordGrant(cost: "least" | "real"): Shape {
  const first = USERS - REAL_HASH_USERS + 1;
  return tokenRequest(
    { grant_type: "password", username: "bench-{n}", password: PASSWORD, scope: "api" },
    cost === "real" ? { kind: "random", from: first, to: USERS + 1 } : { kind: "random", from: 1, to: first },
  );
}

export function tokenOperations(options: Options): Operation[] {
  const once: Varied = { kind: "sequence", from: 1, to: options.singleUse + 1 };
  const shared = {
    group: "tokens",
    server: "service",
    connections: CONNECTIONS,
    check: isTokenReply,
  } as const;
  const code = tokenRequest(
    { grant_type: "authorization_code", code: `${SECRETS.code}{n}`, redirect_uri: REDIRECT_URI },
    once,
  );
  const refresh = tokenRequest(
    { grant_type: "refresh_token", refresh_token: `${SECRETS.refreshToken}{n}` },
    once,
  );
  const oidc = { ...shared, server: "peers/oidc-provider" } as const;
  return [
    {
      ...shared,
      id: "peer-node-oauth-password",
      title: "node-oauth2-server password, no hash",
      server: "peers/node-oauth",
      shape: ofPeer(passwordGrant("least"), "/token"),
    },
    { ...shared, id: "password", title: "password grant, least hash cost", shape: passwordGrant("least") },
    { ...shared, id: "password-real", title: "password grant, real hash cost", shape: passwordGrant("real") },
    { ...oidc, id: "peer-oidc-code", title: "oidc-provider code exchange", shape: ofPeer(code, "/token") },
    { ...shared, id: "code", title: "code exchange", shape: code },
    {
      ...oidc,
      id: "peer-oidc-refresh",
      title: "oidc-provider refresh, no rotation",
      shape: ofPeer(refresh, "/token"),
    },
    { ...shared, id: "refresh", title: "refresh with rotation", shape: refresh },
  ];
}

/** The same request for a peer, which has one client and another path. */
function ofPeer(shape: Shape, path: string): Shape {
  const authorization = basic(PEER_CLIENT.id, PEER_CLIENT.secret);
  return { ...shape, path, headers: { ...shape.headers, authorization } };
}

function isTokenReply(answer: unknown): string | undefined {
  const { access_token: token } = (answer ?? {}) as { access_token?: unknown };
  return typeof token === "string" ? undefined : "the answer has no access_token";
}
