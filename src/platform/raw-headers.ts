/** Reads repeated header lines of a request, of which the framework keeps only one. */
import type { FastifyRequest } from "fastify";

/** Returns the value of each line of this name, in order. */
export function headerLines({ raw }: FastifyRequest, name: "authorization" | "host"): string[] {
  const lines = raw.rawHeaders;
  const values: string[] = [];
  for (let at = 0; at < lines.length; at += 2) {
    if (lines[at]?.toLowerCase() === name) values.push(lines[at + 1] ?? "");
  }
  return values;
}
