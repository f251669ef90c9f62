/** The log: one JSON line an entry on standard output, holding named fields only. */

import type { FastifyBaseLogger } from "fastify";
import { type DestinationStream, pino } from "pino";
import type { Config } from "./config.ts";

/** Addresses with query strings, headers and bodies never reach the log; errors come as type, message and stack. */
export function createLog(
  config: Pick<Config, "logLevel">,
  destination?: DestinationStream,
): FastifyBaseLogger {
  const options = {
    level: config.logLevel,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { req: () => undefined, res: () => undefined, err: pino.stdSerializers.err },
  };
  return destination ? pino(options, destination) : pino(options);
}
