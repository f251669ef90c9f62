/** The log: one JSON line per entry on standard output, with named fields only. */
import type { FastifyBaseLogger } from "fastify";
import { type DestinationStream, pino } from "pino";
import type { Config } from "./config.ts";
import { withoutSecrets } from "./secret.ts";

/** How much is buffered while standard output accepts nothing; more is dropped. */
const WAITING_BYTES = 1024 * 1024;

/**
 * Query strings, headers and bodies are never logged. Errors are logged with type, message and stack, the code, and the names
 * that a database reports; secrets of ours are removed, and the rows that a database reports are left out. If nothing can be
 * written, such as on a full disk, the service goes on, and logs again once it can.
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
  // Its flush at exit would retry until the disk has space again.
  output.on("error", () => {
    output.flushSync = () => {};
  });
  return pino(options, output);
}

/** Members that libraries add to their errors and that contain no data of users. */
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
