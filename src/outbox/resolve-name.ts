/** Resolves the host names of targets, which people choose, so that slow name servers delay nothing else. */
import { Resolver } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";

/** Where names are looked up. */
export interface NameSources {
  hostsFile: string;
  /** Name servers as `address:port`; undefined: those of the system. */
  servers?: readonly string[];
}

const SYSTEM: NameSources = {
  hostsFile:
    process.platform === "win32"
      ? `${process.env.SystemRoot ?? "C:\\Windows"}\\System32\\drivers\\etc\\hosts`
      : "/etc/hosts",
};

/** Milliseconds for the first of two tries; the second may take twice as long, which leaves time for the request itself. */
const TRY_MS = 1000;
const TRIES = 2;

interface Address {
  address: string;
}

/**
 * Returns the addresses of a name in the hosts file, else those that name servers know, IPv4 first unless only IPv6 leads out.
 * The system's resolver would hold one of four threads until the name servers of the name's owner have answered, and they
 * also read files, hash passwords and check TLS; no request could end that wait.
 * @param signal ends the queries @throws Error there are none, or no server answered
 */
export async function resolveName(host: string, signal: AbortSignal, sources = SYSTEM): Promise<Address[]> {
  const name = host.replace(/\.$/, "").toLowerCase();
  const listed = await listedIn(sources.hostsFile, name);
  if (listed.length > 0) return listed;
  const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
  if (sources.servers) resolver.setServers(sources.servers);
  const cancel = () => resolver.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    signal.throwIfAborted();
    const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    if (four.status === "rejected" && six.status === "rejected") throw four.reason;
    const found = [four, six].map((answer) => (answer.status === "fulfilled" ? answer.value : []));
    return (leadsOutBySixOnly() ? found.reverse() : found).flat().map((address) => ({ address }));
  } finally {
    signal.removeEventListener("abort", cancel);
  }
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
