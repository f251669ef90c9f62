/** Peer: oidc-provider on the same PostgreSQL; codes and refresh tokens are copies of one that it made itself. */
import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";
import { openPool } from "../bare/serve-bare.ts";
import { PEER_CLIENT, REDIRECT_URI, SECRETS } from "../seeded.ts";

const COPIES = 30_000;
const DAY_SECONDS = 86_400;

const pool = openPool();
const run = (name: string, text: string, values: unknown[] = []) => pool.query({ name, text, values });

await pool.query("drop table if exists bare.oidc_models");
await pool.query(
  "create table bare.oidc_models (id text primary key, payload jsonb not null, grant_id text)",
);
await pool.query("create index on bare.oidc_models (grant_id)");

/** One table for all models, like the adapters in its documentation; every statement is named. */
class PostgresAdapter {
  private readonly model: string;
  constructor(model: string) {
    this.model = model;
  }
  private key(id: string): string {
    return `${this.model}:${id}`;
  }
  async upsert(id: string, payload: { grantId?: string }): Promise<void> {
    await run(
      "upsert-model",
      `insert into bare.oidc_models (id, payload, grant_id) values ($1, $2, $3)
        on conflict (id) do update set payload = excluded.payload, grant_id = excluded.grant_id`,
      [this.key(id), payload, payload.grantId ?? null],
    );
  }
  async find(id: string): Promise<unknown> {
    const { rows } = await run("find-model", "select payload from bare.oidc_models where id = $1", [
      this.key(id),
    ]);
    return rows[0]?.payload;
  }
  async consume(id: string): Promise<void> {
    await run(
      "consume-model",
      `update bare.oidc_models set payload = jsonb_set(payload, '{consumed}', to_jsonb(extract(epoch from now())::bigint))
        where id = $1`,
      [this.key(id)],
    );
  }
  async destroy(id: string): Promise<void> {
    await run("destroy-model", "delete from bare.oidc_models where id = $1", [this.key(id)]);
  }
  async revokeByGrantId(grantId: string): Promise<void> {
    await run("revoke-grant", "delete from bare.oidc_models where grant_id = $1", [grantId]);
  }
}

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const provider = new Provider("http://127.0.0.1", {
  adapter: PostgresAdapter,
  jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), alg: "ES256", use: "sig", kid: "bench" }] },
  cookies: { keys: ["bench"] },
  clients: [
    {
      client_id: PEER_CLIENT.id,
      client_secret: PEER_CLIENT.secret,
      redirect_uris: [REDIRECT_URI],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      id_token_signed_response_alg: "ES256",
    },
  ],
  scopes: ["openid", "offline_access"],
  pkce: { required: () => false },
  rotateRefreshToken: false,
  issueRefreshToken: () => true,
  ttl: { AuthorizationCode: DAY_SECONDS, RefreshToken: DAY_SECONDS, Grant: DAY_SECONDS },
  findAccount: (_context: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
  features: { devInteractions: { enabled: false } },
});

const client = await provider.Client.find(PEER_CLIENT.id);
const grant = new provider.Grant({ accountId: "1", clientId: PEER_CLIENT.id });
grant.addOIDCScope("openid offline_access");
const shared = {
  accountId: "1",
  client,
  grantId: await grant.save(DAY_SECONDS),
  scope: "openid offline_access",
  redirectUri: REDIRECT_URI,
  authTime: Math.floor(Date.now() / 1000),
  gty: "authorization_code",
};
await copies("AuthorizationCode", SECRETS.code, await new provider.AuthorizationCode(shared).save());
await copies("RefreshToken", SECRETS.refreshToken, await new provider.RefreshToken(shared).save());

async function copies(model: string, prefix: string, original: string): Promise<void> {
  await pool.query(
    `insert into bare.oidc_models (id, payload, grant_id)
      select $1 || $2 || n, payload || jsonb_build_object('jti', $2 || n), grant_id
      from bare.oidc_models, generate_series(1, ${COPIES}) n where id = $1 || $3`,
    [`${model}:`, prefix, original],
  );
}

const server = createServer(provider.callback());
server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on("disconnect", () => process.exit(0));
