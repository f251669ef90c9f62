/** Requests about incidents, and records of incidents and notes, in the shape of the GitLab v4 API's issues and notes. */
import { authorRecord } from "../accounts/wire.ts";
import { LIST_SCOPES } from "../accounts/wire-author-filters.ts";
import type { Described } from "../platform/answers.ts";
import { pageParameters } from "../platform/pagination.ts";
import Type, { type Static } from "../platform/schema.ts";
import type { Incident } from "./incident.ts";
import { LONGEST_COMMENT, LONGEST_NOTE } from "./note-lengths.ts";
import { SEVERITIES } from "./severity.ts";
import type { Note, NoteKind } from "./store-incidents.ts";
import { IncidentParameters } from "./wire.ts";
import type { INCIDENT, NOTE } from "./wire-answers-incidents.ts";
import { INCIDENT_LABEL, incidentFilters } from "./wire-incident-filters.ts";

const sort = Type.Optional(
  Type.Enum(["asc", "desc"], { default: "desc", description: "sort direction; default: desc" }),
);
const TITLE = "title of the incident, at most 255 characters";
/** Upper-case words are accepted as well, since records have them. */
const severity = (description: string) =>
  Type.Optional(Type.Enum([...SEVERITIES, ...SEVERITIES.map((one) => one.toUpperCase())], { description }));

/** The orders that clients of GitLab request for lists of issues. */
const ISSUE_ORDERS = [
  "created_at",
  "updated_at",
  "due_date",
  "label_priority",
  "milestone_due",
  "popularity",
  "priority",
  "relative_position",
  "title",
  "weight",
] as const;

export const IssuesQuery = Type.Object({
  ...incidentFilters,
  order_by: Type.Optional(
    Type.Enum([...ISSUE_ORDERS], {
      description:
        "field to sort by: `updated_at` or `created_at`; any other value means `created_at`; default: created_at",
    }),
  ),
  sort,
  ...pageParameters,
});
export type IssuesQuery = Static<typeof IssuesQuery>;

const nonArchived = Type.Optional(
  Type.Boolean({
    default: true,
    description:
      "false: also incidents of projects that are archived or marked for deletion; default: true, which leaves them out",
  }),
);

/** The lists across projects: of a group, and of everything, where the scope is narrower by default. */
export const GroupIssuesQuery = Type.Object({ ...IssuesQuery.properties, non_archived: nonArchived });
export type GroupIssuesQuery = Static<typeof GroupIssuesQuery>;

export const AllIssuesQuery = Type.Object({
  ...GroupIssuesQuery.properties,
  scope: Type.Optional(
    Type.Enum([...LIST_SCOPES], {
      default: "created_by_me",
      description:
        "all: every incident that the caller may read; assigned_to_me: none, since incidents have no assignees; default: created_by_me, only incidents that the caller opened",
    }),
  ),
});
export type AllIssuesQuery = Static<typeof AllIssuesQuery>;

export const NewIssueBody = Type.Object({
  title: Type.String({ description: TITLE }),
  description: Type.Optional(Type.String({ maxLength: 1_000_000, description: "Markdown" })),
  issue_type: Type.Optional(
    Type.Enum(["incident", "issue"], {
      default: "incident",
      description: "type of the issue; both values create an incident, the only type here; default: incident",
    }),
  ),
  severity: severity("severity of the incident; default: unknown"),
});
export type NewIssueBody = Static<typeof NewIssueBody>;

export const IssueBody = Type.Object({
  state_event: Type.Optional(
    Type.Enum(["close", "reopen"], {
      description:
        "close: close the incident and resolve its alerts; reopen: reopen the incident and its alerts",
    }),
  ),
  title: Type.Optional(Type.String({ maxLength: 255, description: TITLE })),
  description: Type.Optional(Type.String({ maxLength: 1_000_000, description: "Markdown" })),
  severity: severity(
    "severity of the incident; if it rises, channels that the incident did not concern before are notified",
  ),
});
export type IssueBody = Static<typeof IssueBody>;

