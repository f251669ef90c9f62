/** Looking up a token: the service's token info and user, compared with bare servers. */
import type { Shape } from "../load-plan.ts";
import { CONNECTIONS, MANY_CONNECTIONS, type Operation } from "../operation.ts";
import type { Options } from "../options.ts";
import { SECRETS, USERS } from "../seeded.ts";
import { passwordGrant } from "./tokens.ts";

/** Requests per second of a service that looks up the token of each of its own requests. */
const OPEN_RATE = 1000;

export function tokenInfoOperations(options: Options): Operation[] {
  const bearing = (path: string): Shape => ({
    method: "GET",
    path,
    headers: { authorization: `Bearer ${SECRETS.token}{n}` },
    varied: { n: { kind: "random", from: 1, to: options.tokens + 1 } },
    expect: 200,
  });
  const shared = { group: "token-info", connections: CONNECTIONS } as const;
  const info = {
    ...shared,
    server: "service",
    shape: bearing("/oauth/token/info"),
    check: isTokenInfo,
  } as const;
  const bare = { ...shared, server: "bare/token-info", shape: bearing("/") } as const;
  return [
    {
      ...shared,
      id: "bare-hello",
      title: "bare node:http, a constant",
      server: "bare/hello",
      shape: { method: "GET", path: "/", expect: 200 },
    },
    {
      ...shared,
      id: "bare-select",
      title: "bare select by key",
      server: "bare/select-by-key",
      shape: {
        method: "GET",
        path: "/{n}",
        varied: { n: { kind: "random", from: 1, to: USERS } },
        expect: 200,
      },
    },
    { ...bare, id: "bare-token-info", title: "bare token info" },
    {
      ...info,
      id: "peer-node-oauth-authenticate",
      title: "node-oauth2-server authenticate",
      server: "peers/node-oauth",
      shape: bearing("/"),
    },
    { ...info, id: "token-info", title: "GET /oauth/token/info" },
    {
      ...shared,
      id: "user",
      title: "GET /api/v4/user",
      server: "service",
      shape: bearing("/api/v4/user"),
      check: (answer) => lacks(answer, "username"),
    },
    { ...bare, id: "bare-token-info-64", title: "bare token info", connections: MANY_CONNECTIONS },
    {
      ...bare,
      id: "bare-token-info-pipelined-64",
      title: "bare token info, pipelined",
      shape: bearing("/pipelined"),
      connections: MANY_CONNECTIONS,
    },
    { ...info, id: "token-info-64", title: "GET /oauth/token/info", connections: MANY_CONNECTIONS },
    {
      ...info,
      id: "token-info-open",
      title: `token info, open loop ${OPEN_RATE}/s`,
      connections: MANY_CONNECTIONS,
      ratePerSecond: OPEN_RATE,
    },
    {
      ...info,
      id: "token-info-passwords",
      title: "the same beside password grants",
      connections: MANY_CONNECTIONS,
      ratePerSecond: OPEN_RATE,
      beside: { shape: passwordGrant("real"), connections: CONNECTIONS },
    },
  ];
}

function isTokenInfo(answer: unknown): string | undefined {
  return lacks(answer, "resource_owner_id") ?? lacks(answer, "application");
}

/** Returns a sentence if the response lacks this member. */
export function lacks(answer: unknown, member: string): string | undefined {
  const there = typeof answer === "object" && answer !== null && member in answer;
  return there ? undefined : `the answer has no ${member}`;
}
