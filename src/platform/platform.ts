/** The one value handed down from `main.ts` to every room. */
import type { FastifyBaseLogger } from "fastify";
import type { Config } from "./config.ts";
import type { Db } from "./db.ts";
import type { Keys } from "./secret.ts";

/** Made once by `start-platform.ts`, connected and migrated; rooms take of it what they need. */
export interface Platform {
  readonly config: Config;
  readonly db: Db;
  /** As the owner of the tables, for what makes and drops some; absent where `db` is the owner's (decision 0210). */
  readonly owner?: Db;
  readonly keys: Keys;
  readonly log: FastifyBaseLogger;
  /** Whether the disk of the database is nearly full; absent where the database is somebody else's. */
  readonly isShortOfSpace?: () => Promise<boolean>;
  /** Whether this process is too far behind to take more; absent where nothing is served. */
  readonly isOverloaded?: () => boolean;
  /** Whether the database's clock has gone back; absent where nothing is served. */
  readonly isClockBehind?: () => Promise<boolean>;
}
