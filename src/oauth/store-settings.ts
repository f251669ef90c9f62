/** Statements about the switches of the instance. */
import type { Queries } from "../platform/db.ts";
import { sql } from "../platform/sql.ts";
import { SettingsRow, type StoredSettings } from "./settings.ts";

export function findStoredSettings(db: Queries): Promise<StoredSettings> {
  return db.one(
    SettingsRow,
    sql`select allow_implicit, allow_password, allow_query_tokens, require_pkce, guard_administrators, code_seconds
      from instance_settings`,
  );
}

export function updateSettings(db: Queries, settings: StoredSettings): Promise<number> {
  return db.run(
    sql`update instance_settings set allow_implicit = ${settings.allowImplicit},
      allow_password = ${settings.allowPassword}, allow_query_tokens = ${settings.allowQueryTokens},
      require_pkce = ${settings.requirePkce}, guard_administrators = ${settings.guardAdministrators},
      code_seconds = ${settings.codeSeconds}, updated_at = now()`,
  );
}
