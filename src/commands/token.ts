/** `gatehouse token create`: creates a personal access token for a user from the console. */
import { FROM_CONSOLE } from "../accounts/audit.ts";
import { createToken } from "../accounts/create-token.ts";
import { isScope, SCOPES } from "../accounts/scope.ts";
import { userIdNamed } from "../accounts/user-id-named.ts";
import type { Config } from "../platform/config.ts";
import { parseDay } from "../platform/parameters.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { type Answer, requiredOption, runCommand, WrongUsage } from "./command.ts";

const USAGE = `Usage: gatehouse token create --user NAME --scopes a,b [--name WORDS] [--expires-at YYYY-MM-DD] [--json]

Creates a personal access token that acts for the user, and prints it once. It expires at the start of the given day (UTC),
or never if no day is given.

  --scopes   api, read_api, read_user, profile, openid, email, write_events,
             self_rotate; comma-separated
  --name     what the token is for; default: "command line"
  --json     print one JSON object: {"id": 1, "user": "ada", "scopes": ["api"], "expires_at": null, "token": "…"}

Can be run while the service is running or stopped.
Exit codes: 0 done, 1 refused (no such user or scope) or failed, 64 wrong usage, 78 wrong configuration.
For example: gatehouse token create --user ada --scopes read_api,read_user
`;

const options = {
  user: { type: "string" },
  scopes: { type: "string" },
  name: { type: "string" },
  "expires-at": { type: "string" },
} as const;

export function tokenCommand(args: readonly string[], readConfig: () => Config): Promise<void> {
  return runCommand(
    { usage: USAGE, options, positionals: 1, changesAccounts: true },
    args,
    readConfig,
    (given) => {
      if (given.positionals[0] !== "create")
        throw new WrongUsage(`Unknown subcommand token ${given.positionals[0]}.`);
      const user = requiredOption(given, "user");
      const scopes = requiredOption(given, "scopes")
        .split(/[\s,]+/)
        .filter(Boolean);
      const wrong = scopes.find((scope) => !isScope(scope));
      if (wrong)
        throw new Problem("invalid", `Unknown scope ${wrong}. Available scopes: ${SCOPES.join(", ")}.`);
      const written = given.texts["expires-at"];
      const expiresOn = written === undefined ? null : parseDay(written);
      if (expiresOn === undefined) throw new WrongUsage("--expires-at is not a date such as 2027-03-01.");
      const name = given.texts.name ?? "command line";
      return ({ platform }) => create(platform, user, { name, scopes, expiresOn });
    },
  );
}

async function create(
  { db }: Platform,
  user: string,
  fields: { name: string; scopes: string[]; expiresOn: string | null },
): Promise<Answer> {
  const userId = await userIdNamed(db, user, "username").catch((error) => {
    if (!(error instanceof Problem) || error.kind !== "not_found") throw error;
    throw new Problem("not_found", `There is no user ${user}.`);
  });
  const { scopes, expiresOn } = fields;
  const { token, secret } = await db.transaction((tx) => createToken(tx, userId, fields, FROM_CONSOLE));
  return {
    text: `Token for ${user} (${scopes.join(", ")}), shown only once:\n\n  ${secret}\n`,
    json: { id: token.id, user, scopes, expires_at: expiresOn, token: secret },
  };
}
