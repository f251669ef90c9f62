/** The content of all tables, to check that nothing has changed. */
import { row, text } from "../../src/platform/row.ts";
import { Sql, sql } from "../../src/platform/sql.ts";
import type { World } from "./world.ts";

/**
 * What a refused request may change: last use of a token or session, and the message and return address for the next page.
 */
const NOTED = ["last_used_at", "last_used_ip", "last_seen_at", "flash", "return_to"];
/** Using a session extends its expiry, which a test of more than a minute would notice. */
const NOTED_OF = { sessions: [...NOTED, "expires_at"] } as Readonly<Record<string, readonly string[]>>;

/** The rows of each table as one text; of sessions only those of signed-in people. */
export async function contentOf({ platform: { db } }: World): Promise<Record<string, string>> {
  const tables = await db.many(
    row({ name: text }),
    sql`select quote_ident(relname) as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`,
  );
  const content: Record<string, string> = {};
  for (const { name } of tables) {
    const signedIn = name === "sessions" ? "where user_id is not null" : "";
    const lines = await db.many(
      row({ line: text }),
      new Sql(
        [
          `select (to_jsonb(t) - '{${NOTED_OF[name] ?? NOTED}}'::text[])::text as line from ${name} t ${signedIn} order by 1`,
        ],
        [],
      ),
    );
    content[name] = lines.map(({ line }) => line).join("\n");
  }
  return content;
}
