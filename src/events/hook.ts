/** A hook: where the events of a project are sent to, and which of them (decision 0109). */
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

export const HookRow = row({
  id: integer,
  projectId: integer,
  name: text,
  urlSealed: bytes,
  /** Host, and port where it is not the usual one: what may be shown of the address. */
  host: text,
  secretSealed: bytes,
  /** The secret before is signed with too. */
  signsOld: boolean,
  /** Only these; none: all. */
  actions: list(oneOf(ACTIONS)),
  targetTypes: list(oneOf(TARGET_FILTERS)),
  /** Whether confidential and internal matters are sent too. */
  confidential: boolean,
  active: boolean,
  /** The position up to which everything is on its way. */
  readIn: text,
  readId: integer,
  createdBy: nullable(integer),
  createdAt: instant,
  updatedAt: instant,
});
export type Hook = RowOf<typeof HookRow>;

/** How many hooks a project may have. */
export const MOST_HOOKS = 20;

/** In characters. */
export const LONGEST_HOOK_URL = 2048;

/** What its Maintainers say of a hook. */
export type HookFields = Pick<Hook, "name" | "actions" | "targetTypes" | "confidential" | "active"> & {
  url: string;
};

/**
 * What a hook is sent: what anybody sees who sees a public project, and only if ticked what a Reporter sees besides,
 * which is everything.
 */
export function seenByHook({ projectId, confidential }: Hook): Pick<EventQuery, "subject" | "asker"> {
  const subject = confidential
    ? { projectId, visibility: "private", access: 20 }
    : { projectId, visibility: "public", access: 0 };
  return { subject, asker: undefined };
}

/** What of it is to be another; an empty name is the host. */
export type HookChange = { [Name in keyof HookFields]?: HookFields[Name] | undefined };

/** By which the outbox knows the deliveries of a hook. */
export function purposeOf({ id }: Pick<Hook, "id">): string {
  return `event_hook:${id}`;
}
