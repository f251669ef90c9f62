/** `gatehouse admin`: creates administrators, and restores access for people who lost their password or second factor. */
import { FROM_CONSOLE } from "../accounts/audit.ts";
import { createPasswordLink } from "../accounts/create-password-link.ts";
import { createUser } from "../accounts/create-user.ts";
import { disableTwoFactor } from "../accounts/disable-two-factor.ts";
import { readablePassword } from "../accounts/password.ts";
import { pullBackSignIns } from "../accounts/pull-back-sign-ins.ts";
import { resetPassword } from "../accounts/reset-password.ts";
import { userIdNamed } from "../accounts/user-id-named.ts";
import { verifyAudit } from "../accounts/verify-audit.ts";
import { pullBackHeartbeats } from "../alerts/pull-back-heartbeats.ts";
import { acceptMasterKey } from "../operations/check-master-key.ts";
import { pullBackMessages } from "../outbox/pull-back-messages.ts";
import { acceptClock, findClock } from "../platform/clock-mark.ts";
import type { Config } from "../platform/config.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import {
  type Answer,
  type Given,
  lineOfInput,
  requiredOption,
  runCommand,
  type Work,
  WrongUsage,
} from "./command.ts";

const USAGE = `Usage: gatehouse admin create --username NAME --email ADDRESS [--name "FULL NAME"] [--password-stdin] [--json]
       gatehouse admin reset-password --username NAME [--link | --password-stdin] [--json]
       gatehouse admin disable-2fa --username NAME [--json]
       gatehouse admin verify-audit [--json]
       gatehouse admin accept-clock [--json]
       gatehouse admin accept-key [--json]

  create           create an administrator
  reset-password   set a new password for a user and end their sessions
  disable-2fa      turn off two-factor sign-in for a user who has lost their authenticator app, passkeys and recovery codes
  verify-audit     verify the hash chain of the audit log: reports a changed or removed entry, and prints the hash of the
                   newest entry. Keep that hash elsewhere: with it you can detect entries missing at the end of the log
  accept-clock     confirm that the current time of the database is right and that the later time it once had was wrong:
                   tokens and sessions are accepted again (some that had expired by the wrong time may become valid again),
                   and messages, heartbeats, sign-ins and authenticator codes do not wait for that time to come. After a
                   jump ahead, or a long stop, data is deleted by age again at once
  accept-key       replace a lost master key by the one in the data directory or GATEHOUSE_MASTER_KEY, or by a new one.
                   Values encrypted with the lost key cannot be recovered

  --link             print a one-time link, valid for 24 hours, with which the user sets the password
  --password-stdin   read the password from the first line of standard input; without it, one is generated and printed once
  --json             print one JSON object

Can be run while the service is running or stopped.
Exit codes: 0 done, 1 refused or failed, 64 wrong usage, 78 wrong configuration.
For example: gatehouse admin create --username ada --email ada@example.org
             gatehouse admin reset-password --username ada
`;

const options = {
  username: { type: "string" },
  email: { type: "string" },
  name: { type: "string" },
  link: { type: "boolean", default: false },
  "password-stdin": { type: "boolean", default: false },
} as const;

export function adminCommand(args: readonly string[], readConfig: () => Config): Promise<void> {
  const shape = {
    usage: USAGE,
    options,
    positionals: 1,
    changesAccounts: true,
    anyKey: args.includes("accept-key"),
  };
  return runCommand(shape, args, readConfig, (given) => {
    switch (given.positionals[0]) {
      case "create":
        return create(given);
      case "reset-password":
        return reset(given);
      case "disable-2fa":
        return disable(requiredOption(given, "username"));
      case "verify-audit":
        return ({ platform }) => verify(platform);
      case "accept-clock":
        return ({ platform }) => acceptTime(platform);
      case "accept-key":
        return ({ platform }) => acceptKey(platform);
      default:
        throw new WrongUsage(`Unknown subcommand admin ${given.positionals[0]}.`);
    }
  });
}

async function create(given: Given): Promise<Work> {
  const [username, email] = [requiredOption(given, "username"), requiredOption(given, "email")];
  const { password, made } = await passwordOf(given);
  const fields = { username, email, password, name: given.texts.name ?? username, isAdmin: true };
  return async ({ platform }) => {
    const id = await createUser(platform, fields, undefined, FROM_CONSOLE);
    return {
      text: `Created the administrator ${username}.\n${made ? `Password (shown only once): ${password}\n` : ""}`,
      json: { id, username, email, ...(made ? { password } : {}) },
    };
  };
}

async function reset(given: Given): Promise<Work> {
  const username = requiredOption(given, "username");
  if (given.flags.has("link")) return ({ platform }) => makeLink(platform, username);
  const { password, made } = await passwordOf(given);
  return async ({ platform }) => {
    await resetPassword(platform, username, password);
    return {
      text: `Set a new password for ${username} and ended their sessions.\n${made ? `Password (shown only once): ${password}\n` : ""}`,
      json: { username, ...(made ? { password } : {}) },
    };
  };
}

async function makeLink(platform: Platform, username: string): Promise<Answer> {
  const userId = await userIdNamed(platform.db, username, "username");
  const link = await createPasswordLink(platform, userId, FROM_CONSOLE);
  return {
    text: `One-time link for ${username} to set a new password, valid for 24 hours:\n\n  ${link}\n`,
    json: { username, link },
  };
}

function disable(username: string): Work {
  return async ({ platform }) => {
    const was = await disableTwoFactor(platform, username);
    return {
      text: `Two-factor sign-in of ${username} ${was ? "is now off" : "was already off"}.\n`,
      json: { username, two_factor_enabled: false, changed: was },
    };
  };
}

async function acceptTime({ db }: Platform): Promise<Answer> {
  const { behindSeconds } = await findClock(db);
  await db.transaction(async (tx) => {
    await acceptClock(tx);
    await pullBackMessages(tx);
    await pullBackHeartbeats(tx);
    await pullBackSignIns(tx);
  });
  return {
    text: "The current time of the database was accepted.\n",
    json: { behind_seconds: Math.max(0, behindSeconds) },
  };
}

async function acceptKey(platform: Platform): Promise<Answer> {
  const isAnother = await acceptMasterKey(platform);
  return {
    text: isAnother
      ? "The master key was accepted. Start the service; gatehouse doctor reports how many values the lost key had encrypted.\n"
      : "The master key already belongs to this database.\n",
    json: { changed: isAnother },
  };
}

async function verify({ db }: Platform): Promise<Answer> {
  const { entries, head, broken } = await verifyAudit(db);
  if (broken) {
    throw new Problem(
      "conflict",
      `Entry ${broken.id} of the audit log is ${broken.why}. The ${entries} entries before it are intact.`,
    );
  }
  return {
    text: `The audit log is intact: ${entries} entries.\n${head ? `Hash of the newest entry: ${head}\n` : ""}`,
    json: { entries, head },
  };
}

async function passwordOf({ flags }: Given): Promise<{ password: string; made: boolean }> {
  if (flags.has("password-stdin")) return { password: await lineOfInput(), made: false };
  return { password: readablePassword(), made: true };
}
