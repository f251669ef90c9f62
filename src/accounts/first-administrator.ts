/** Creates the first administrator: from the environment, or by the one-time setup link. */
import { ConfigError } from "../platform/config.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import { digest, newSecret } from "../platform/secret.ts";
import { namedFaults } from "./administrator-faults.ts";
import { FROM_CONSOLE } from "./audit.ts";
import { checkContext } from "./context-words.ts";
import { createUser } from "./create-user.ts";
import { GIVEN_TOKEN } from "./given-tokens.ts";
import type { UserFields } from "./prepare-user.ts";
import { countAdministrators, insertToken } from "./store.ts";
import { insertSetupLink, lockSetup, setupLinkWasSpent, spendSetupLink } from "./store-setup-links.ts";

/** Lifetime of a setup link. */
export const SETUP_LINK_SECONDS = 30 * 60;

/**
 * Creates the administrator of the four GATEHOUSE_ADMIN_* variables if there is none (contract §1). Returns whether there is an
 * administrator now.
 * @throws ConfigError if the values are not valid for a user
 */
export async function ensureAdministrator(platform: Platform): Promise<boolean> {
  const { db, config, log } = platform;
  if ((await countAdministrators(db)) > 0) return true;
  if (!config.admin) return false;
  try {
    await makeAdministrator(platform, config.admin);
  } catch (error) {
    // Another process that started at the same time created the same person.
    if (error instanceof FieldProblem && error.kind === "conflict" && (await countAdministrators(db)) > 0)
      return true;
    throw error instanceof FieldProblem ? new ConfigError(namedFaults(error.fields)) : error;
  }
  log.info({ username: config.admin.username }, "made the first administrator from the environment");
  return true;
}

function makeAdministrator(platform: Platform, admin: NonNullable<Platform["config"]["admin"]>) {
  const { username, email, password, token } = admin;
  return platform.db.transaction(async (tx) => {
    const fields = { username, email, password, name: username, isAdmin: true };
    const userId = await createUser(platform, fields, tx, FROM_CONSOLE);
    if (!token) return;
    const scopes = ["api"];
    await insertToken(tx, { digest: digest(token), kind: "personal", userId, scopes, name: GIVEN_TOKEN });
  });
}

/**
 * Creates a one-time link for creating the first administrator; earlier links end.
 * @throws Problem conflict when there is an administrator already
 */
export async function createSetupLink({ db, config }: Platform): Promise<string> {
  if ((await countAdministrators(db)) > 0)
    throw new Problem("conflict", "There is an administrator already.");
  const secret = newSecret("setup");
  await db.transaction(async (tx) => {
    // Without the lock, two concurrent inserts would not see each other.
    await lockSetup(tx);
    await insertSetupLink(tx, digest(secret), SETUP_LINK_SECONDS);
  });
  return `${config.publicUrl}/setup/${secret}`;
}

/**
 * Spends a setup link to create the first administrator; of concurrent requests one wins, also with two links. Recorded in the
 * audit log with the network address `ip`. Returns the user's id.
 * @throws Problem not_found: no such link any more; conflict: there is an administrator already; FieldProblem
 */
export async function setUpAdministrator(
  platform: Platform,
  secret: string,
  fields: UserFields,
  ip: string,
): Promise<number> {
  return platform.db.transaction(async (tx) => {
    await lockSetup(tx);
    const spent = (await spendSetupLink(tx, digest(secret))) === 1;
    if (!spent && !(await setupLinkWasSpent(tx, digest(secret))))
      throw new Problem("not_found", "404 Not Found");
    if (!spent || (await countAdministrators(tx)) > 0)
      throw new Problem("conflict", "There is an administrator already.");
    checkContext(fields.password, { ...fields, publicUrl: platform.config.publicUrl });
    return createUser(platform, { ...fields, isAdmin: true }, tx, { actorId: null, ip });
  });
}
