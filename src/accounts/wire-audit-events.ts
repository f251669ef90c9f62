/** Requests about the audit log and its records, in the shape of the GitLab v4 API's audit events (decision 0293). */
import { isIP } from "node:net";
import { moment, nullable, record } from "../platform/answer-shapes.ts";
import { type Described, pageAnswers, REFUSED, readAnswers } from "../platform/answers.ts";
import { pageParameters } from "../platform/pagination.ts";
import { timeBound } from "../platform/query-members.ts";
import Type, { type Static } from "../platform/schema.ts";
import { actorWords, auditWords } from "./audit.ts";
import { type AuditEvent, ENTITY_TYPES, type PlaceNamed, pathOfEntity, placeOf } from "./audit-event.ts";

export const AuditEventsQuery = Type.Object({
  entity_type: Type.Optional(
    Type.Enum([...ENTITY_TYPES], {
      description: "only events about users, groups or projects, or about none of these (the instance)",
    }),
  ),
  entity_id: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: "only events about the user, group or project with this id; requires `entity_type`",
    }),
  ),
  created_after: timeBound("only events at or after this time (ISO 8601)"),
  created_before: timeBound("only events at or before this time (ISO 8601)"),
  ...pageParameters,
});
export type AuditEventsQuery = Static<typeof AuditEventsQuery>;

export const AuditEventParameters = Type.Object({
  id: Type.String({ description: "number of the entry in the audit log" }),
});

const AUDIT_EVENT = record("AuditEvent", {
  id: Type.Integer({ description: "number of the entry in the audit log" }),
  author_id: Type.Integer({ description: "id of the user who acted; -1: nobody who was signed in" }),
  entity_id: nullable(
    Type.Integer({
      description:
        "id of the user, group or project, 1 for the instance; null: a group or project that does not exist any more, or had its path before another one",
    }),
  ),
  entity_type: Type.Enum([...ENTITY_TYPES]),
  event_name: Type.String({ description: "word for what happened, such as `sign_in`" }),
  details: Type.Record(Type.String(), Type.Union([Type.String(), Type.Integer(), Type.Null()]), {
    description:
      "`author_name`: username at that time, or what acted without one; `custom_message`: what happened, as on the page of the log; `entity_path`: username or path at that time, `gitlab_instance` for the instance; `ip_address`: null if it was not over the network; `target_id`, `target_type`, `target_details` and `event_name`: the entity and the event again; and more about what happened, by name",
  }),
  created_at: moment(),
});

export const AUDIT_EVENTS_ANSWERS = pageAnswers(
  "A page of entries of the audit log, newest first",
  AUDIT_EVENT,
  REFUSED.caller,
);

export const AUDIT_EVENT_ANSWERS = readAnswers("The entry of the audit log", AUDIT_EVENT);

/** GitLab's words for the instance as an entity. */
const INSTANCE = { id: 1, path: "gitlab_instance" };
/** GitLab's number for an author who is not signed in. */
const NOBODY = -1;

/** An entry with no more than the page of the log shows; `named` has the projects and groups with the paths of its page. */
export function auditEventRecord(
  event: AuditEvent,
  named: readonly PlaceNamed[],
): Described<typeof AUDIT_EVENT> {
  const { entityType, action: eventName } = event;
  const { id, path } = entityOf(event, named);
  return {
    id: event.id,
    author_id: event.actorId ?? NOBODY,
    entity_id: id,
    entity_type: entityType,
    event_name: eventName,
    details: {
      ...event.details,
      event_name: eventName,
      author_name: actorWords(event),
      custom_message: auditWords(eventName),
      target_id: id,
      target_type: entityType,
      target_details: path,
      ip_address: isIP(event.ip) === 0 ? null : event.ip,
      entity_path: path,
    },
    created_at: event.at.toISOString(),
  };
}

function entityOf(event: AuditEvent, named: readonly PlaceNamed[]): { id: number | null; path: string } {
  if (event.userId !== null) return { id: event.userId, path: event.person };
  const path = pathOfEntity(event);
  return path === undefined ? INSTANCE : { id: placeOf(event, named)?.id ?? null, path };
}
