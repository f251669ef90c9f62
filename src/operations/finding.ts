/** A result of the doctor: what was checked, its state, and what to do about it. */
import { type ClockState, isBehind, isUnproven } from "../platform/clock-mark.ts";
import { isShort } from "../platform/free-space.ts";
import type { Sealed } from "./reseal.ts";

export interface Finding {
  /** Stable, for scripts. */
  name: string;
  /** `warn`: works, but needs attention; `bad`: does not work. */
  state: "ok" | "warn" | "bad";
  text: string;
  /** What to do, if anything. */
  remedy?: string;
}

export function ok(name: string, text: string): Finding {
  return { name, state: "ok", text };
}

export function warn(name: string, text: string, remedy: string): Finding {
  return { name, state: "warn", text, remedy };
}

export function bad(name: string, text: string, remedy: string): Finding {
  return { name, state: "bad", text, remedy };
}

const MEBIBYTE = 1024 * 1024;
const DAY_MS = 86_400_000;

/** Free disk space; `bad` is where the service takes nothing more in (decision 0178). */
export function judgeSpace(freeBytes: number, totalBytes: number): Finding {
  const free = `${Math.floor(freeBytes / MEBIBYTE)} MiB free (${Math.floor((100 * freeBytes) / Math.max(1, totalBytes))} %)`;
  const remedy = "Free some space, or move GATEHOUSE_DATA_DIR to a larger disk.";
  if (isShort(freeBytes, totalBytes)) return bad("disk", free, remedy);
  if (freeBytes < 1024 * MEBIBYTE || freeBytes < totalBytes * 0.05) return warn("disk", free, remedy);
  return ok("disk", free);
}

/** Whether the database lets the processes of the service have all the connections that they may open. */
export function judgeConnections(allowed: number, needed: number): Finding {
  const text = `The database allows ${allowed} connections, and the service opens up to ${needed}`;
  if (allowed >= needed) return ok("connections", text);
  return warn(
    "connections",
    text,
    "Raise max_connections, or the connection limit of the role or database; otherwise requests are refused under load.",
  );
}

/** Difference between the clocks of the service and of the database, which decides every expiry. */
export function judgeClock(differenceSeconds: number): Finding {
  const apart = Math.abs(differenceSeconds);
  const text = `The clocks of service and database are ${apart.toFixed(1)} s apart`;
  const remedy = "Synchronize the clocks of both machines (NTP).";
  if (apart > 60) return bad("clock", text, remedy);
  return apart > 5 ? warn("clock", text, remedy) : ok("clock", text);
}

/** Whether the database's clock has gone back behind a time that it showed before, or jumped ahead (decisions 0198 and 0315). */
export function judgeMark(clock: ClockState): Finding {
  if (isBehind(clock)) {
    return bad(
      "clock mark",
      `The clock of the database is ${clock.behindSeconds} s behind the latest time it once had: no token or session is accepted`,
      "Correct the clock; if the later time was wrong, run gatehouse admin accept-clock.",
    );
  }
  if (!isUnproven(clock))
    return ok("clock mark", "The clock of the database did not go back, nor jump ahead");
  return warn(
    "clock mark",
    `The clock of the database went ahead by more than an hour, or the service was stopped for so long: nothing is deleted by age until the service has run for another ${clock.unprovenSeconds} s`,
    "If the time is wrong, correct it; if it is right, wait, or run gatehouse admin accept-clock.",
  );
}

/** Whether encrypted values can be decrypted: with a wrong master key none can; those of an older key can while that is kept. */
export function judgeSealed({ values, earlier, unreadable }: Sealed): Finding {
  if (unreadable > 0) {
    const text = `${unreadable} of ${values} encrypted values cannot be decrypted with the available master keys`;
    const remedy =
      "Restore the master key from a backup; if it is lost, run gatehouse admin accept-key and replace the encrypted values (docs/operations.md).";
    return unreadable === values ? bad("sealed secrets", text, remedy) : warn("sealed secrets", text, remedy);
  }
  if (earlier === 0) return ok("sealed secrets", `All ${values} can be decrypted`);
  const text = `${earlier} of ${values} encrypted values need an older master key`;
  return warn("sealed secrets", text, "Run gatehouse rotate-key, which encrypts them with the newest.");
}

/** An older key is needed for a day; a week leaves time for people to act (decision 0197). */
const OLD_KEY_DAYS = 7;

/**
 * Checks the master keys of a file: an older key is needed for forms and codes of the day on which it was replaced; after that it
 * only exposes old copies.
 * @param since when the file was written, and so the newest key created
 */
