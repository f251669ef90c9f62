/** One thing that is measured: which server answers which request, sent how. */
import type pg from "pg";
import type { Shape } from "./load-plan.ts";
import type { Group } from "./options.ts";

/** The service, or the name of a bare server or peer as its file is called. */
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
  /** How gates and the JSON name it. */
  id: string;
  title: string;
  group: Group;
  server: ServerName;
  shape: Shape;
  connections: number;
  /** Open loop at this rate. */
  ratePerSecond?: number;
  /** Load that runs beside it and is not measured. */
  beside?: { shape: Shape; connections: number };
  /** Prepares something that happens once in the middle of the measurement, and returns what makes it happen. */
  meanwhile?: (database: pg.ClientConfig) => Promise<() => Promise<void>>;
  /** Judges the sample answer before anything is measured; a sentence says what is wrong. */
  check?: (answer: unknown) => string | undefined;
}

/** The closed loop that most figures are taken with. */
export const CONNECTIONS = 16;
export const MANY_CONNECTIONS = 64;
