/** Everything that a service keeps, to see that nothing of it changed. */
import { row, text } from "../../src/platform/row.ts";
import { Sql, sql } from "../../src/platform/sql.ts";
import type { World } from "./world.ts";

/** What a request that is refused may leave behind: when and whence a token or session was used last, and what a page says next. */
const NOTED = ["last_used_at", "last_used_ip", "last_seen_at", "flash", "return_to"];
/** With a use of a session its end without use moves: what asks for longer than a minute sees that. */
const NOTED_OF = { sessions: [...NOTED, "expires_at"] } as Readonly<Record<string, readonly string[]>>;

/** The rows of each table, as one text; of sessions those of people who are signed in. */
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
