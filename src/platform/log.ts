/** The log: one JSON line an entry on standard output, holding named fields only. */
import type { FastifyBaseLogger } from "fastify";
import { type DestinationStream, pino } from "pino";
import type { Config } from "./config.ts";
import { withoutSecrets } from "./secret.ts";

/** What waits at most while standard output takes nothing; more is left out. */
const WAITING_BYTES = 1024 * 1024;

/**
 * Addresses with query strings, headers and bodies never reach the log. Errors come as type, message and stack, with the
 * code and the names that a database gave; whole rows, which it tells of too, and secrets of ours do not. Where nothing can be
 * written, such as on a full disk, the service goes on, and writes again once it can.
 */
export function createLog(
  config: Pick<Config, "logLevel">,
  destination?: DestinationStream,
): FastifyBaseLogger {
  const options = {
    level: config.logLevel,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { req: () => undefined, res: () => undefined, err: fieldsOf },
  };
  if (destination) return pino(options, destination);
  const output = pino.destination({ dest: 1, sync: true, maxLength: WAITING_BYTES });
  // Its flush at the end would try until the disk has room again.
  output.on("error", () => {
    output.flushSync = () => {};
  });
  return pino(options, output);
}

/** Members that libraries add to their errors, and that name no value of anybody's. */
const NAMES = ["code", "syscall", "severity", "schema", "table", "column", "constraint"] as const;

function fieldsOf(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error, message: withoutSecrets(String(error)) };
  const { type, ...said } = pino.stdSerializers.err(error);
  const [message, stack] = [said.message, said.stack].map((words) => words && withoutSecrets(words));
  const given = error as unknown as Readonly<Record<string, unknown>>;
  const names = Object.fromEntries(NAMES.map((name) => [name, given[name]]));
  const within = Array.isArray(given.errors) ? { errors: given.errors.map(fieldsOf) } : {};
  return { type, message, stack, ...names, ...within };
}
