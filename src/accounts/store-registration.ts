/** Statements about who may register. */
import type { Queries } from "../platform/db.ts";
import { sql } from "../platform/sql.ts";
import { type StoredRegistration, StoredRegistrationRow } from "./registration.ts";

export function findStoredRegistration(db: Queries): Promise<StoredRegistration> {
  return db.one(StoredRegistrationRow, sql`select registration, registration_domains from instance_settings`);
}

/** Reads the settings and locks them until the transaction ends. */
export function lockRegistration(tx: Queries): Promise<StoredRegistration> {
  return tx.one(
    StoredRegistrationRow,
    sql`select registration, registration_domains from instance_settings for update`,
  );
}

export function updateRegistration(db: Queries, said: StoredRegistration): Promise<number> {
  return db.run(
    sql`update instance_settings set registration = ${said.registration},
      registration_domains = ${said.registrationDomains}::text[], updated_at = now()`,
  );
}

/** Deletes the links of people who signed up themselves. */
export function deleteSignUps(db: Queries): Promise<number> {
  return db.run(
    sql`delete from invitations where invited_by is null and project_id is null and namespace_id is null`,
  );
}
