/** Requests that the database sees at one moment, for limits that are shorter than a loaded machine may pause. */
import { buildApp } from "../../src/app.ts";
import { withinTransaction } from "../../src/demo/within-transaction.ts";
import type { Queries } from "../../src/platform/db.ts";
import { sql } from "../../src/platform/sql.ts";
import type { World } from "./world.ts";

/** Sends a form to the token endpoint, and returns the `error` of the response. */
export type PostToken = (form: Record<string, string>, headers?: Record<string, string>) => Promise<string>;

/** Does `work` in one transaction, in which `now()` is always the same, however long it takes. */
export function atOneMoment(
  world: World,
  work: (post: PostToken, tx: Queries) => Promise<void>,
): Promise<void> {
  return world.platform.db.transaction(async (tx) => {
    // A test that pauses between two statements must not lose its transaction.
    await tx.run(sql`set local idle_in_transaction_session_timeout = 0`);
    const app = await buildApp(withinTransaction(world.platform, tx));
    const post: PostToken = async (form, headers = {}) => {
      const reply = await app.inject({
        method: "POST",
        url: "/oauth/token",
        payload: new URLSearchParams(form).toString(),
        headers: { ...headers, "content-type": "application/x-www-form-urlencoded" },
      });
      return reply.json().error;
    };
    try {
      await work(post, tx);
    } finally {
      await app.close();
    }
  });
}
