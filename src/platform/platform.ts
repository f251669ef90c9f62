/** The shared resources of the service, passed from `main.ts` to every room. */
import type { FastifyBaseLogger } from "fastify";
import type { Config } from "./config.ts";
import type { Db } from "./db.ts";
import type { Keys } from "./secret.ts";

/** Created once by `start-platform.ts`, with a connected and migrated database. */
export interface Platform {
  readonly config: Config;
  readonly db: Db;
  /** Connects as the owner of the tables, to create and drop some; absent if `db` is the owner already (decision 0210). */
  readonly owner?: Db;
  readonly keys: Keys;
  readonly log: FastifyBaseLogger;
  /** Whether the disk of the database is nearly full; absent if the database is not the embedded one. */
  readonly isShortOfSpace?: () => Promise<boolean>;
  /** Whether this process is overloaded; absent in commands, which serve no requests. */
  readonly isOverloaded?: () => boolean;
  /** Whether the database's clock has gone back; absent in commands. */
  readonly isClockBehind?: () => Promise<boolean>;
}
