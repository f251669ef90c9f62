/** The API of the audit log, for administrators (GitLab v4 API, audit events; decision 0293). */
import type { FastifyInstance } from "fastify";
import { answering } from "../platform/answers.ts";
import { idIn } from "../platform/number-in.ts";
import { pageOf, rowsOf, setPageHeaders } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { ParameterProblem, Problem } from "../platform/problem.ts";
import { momentOf } from "../platform/query-members.ts";
import type { Static } from "../platform/schema.ts";
import { type AuditEvent, type FindPlacesNamed, pathOfEntity } from "./audit-event.ts";
import { needsAdministrator } from "./caller.ts";
import {
  type AuditEventFilter,
  countAuditEvents,
  findAuditEvent,
  listAuditEvents,
} from "./store-audit-events.ts";
import {
  AUDIT_EVENT_ANSWERS,
  AUDIT_EVENTS_ANSWERS,
  AuditEventParameters,
  AuditEventsQuery,
  auditEventRecord,
} from "./wire-audit-events.ts";

export function auditEventRoutes(app: FastifyInstance, platform: Platform, find: FindPlacesNamed): void {
  // A filter may read the whole log, so it must not delay pipelined statements.
  const slow = platform.db.pooled;
  const reads = needsAdministrator(platform, "read_api", "api");
  const recordsOf = async (events: readonly AuditEvent[]) => {
    const named = (["Project", "Group"] as const).map((type) => {
      const paths = events.flatMap((event) => (event.entityType === type ? [pathOfEntity(event) ?? ""] : []));
      return find(slow, type, { paths });
    });
    const [projects = [], groups = []] = await Promise.all(named);
    return events.map((event) => auditEventRecord(event, event.entityType === "Project" ? projects : groups));
  };
  app.get<{ Querystring: AuditEventsQuery }>(
    "/audit_events",
    { ...answering(reads, AUDIT_EVENTS_ANSWERS), schema: { querystring: AuditEventsQuery } },
    async (request, reply) => {
      const page = pageOf(request.query);
      const entity = await entityIn(request.query, (type, id) => find(slow, type, { id }));
      const filter = entity && {
        ...entity,
        createdAfter: momentOf(request.query.created_after),
        createdBefore: momentOf(request.query.created_before),
      };
      const [total, events] = filter
        ? await Promise.all([countAuditEvents(slow, filter), listAuditEvents(slow, filter, rowsOf(page))])
        : [0, []];
      setPageHeaders(request, reply, platform.config.publicUrl, page, total);
      return recordsOf(events);
    },
  );
  app.get<{ Params: Static<typeof AuditEventParameters> }>(
    "/audit_events/:id",
    { ...answering(reads, AUDIT_EVENT_ANSWERS), schema: { params: AuditEventParameters } },
    async (request) => {
      const event = await findAuditEvent(platform.db, idIn(request.params.id));
      if (!event) throw new Problem("not_found", "404 Audit Event Not Found");
      return (await recordsOf([event]))[0];
    },
  );
}

/**
 * The part of the filter that is about the entity; undefined if there is none with this id.
 * @throws ParameterProblem: an id without a type
 */
async function entityIn(
  { entity_type: entityType, entity_id: id }: AuditEventsQuery,
  pathsOf: (type: Parameters<FindPlacesNamed>[1], id: number) => ReturnType<FindPlacesNamed>,
): Promise<AuditEventFilter | undefined> {
  if (id === undefined) return { entityType };
  if (entityType === undefined) throw new ParameterProblem(["entity_type is missing"]);
  if (entityType === "User") return { entityType, userId: id };
  if (entityType === "Gitlab::Audit::InstanceScope") return id === 1 ? { entityType } : undefined;
  const places = await pathsOf(entityType, id);
  return places.length > 0 ? { entityType, places } : undefined;
}
