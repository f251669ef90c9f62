/** Getting a token: by password with the least and the real hash cost, by code, by refresh token. */
import type { Shape, Varied } from "../load-plan.ts";
import { CONNECTIONS, type Operation } from "../operation.ts";
import type { Options } from "../options.ts";
import { applicationUid, PASSWORD, REAL_HASH_USERS, REDIRECT_URI, SECRETS, USERS } from "../seeded.ts";

const client = Buffer.from(`${applicationUid(1)}:${SECRETS.application}1`).toString("base64");

function tokenRequest(form: Readonly<Record<string, string>>, varied: Varied): Shape {
  // The form's values may hold {n}, which must stay as it is.
  const body = new URLSearchParams(form).toString().replaceAll("%7Bn%7D", "{n}");
  return {
    method: "POST",
    path: "/oauth/token",
    headers: { authorization: `Basic ${client}`, "content-type": "application/x-www-form-urlencoded" },
    body,
    varied: { n: varied },
    expect: 200,
  };
}

/** A password grant of a user whose hash has the least or the real cost. */
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
  return [
    { ...shared, id: "password", title: "password grant, least hash cost", shape: passwordGrant("least") },
    { ...shared, id: "password-real", title: "password grant, real hash cost", shape: passwordGrant("real") },
    {
      ...shared,
      id: "code",
      title: "code exchange",
      shape: tokenRequest(
        { grant_type: "authorization_code", code: `${SECRETS.code}{n}`, redirect_uri: REDIRECT_URI },
        once,
      ),
    },
    {
      ...shared,
      id: "refresh",
      title: "refresh with rotation",
      shape: tokenRequest({ grant_type: "refresh_token", refresh_token: `${SECRETS.refreshToken}{n}` }, once),
    },
  ];
}

function isTokenReply(answer: unknown): string | undefined {
  const { access_token: token } = (answer ?? {}) as { access_token?: unknown };
  return typeof token === "string" ? undefined : "the answer has no access_token";
}
