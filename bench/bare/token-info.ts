/** Bare server: token info with nothing but SHA-256, one named statement with its join, and the response. */
import { createHash } from "node:crypto";
import pg from "pg";
import { connectionOfBench, openPool, sendJson, serveBareAsync } from "./serve-bare.ts";

const text = `select t.user_id, t.scopes, t.revoked_at,
    ceil(extract(epoch from t.expires_at - now()))::integer as expires_in,
    extract(epoch from t.created_at)::integer as created_at, a.uid
  from access_tokens t join applications a on a.id = t.application_id
  where t.digest = $1`;

const pool = openPool();
// The same statement over two pipelined connections: the limit of one process without combining requests.
const pipelined = [1, 2].map(() => new pg.Client({ ...connectionOfBench(), pipeline: true }));
await Promise.all(pipelined.map((client) => client.connect()));
let turn = 0;

serveBareAsync(async (request, reply) => {
  const token = request.headers.authorization?.slice("Bearer ".length) ?? "";
  const digest = createHash("sha256").update(token).digest();
  const statement = { name: "token-info", text, values: [digest] };
  const queried =
    request.url === "/pipelined"
      ? (pipelined[turn++ % pipelined.length] as pg.Client).query(statement)
      : pool.query(statement);
  const [row] = (await queried).rows;
  if (!row || row.revoked_at || row.expires_in <= 0) return sendJson(reply, 401, { error: "invalid_token" });
  sendJson(reply, 200, {
    resource_owner_id: row.user_id,
    scope: row.scopes,
    expires_in: row.expires_in,
    application: { uid: row.uid },
    created_at: row.created_at,
    scopes: row.scopes,
    expires_in_seconds: row.expires_in,
  });
});
