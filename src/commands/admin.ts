/** `gatehouse admin`: creates administrators, and restores access for people who lost their password or second factor. */
import { FROM_CONSOLE } from "../accounts/audit.ts";
import { createPasswordLink } from "../accounts/create-password-link.ts";
import { createUser } from "../accounts/create-user.ts";
import { readablePassword } from "../accounts/password.ts";
import { peopleNamed } from "../accounts/people-named.ts";
import { disableTwoFactor, resetPassword } from "../accounts/reset-password.ts";
import { verifyAudit } from "../accounts/verify-audit.ts";
import { acceptMasterKey } from "../operations/check-master-key.ts";
import { acceptClock, findClock } from "../platform/clock-mark.ts";
import type { Config } from "../platform/config.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import {
  type Answer,
  type Given,
  lineOfInput,
  needed,
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

  create           make an administrator
  reset-password   give a person a new password; ends their sessions
  disable-2fa      turn two-factor sign-in off for someone who lost app, passkeys and recovery codes
  verify-audit     go through the audit log; says whether an entry was changed or removed, and the hash of the newest,
                   which is worth keeping elsewhere: it shows a log that was cut off at its end
  accept-clock     the time that the database tells now is right, and a later one that it told before was not: tokens and
                   sessions count again (what had ended by then may count once more)
  accept-key       the master key that the database was used with is lost for good: the one that is here takes its place, or a
                   new one where there is none. What was sealed with the lost one stays lost

  --link             print a one-time link, good for 24 hours, by which the person sets the password
  --password-stdin   read the password from the first line of standard input; without it one is made and printed once
  --json             answer with one JSON object

Works alone and beside a running service.
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
    words: 1,
    changesAccounts: true,
    anyKey: args.includes("accept-key"),
  };
  return runCommand(shape, args, readConfig, (given) => {
    switch (given.words[0]) {
      case "create":
        return create(given);
      case "reset-password":
        return reset(given);
      case "disable-2fa":
        return disable(needed(given, "username"));
      case "verify-audit":
        return ({ platform }) => verify(platform);
      case "accept-clock":
        return ({ platform }) => accept(platform);
      case "accept-key":
        return ({ platform }) => acceptKey(platform);
      default:
        throw new WrongUsage(`There is no admin ${given.words[0]}.`);
    }
  });
}

async function create(given: Given): Promise<Work> {
  const [username, email] = [needed(given, "username"), needed(given, "email")];
  const { password, made } = await passwordOf(given);
  const fields = { username, email, password, name: given.values.name ?? username, isAdmin: true };
  return async ({ platform }) => {
    const id = await createUser(platform, fields, undefined, FROM_CONSOLE);
    return {
      text: `${username} is an administrator now.\n${made ? `Password, shown this once: ${password}\n` : ""}`,
      json: { id, username, email, ...(made ? { password } : {}) },
    };
  };
}

async function reset(given: Given): Promise<Work> {
  const username = needed(given, "username");
  if (given.values.link) return ({ platform }) => makeLink(platform, username);
  const { password, made } = await passwordOf(given);
  return async ({ platform }) => {
    await resetPassword(platform, username, password);
    return {
      text: `The password of ${username} is new, and their sessions are over.\n${made ? `Password, shown this once: ${password}\n` : ""}`,
      json: { username, ...(made ? { password } : {}) },
    };
  };
}

async function makeLink(platform: Platform, username: string): Promise<Answer> {
  const [userId] = await peopleNamed(platform.db, [username], "username");
  const link = await createPasswordLink(platform, userId as number, FROM_CONSOLE);
  return {
    text: `${username} sets a new password here, once, within 24 hours:\n\n  ${link}\n`,
    json: { username, link },
  };
}

function disable(username: string): Work {
  return async ({ platform }) => {
    const was = await disableTwoFactor(platform, username);
    return {
      text: `Two-factor sign-in of ${username} ${was ? "is off now" : "was off already"}.\n`,
      json: { username, two_factor_enabled: false, changed: was },
    };
  };
}

async function accept({ db }: Platform): Promise<Answer> {
  const { behindSeconds } = await findClock(db);
  await acceptClock(db);
  return {
    text: "The time that the database tells now counts as the latest.\n",
    json: { behind_seconds: Math.max(0, behindSeconds) },
  };
}

async function acceptKey(platform: Platform): Promise<Answer> {
  const isAnother = await acceptMasterKey(platform);
  return {
    text: isAnother
      ? "This master key counts from now on. Start the service; gatehouse doctor says how much the lost one had sealed.\n"
      : "This master key is the one of the database already.\n",
    json: { changed: isAnother },
  };
}

async function verify({ db }: Platform): Promise<Answer> {
  const { entries, head, broken } = await verifyAudit(db);
  if (broken) {
    throw new Problem(
      "conflict",
      `Entry ${broken.id} of the audit log is ${broken.why}. The ${entries} before it hang together.`,
    );
  }
  return {
    text: `The audit log is whole: ${entries} entries.\n${head ? `The newest has the hash ${head}\n` : ""}`,
    json: { entries, head },
  };
}

async function passwordOf({ values }: Given): Promise<{ password: string; made: boolean }> {
  if (values["password-stdin"]) return { password: await lineOfInput(), made: false };
  return { password: readablePassword(), made: true };
}
