/** `gatehouse setup-link`: prints another one-time link for creating the first administrator. */
import { createSetupLink, SETUP_LINK_SECONDS } from "../accounts/first-administrator.ts";
import type { Config } from "../platform/config.ts";
import { runCommand } from "./command.ts";

const USAGE = `Usage: gatehouse setup-link [--json]

Prints a link with which the first administrator is created in a browser. It works once and for 30 minutes; earlier links
become invalid. Refused if there is an administrator already.

  --json   print one JSON object: {"url": "…", "expires_in": 1800}

Exit codes: 0 done, 1 refused (there is an administrator) or failed, 64 wrong usage, 78 wrong configuration.
For example: gatehouse setup-link
`;

export function setupLinkCommand(args: readonly string[], readConfig: () => Config): Promise<void> {
  return runCommand(
    { usage: USAGE, options: {}, positionals: 0 },
    args,
    readConfig,
    () =>
      async ({ platform }) => {
        const url = await createSetupLink(platform);
        return {
          text: `Open within 30 minutes:\n\n  ${url}\n`,
          json: { url, expires_in: SETUP_LINK_SECONDS },
        };
      },
  );
}
