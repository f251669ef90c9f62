/** A measured operation: the server, the request, and how it is sent. */
import type pg from "pg";
import type { Shape } from "./load-plan.ts";
import type { Group } from "./options.ts";

/** The service, or the file name of a bare server or peer. */
export type ServerName =
  | "service"
  | "bare/hello"
  | "bare/select-by-key"
  | "bare/token-info"
  | "bare/inserts"
  | "bare/events"
  | "peers/node-oauth"
  | "peers/oidc-provider"
  | "peers/alertmanager";

export interface Operation {
  /** Its name in gates and in the JSON. */
  id: string;
  title: string;
  group: Group;
  server: ServerName;
  shape: Shape;
  connections: number;
  /** Open loop with this rate. */
  ratePerSecond?: number;
  /** Load that runs in parallel and is not measured. */
  beside?: { shape: Shape; connections: number };
  /** Prepares something that happens once in the middle of the measurement, and returns the function that does it. */
  meanwhile?: (database: pg.ClientConfig) => Promise<() => Promise<void>>;
  /** Checks a sample response before the measurement; returns what is wrong with it. */
  check?: (answer: unknown) => string | undefined;
}

/** The number of connections of most closed loops. */
export const CONNECTIONS = 16;
export const MANY_CONNECTIONS = 64;