export function judgeKeys(path: string, count: number, since: Date, now: Date): Finding {
  if (count === 1) return ok("master key", path);
  const days = Math.floor((now.getTime() - since.getTime()) / DAY_MS);
  const text = `${path}, with older keys beside the newest`;
  if (days < OLD_KEY_DAYS) return ok("master key", text);
  return warn(
    "master key",
    `${text} for ${days} days`,
    "Run gatehouse rotate-key --finish, which drops them; if several machines have the file, remove the lines on each.",
  );
}

/**
 * The first version of each release line in which the vulnerabilities of docs/advisories.md are fixed, in ascending order; newer
 * lines have the fixes, and the odd ones between them got none.
 */
const SAFE_NODES = ["22.23.2", "24.18.1", "26.5.1"];

/** Node.js 22.18 is the first version that runs the sources without a build. */
export function judgeNode(version: string): Finding {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  if (major < 22 || (major === 22 && minor < 18)) {
    const remedy =
      "Run npm ci, which brings Node.js 24, or set GATEHOUSE_NODE to the path of 22.18 or newer.";
    return bad("node", `Node.js ${version} is too old`, remedy);
  }
  const safe = SAFE_NODES.map((each) => each.split(".").map(Number));
  const [line, safeMinor = 0, safePatch = 0] = safe.find(([line = 0]) => line >= major) ?? [];
  const isFixed = minor > safeMinor || (minor === safeMinor && patch >= safePatch);
  if (line === undefined || (line === major && isFixed)) return ok("node", `Node.js ${version}`);
  const remedy = `Run npm ci, which brings Node.js 24, or set GATEHOUSE_NODE to the path of ${SAFE_NODES.join(", ")} or newer.`;
  return warn("node", `Node.js ${version} has known vulnerabilities that requests can exploit`, remedy);
}

/** Compares the applied migrations with those of this program. */
export function judgeMigrations(
  applied: readonly { name: string; sha256: string; breaking?: boolean }[],
  known: readonly { name: string; sha256: string }[],
): Finding {
  const sums = new Map(known.map(({ name, sha256 }) => [name, sha256]));
  const newer = applied.filter(({ name }) => !sums.has(name));
  const strange = newer.find(({ breaking }) => breaking);
  if (strange) {
    const text = `The database has migration ${strange.name}, which this version does not support`;
    return bad("migrations", text, "Run the newer version that applied it, or restore an earlier backup.");
  }
  const changed = applied.find(({ name, sha256 }) => sums.has(name) && sums.get(name) !== sha256);
  if (changed) {
    return bad(
      "migrations",
      `${changed.name} was changed after it was applied`,
      "Reinstall the files of this version.",
    );
  }
  const missing = known.filter(({ name }) => !applied.some((one) => one.name === name));
  if (missing.length > 0) {
    const text = `${missing.length} of ${known.length} are not applied: ${missing.map(({ name }) => name).join(", ")}`;
    return warn("migrations", text, "Run gatehouse migrate, or start the service, which does the same.");
  }
  const more =
    newer.length > 0 ? `, and ${newer.length} of a newer version, with which this one is compatible` : "";
  return ok("migrations", `All ${known.length} are applied${more}`);
}

/** @param end when the certificate of the public address expires */
export function judgeCertificate(end: Date, now: Date): Finding {
  const days = Math.floor((end.getTime() - now.getTime()) / DAY_MS);
  const remedy = "Renew it, and make the proxy load the new one.";
  const day = end.toISOString().slice(0, 10);
  if (days < 0) return bad("certificate", `It expired on ${day}`, remedy);
  if (days < 14) return warn("certificate", `It expires on ${day}, in ${days} days`, remedy);
  return ok("certificate", `Valid until ${day}`);
}

/** @param lines the Set-Cookie headers of a first visit */
export function judgeCookie(
  lines: readonly string[],
  { name, secure }: { name: string; secure: boolean },
): Finding {
  const own = lines.find((line) => line.startsWith(`${name}=`));
  const remedy = "Configure the proxy to pass Set-Cookie unchanged.";
  if (!own) return bad("cookies", `The sign-in page sets no ${name}, so nobody can sign in`, remedy);
  const given = own.split(/;\s*/).slice(1);
  const due = ["HttpOnly", "Path=/", "SameSite=Lax", ...(secure ? ["Secure"] : [])];
  const missing = due.filter((flag) => !given.some((one) => one.toLowerCase() === flag.toLowerCase()));
  const added = given.filter((one) => /^domain=/i.test(one));
  if (missing.length + added.length === 0) return ok("cookies", `${name} arrives unchanged`);
  const changes = [...missing.map((flag) => `without ${flag}`), ...added.map((one) => `with ${one}`)];
  return bad("cookies", `${name} arrives ${changes.join(", ")}`, remedy);
}
