/** A hook: the address to which the events of a project are sent, and which of them (decision 0109). */
import {
  boolean,
  bytes,
  instant,
  integer,
  list,
  nullable,
  oneOf,
  type RowOf,
  row,
  text,
} from "../platform/row.ts";
import { ACTIONS } from "./event.ts";
import { type EventQuery, TARGET_FILTERS } from "./filter.ts";
import { ofProject } from "./subject.ts";

export const HookRow = row({
  id: integer,
  projectId: integer,
  name: text,
  urlSealed: bytes,
  /** Host, and port unless it is the default one: the part of the address that may be shown. */
  host: text,
  secretSealed: bytes,
  /** Whether messages are signed with the previous secret too. */
  signsOld: boolean,
  /** Only these; empty: all. */
  actions: list(oneOf(ACTIONS)),
  targetTypes: list(oneOf(TARGET_FILTERS)),
  /** Whether confidential and internal events are sent too. */
  confidential: boolean,
  active: boolean,
  /** The position up to which all events are in the outbox. */
  readIn: text,
  readId: integer,
  createdBy: nullable(integer),
  createdAt: instant,
  updatedAt: instant,
});
export type Hook = RowOf<typeof HookRow>;

/** How many hooks a project may have. */
export const MAX_HOOKS = 20;

/** In characters. */
export const LONGEST_HOOK_URL = 2048;

/** What Maintainers set of a hook. */
export type HookFields = Pick<Hook, "name" | "actions" | "targetTypes" | "confidential" | "active"> & {
  url: string;
};

/**
 * Which events a hook is sent: those that everybody sees in a public project or, if `confidential` is set, those that a Reporter
 * sees, which is all.
 */
export function seenByHook({ projectId, confidential }: Hook): Pick<EventQuery, "subject" | "asker"> {
  const seen = confidential ? { visibility: "private", access: 20 } : { visibility: "public", access: 0 };
  return { subject: ofProject({ id: projectId, ...seen }), asker: undefined };
}

/** The members of a hook to change; an empty name is replaced by the host. */
export type HookChange = { [Name in keyof HookFields]?: HookFields[Name] | undefined };

/** The purpose with which deliveries of a hook are stored in the outbox. */
export function purposeOf({ id }: Pick<Hook, "id">): string {
  return `event_hook:${id}`;
}
