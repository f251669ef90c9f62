/** Peer: @node-oauth/oauth2-server on `node:http` and the same tables; passwords are compared without a hash. */
import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import OAuth2Server, { type Client, type Token, type User } from "@node-oauth/oauth2-server";
import { openPool, readText, sendJson, serveBareAsync } from "../bare/serve-bare.ts";
import { PASSWORD, PEER_CLIENT } from "../seeded.ts";

const HOUR_MS = 3_600_000;
const pool = openPool();
const digest = (secret: string) => createHash("sha256").update(secret).digest();

await pool.query(
  `create table if not exists bare.peer_tokens (digest bytea primary key, user_id bigint not null, client_id text not null,
    scopes text[] not null, expires_at timestamptz not null)`,
);

const model = {
  async getAccessToken(accessToken: string): Promise<Token | undefined> {
    const { rows } = await pool.query({
      name: "find-token",
      text: `select t.user_id, t.scopes, t.expires_at, a.uid from access_tokens t
        join applications a on a.id = t.application_id where t.digest = $1 and t.revoked_at is null`,
      values: [digest(accessToken)],
    });
    const [row] = rows;
    if (!row) return undefined;
    const client = { id: row.uid, grants: [] };
    return {
      accessToken,
      accessTokenExpiresAt: row.expires_at,
      scope: row.scopes,
      client,
      user: { id: row.user_id },
    };
  },
  async getClient(id: string, secret: string): Promise<Client | undefined> {
    const { rows } = await pool.query({
      name: "find-client",
      text: "select uid from applications order by id limit 1",
    });
    const known = id === PEER_CLIENT.id && secret === PEER_CLIENT.secret && rows.length === 1;
    return known ? { id, grants: ["password"], accessTokenLifetime: HOUR_MS / 1000 } : undefined;
  },
  async getUser(username: string, password: string): Promise<User | undefined> {
    const { rows } = await pool.query({
      name: "find-user",
      text: "select id from users where lower(username) = lower($1) and state = 'active'",
      values: [username],
    });
    return password === PASSWORD ? rows[0] : undefined;
  },
  async validateScope(): Promise<string[]> {
    return ["api"];
  },
  async saveToken(token: Token, client: Client, user: User): Promise<Token> {
    await pool.query({
      name: "save-token",
      text: "insert into bare.peer_tokens (digest, user_id, client_id, scopes, expires_at) values ($1, $2, $3, $4, $5)",
      values: [digest(token.accessToken), user.id, client.id, token.scope ?? [], token.accessTokenExpiresAt],
    });
    return { ...token, client, user };
  },
  // The library requires this function; ours issues no refresh tokens for passwords either.
  async generateRefreshToken(): Promise<string> {
    return "";
  },
};

const server = new OAuth2Server({ model: model as unknown as OAuth2Server.ServerOptions["model"] });

serveBareAsync(async (request: IncomingMessage, reply: ServerResponse) => {
  const { method = "GET", headers } = request;
  const body = method === "POST" ? Object.fromEntries(new URLSearchParams(await readText(request))) : {};
  const asked = new OAuth2Server.Request({
    method,
    headers: headers as Record<string, string>,
    query: {},
    body,
  });
  const answer = new OAuth2Server.Response({});
  if (method === "GET") {
    const token = await server.authenticate(asked, answer);
    sendJson(reply, 200, {
      resource_owner_id: token.user.id,
      scope: token.scope,
      application: { uid: token.client.id },
    });
  } else {
    await server.token(asked, answer);
    sendJson(reply, answer.status ?? 500, answer.body);
  }
});
