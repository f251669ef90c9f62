/** Bare server: one prepared `select` by primary key per request, and nothing else. */
import { openPool, sendJson, serveBareAsync } from "./serve-bare.ts";

const pool = openPool();

serveBareAsync(async (request, reply) => {
  const id = Number(request.url?.slice(1));
  const { rows } = await pool.query({
    name: "by-key",
    text: "select id, username, name from users where id = $1",
    values: [id],
  });
  sendJson(reply, rows.length === 1 ? 200 : 404, rows[0] ?? null);
});
