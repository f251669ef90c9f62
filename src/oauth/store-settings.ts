/** Statements about the settings of the instance. */
import type { Queries } from "../platform/db.ts";
import { integer, row } from "../platform/row.ts";
import { sharedStatement } from "../platform/shared-statement.ts";
import { sql } from "../platform/sql.ts";
import { SettingsRow, type StoredSettings } from "./settings.ts";

const PlacedRow = row({ ...SettingsRow.columns, place: integer });

/** Read anew for each request; concurrent reads share a statement. */
export async function findStoredSettings(db: Queries): Promise<StoredSettings> {
  const found = await shared(db, "instance");
  if (!found) throw new Error("the instance has no settings");
  return found;
}

const shared = sharedStatement((db: Queries, all: readonly string[]) =>
  db.many(
    PlacedRow,
    sql`select place, allow_implicit, allow_password, allow_query_tokens, require_pkce, guard_administrators,
        allow_dynamic_registration, allow_long_lives, code_seconds
      from instance_settings, generate_series(1, ${all.length}::integer) as place`,
  ),
);

/** Locks the settings, so that other changes wait until the transaction ends. */
export function lockSettings(tx: Queries): Promise<number> {
  return tx.run(sql`select from instance_settings for update`);
}

export function updateSettings(db: Queries, settings: StoredSettings): Promise<number> {
  return db.run(
    sql`update instance_settings set allow_implicit = ${settings.allowImplicit},
      allow_password = ${settings.allowPassword}, allow_query_tokens = ${settings.allowQueryTokens},
      require_pkce = ${settings.requirePkce}, guard_administrators = ${settings.guardAdministrators},
      allow_dynamic_registration = ${settings.allowDynamicRegistration},
      allow_long_lives = ${settings.allowLongLives}, code_seconds = ${settings.codeSeconds}, updated_at = now()`,
  );
}
