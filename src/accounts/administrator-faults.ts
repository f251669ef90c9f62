/** What is wrong with the values from the environment for the first administrator, without a database (contract §1). */
import type { GivenAdministrator } from "../platform/config.ts";
import { credentialFaults } from "./prepare-user.ts";

/** Returns a sentence for each value that no user may have, with the name of its variable. */
export function administratorFaults(given: GivenAdministrator): string[] {
  return namedFaults(credentialFaults(given));
}

/** Puts the name of the variable before the fault of its field. */
export function namedFaults(
  fields: Readonly<Record<string, string | readonly string[] | undefined>>,
): string[] {
  return Object.entries(fields).flatMap(([field, fault]) =>
    fault === undefined ? [] : [`GATEHOUSE_ADMIN_${field.toUpperCase()} ${[fault].flat().join(", ")}`],
  );
}
