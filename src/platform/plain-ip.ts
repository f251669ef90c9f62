/** Reads the client's IP address from what a proxy reports. */
import { isIP } from "node:net";

/** Removes the port that some proxies add: `192.0.2.1:40000`, `[2001:db8::1]:40000`. Undefined: it is not an address. */
export function plainIp(told: string): string | undefined {
  const text = told.trim();
  if (isIP(text) !== 0) return text;
  const [, six, four] = /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d{1,5})?$/.exec(text) ?? [];
  const address = six ?? four ?? "";
  return isIP(address) === 0 ? undefined : address;
}
