/** The network addresses to which outgoing requests may go (decision 0049). */
import { BlockList, isIP } from "node:net";

/** IPv4 ranges that are not public (IANA special-purpose registry). */
const NOT_PUBLIC_4 = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const;

/** Ranges of 2000::/3 that are not public, or contain an IPv4 address (Teredo, 6to4). */
const NOT_PUBLIC_6 = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const;

const notPublic4 = listOf(NOT_PUBLIC_4, "ipv4");
const notPublic6 = listOf(NOT_PUBLIC_6, "ipv6");
const global6 = listOf([["2000::", 3]], "ipv6");

/** Whether an IP address is public. Mapped, NAT64, unique-local and link-local addresses are not. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !notPublic4.check(address, "ipv4");
  // Outside 2000::/3 are loopback, ::ffff:0:0/96, 64:ff9b::/96, fc00::/7, fe80::/10 and multicast.
  return version === 6 && global6.check(address, "ipv6") && !notPublic6.check(address, "ipv6");
}

/**
 * Why a request may not go to this port of a public address, or undefined. Allowed are 80 and 443, and ports from 1024 on except
 * those of services that would read a request as commands.
 */
export function portFault(port: number): string | undefined {
  const isFine = port === 80 || port === 443 || (port >= 1024 && !OTHER_SERVICES.has(port));
  return isFine ? undefined : `port ${port} is not allowed`;
}

const OTHER_SERVICES = new Set([
  1433, 1521, 1719, 1720, 1723, 2049, 2375, 2376, 2379, 3306, 3389, 3659, 4045, 4190, 5060, 5061, 5432, 5900,
  6000, 6379, 6443, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 9042, 10080, 10250, 11211, 27017,
]);

/** What an operator allows even if it is not public (GATEHOUSE_ALLOW_PRIVATE_TARGETS). */
export interface Allowance {
  /** By `host:port` as the address has it, whatever it resolves to. */
  namesTarget(host: string, port: number): boolean;
  /** By the address itself. */
  holdsAddress(address: string): boolean;
}

/** Reads a list of `host:port`, addresses and CIDR ranges that `readConfig` has checked. */
export function allowanceOf(entries: readonly string[]): Allowance {
  const names = new Set<string>();
  const ranges = new BlockList();
  for (const entry of entries) {
    const [address = "", bits] = entry.split("/");
    const version = isIP(address);
    if (version === 0) names.add(entry.toLowerCase());
    else
      ranges.addSubnet(address, Number(bits ?? (version === 4 ? 32 : 128)), version === 4 ? "ipv4" : "ipv6");
  }
  return {
    namesTarget: (host, port) => names.has(`${host.toLowerCase()}:${port}`),
    holdsAddress: (address) => ranges.check(address, isIP(address) === 6 ? "ipv6" : "ipv4"),
  };
}

function listOf(ranges: readonly (readonly [string, number])[], family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const [address, bits] of ranges) list.addSubnet(address, bits, family);
  return list;
}
