/** The message of whatever chat, in the parts that matter here. */
import type { Severity } from "../severity.ts";

/** What a message says, in whatever chat. */
export interface Message {
  chat: string;
  /** What stands in the place of a title. */
  headline?: string | undefined;
  texts: string[];
  /** Pairs of a name and a value that have a place of their own. */
  facts: [string, string][];
  links: unknown[];
  colour?: unknown;
  sender?: unknown;
  at?: unknown;
  tags?: string[];
  /** How urgent it is, where that is said by a number. */
  severity?: Severity | undefined;
}
