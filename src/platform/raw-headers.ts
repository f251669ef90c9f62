/** The header lines of a request as they came, where the framework's own headers hold one of several. */
import type { FastifyRequest } from "fastify";

/** What stands on each line of this name, in the order of the lines. */
export function headerLines({ raw }: FastifyRequest, name: "authorization" | "host"): string[] {
  const lines = raw.rawHeaders;
  const values: string[] = [];
  for (let at = 0; at < lines.length; at += 2) {
    if (lines[at]?.toLowerCase() === name) values.push(lines[at + 1] ?? "");
  }
  return values;
}
