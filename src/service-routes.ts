/** Whether the service lives, and whether it can serve. */
import type { FastifyInstance } from "fastify";
import type { Platform } from "./platform/platform.ts";
import { integer, row } from "./platform/row.ts";
import { sql } from "./platform/sql.ts";

/** `GET /-/liveness` (the process answers) and `GET /-/readiness` (the database reads and writes). */
export function serviceRoutes(app: FastifyInstance, { db }: Platform): void {
  app.get("/-/liveness", async (_request, reply) =>
    reply.header("cache-control", "no-store").send({ status: "ok" }),
  );
  app.get("/-/readiness", async (_request, reply) => {
    // A statement that writes: a full disk or a read-only server must not count as ready.
    await db.one(
      row({ beats: integer }),
      sql`insert into readiness (one, beats) values (true, 1)
        on conflict (one) do update set beats = readiness.beats + 1 returning beats`,
    );
    return reply.header("cache-control", "no-store").send({ status: "ok" });
  });
}
