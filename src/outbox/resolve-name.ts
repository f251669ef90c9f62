/** Resolves the host names of targets, which people choose, so that slow name servers delay nothing else. */
import { Resolver } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { setTimeout as pause } from "node:timers/promises";

/** Where names are looked up. */
export interface NameSources {
  hostsFile: string;
  /** Where the search domains are (resolv.conf(5)); Windows has no such file. */
  resolvConf: string;
  /** Name servers as `address:port`; undefined: those of the system. */
  servers?: readonly string[];
}

const SYSTEM: NameSources = {
  hostsFile:
    process.platform === "win32"
      ? `${process.env.SystemRoot ?? "C:\\Windows"}\\System32\\drivers\\etc\\hosts`
      : "/etc/hosts",
  resolvConf: "/etc/resolv.conf",
};

/** Milliseconds for the first of two tries; the second may take twice as long, which leaves time for the request itself. */
const TRY_MS = 1000;
const TRIES = 2;
/** Milliseconds that addresses of one family wait for those of the other, as a server may never tell of a family it lacks. */
const OTHER_FAMILY_MS = 500;
/** Search domains apply first to names with fewer dots than this, if the file has nothing else. */
const DEFAULT_DOTS = 1;

interface Address {
  address: string;
}

/**
 * Returns the addresses of a name in the hosts file, else those that name servers know, of the name itself or of the name in a
 * search domain, in the order of the system's resolver; IPv4 first unless only IPv6 leads out. The system's resolver would hold
 * one of four threads until the name servers of the name's owner have answered, and they also read files, hash passwords and
 * check TLS; no request could end that wait.
 * @param signal ends the queries @throws Error there are none, or no server answered
 */
export async function resolveName(host: string, signal: AbortSignal, sources = SYSTEM): Promise<Address[]> {
  const name = host.replace(/\.$/, "").toLowerCase();
  const listed = await listedIn(sources.hostsFile, name);
  if (listed.length > 0) return listed;
  const longer = host.endsWith(".") ? { before: [], after: [] } : await completed(sources.resolvConf, name);
  let reason: unknown;
  for (const one of [...longer.before, name, ...longer.after]) {
    signal.throwIfAborted();
    try {
      return await queried(one, signal, sources.servers);
    } catch (error) {
      // In a search domain it may not exist where it exists by itself, and the other way round.
      if (one === name || signal.aborted) reason = error;
    }
  }
  throw reason;
}

async function queried(
  name: string,
  signal: AbortSignal,
  servers: NameSources["servers"],
): Promise<Address[]> {
  const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
  if (servers) resolver.setServers(servers);
  const cancel = () => resolver.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    const [four, six] = [resolver.resolve4(name), resolver.resolve6(name)];
    const first = Promise.any([four.catch(noneIfUnknown), six]);
    const tooLate = first.then(() => pause(OTHER_FAMILY_MS, [], { ref: false }));
    const answers = await Promise.allSettled([four, six].map((one) => Promise.race([one, tooLate])));
    const found = answers.map((answer) => (answer.status === "fulfilled" ? answer.value : []));
    const fault = answers.find((answer) => answer.status === "rejected");
    if (fault && found.flat().length === 0) throw fault.reason;
    return (leadsOutBySixOnly() ? found.reverse() : found).flat().map((address) => ({ address }));
  } finally {
    signal.removeEventListener("abort", cancel);
    cancel();
  }
}

/**
 * There is nothing by a name without IPv4 addresses that does not exist, so IPv6 addresses need not be awaited for long. Not the
 * other way round: some servers say so of IPv6 addresses where there are only others (RFC 4074 §4.2).
 */
function noneIfUnknown(error: NodeJS.ErrnoException): string[] {
  if (error.code === "ENOTFOUND") return [];
  throw error;
}

/** The name in each search domain: those to ask for before the name itself, and after it (resolv.conf(5), `ndots`). */
async function completed(resolvConf: string, name: string): Promise<{ before: string[]; after: string[] }> {
  const lines = await readFile(resolvConf, "utf8").catch(() => "");
  let domains: string[] = [];
  let dots = DEFAULT_DOTS;
  for (const line of lines.split("\n")) {
    const [word, ...values] = line.trim().split(/\s+/);
    // The last of these lines counts.
    if (word === "search" || word === "domain") domains = values;
    if (word === "options") dots = Number(values.find((one) => /^ndots:\d+$/.test(one))?.slice(6) ?? dots);
  }
  const longer = domains
    .map((domain) => domain.replace(/\.$/, ""))
    .flatMap((domain) => (domain === "" ? [] : [`${name}.${domain}`]));
  return name.split(".").length > dots ? { before: [], after: longer } : { before: longer, after: [] };
}

/** Read anew each time, since operators change it; it is short and in memory. */
async function listedIn(hostsFile: string, name: string): Promise<Address[]> {
  const lines = await readFile(hostsFile, "utf8").catch(() => "");
  return lines.split("\n").flatMap((line) => {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().toLowerCase().split(/\s+/);
    return isIP(address) > 0 && names.includes(name) ? [{ address }] : [];
  });
}

function leadsOutBySixOnly(): boolean {
  const outward = Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith("fe80:"));
  return outward.length > 0 && outward.every(({ family }) => family === "IPv6");
}