export const NotesQuery = Type.Object({
  activity_filter: Type.Optional(
    Type.Enum(["all_notes", "only_comments", "only_activity"], {
      default: "all_notes",
      description:
        "only_comments: without the lines that the service added; only_activity: these alone; default: all_notes",
    }),
  ),
  order_by: Type.Optional(
    Type.Enum(["created_at", "updated_at"], {
      description:
        "field to sort by; notes are not changed, so both give the same order; default: created_at",
    }),
  ),
  sort,
  ...pageParameters,
});
export type NotesQuery = Static<typeof NotesQuery>;

/** Undefined: all notes. */
export function noteKindOf({ activity_filter: filter }: NotesQuery): NoteKind | undefined {
  if (filter === "only_comments") return "comments";
  return filter === "only_activity" ? "activity" : undefined;
}

export const ParticipantsQuery = Type.Object(pageParameters);
export type ParticipantsQuery = Static<typeof ParticipantsQuery>;

export const NoteParameters = Type.Object({
  ...IncidentParameters.properties,
  note_id: Type.String({ description: "number of the note" }),
});

const body = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, description: `text of the note, at most ${maxLength} characters` });

export const NoteBody = Type.Object({ body: body(LONGEST_NOTE) });
export type NoteBody = Static<typeof NoteBody>;

export const AlertNoteBody = Type.Object({ body: body(LONGEST_COMMENT) });

/** An incident as an issue record; `relative` is its name where it is listed, if that is not its project. */
export function issueRecord(
  incident: Incident,
  projectPath: string,
  publicUrl: string,
  relative = `#${incident.iid}`,
): Described<typeof INCIDENT> {
  return {
    id: incident.id,
    iid: incident.iid,
    project_id: incident.projectId,
    title: incident.title,
    description: incident.description,
    state: incident.state,
    created_at: incident.createdAt.toISOString(),
    updated_at: incident.updatedAt.toISOString(),
    closed_at: incident.closedAt?.toISOString() ?? null,
    closed_by: authorOf(closerOf(incident), publicUrl),
    labels: [INCIDENT_LABEL],
    milestone: null,
    assignees: [],
    assignee: null,
    author: authorOf(incident, publicUrl),
    type: "INCIDENT",
    issue_type: "incident",
    severity: incident.severity.toUpperCase(),
    user_notes_count: incident.noteCount,
    confidential: false,
    web_url: `${publicUrl}/${projectPath}/-/incidents/${incident.iid}`,
    references: {
      short: `#${incident.iid}`,
      relative,
      full: `${projectPath}#${incident.iid}`,
    },
  };
}

/** A note of an incident, or of an object of the type `noteable`. */
export function noteRecord(
  note: Note,
  about: Pick<Incident, "id" | "iid" | "projectId"> & { noteable?: Described<typeof NOTE>["noteable_type"] },
  publicUrl: string,
): Described<typeof NOTE> {
  return {
    id: note.id,
    type: null,
    body: note.body,
    attachment: null,
    author: authorOf(note, publicUrl),
    created_at: note.createdAt.toISOString(),
    updated_at: note.updatedAt.toISOString(),
    system: note.system,
    noteable_id: about.id,
    noteable_type: about.noteable ?? "Issue",
    project_id: about.projectId,
    noteable_iid: about.iid,
    resolvable: false,
    confidential: false,
    internal: false,
  };
}

type Authored = Pick<Note, "authorId" | "authorUsername" | "authorName" | "authorState">;

/** Returns who closed the incident, as the author of the closing. */
function closerOf({ closedById, closedByUsername, closedByName, closedByState }: Incident): Authored {
  return {
    authorId: closedById,
    authorUsername: closedByUsername,
    authorName: closedByName,
    authorState: closedByState,
  };
}

function authorOf({ authorId, authorUsername, authorName, authorState }: Authored, publicUrl: string) {
  if (authorId === null || authorUsername === null || authorName === null || authorState === null)
    return null;
  return authorRecord(
    { id: authorId, username: authorUsername, name: authorName, state: authorState },
    publicUrl,
  );
}
