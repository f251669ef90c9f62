/** The filters of lists of incidents, those of GitLab's issues, and their conversion (decision 0304). */
import {
  authoredFilterOf,
  authorFilters,
  LIST_SCOPES,
  timeFilters,
} from "../accounts/wire-author-filters.ts";
import { absentFilters } from "../platform/absent-filters.ts";
import { flag, numbers, words } from "../platform/query-members.ts";
import Type, { type Static, type TProperties } from "../platform/schema.ts";
import type { IncidentFilter } from "./incident.ts";

/** The only label, which every incident has. */
export const INCIDENT_LABEL = "incident";

const usernames = (description: string) =>
  Type.Optional(Type.Array(Type.String({ maxLength: 255 }), { description }));

/** By what issues have in GitLab and incidents lack. */
const LACKED = absentFilters(
  {
    assignee_id: "id of the assignee",
    milestone: "title of the milestone",
    milestone_id: "`None`, `Any`, `Upcoming` or `Started` of the milestone",
    iteration_id: "id of the iteration",
    iteration_title: "title of the iteration",
    epic_id: "id of the epic",
    weight: "weight",
    health_status: "health status",
    my_reaction_emoji: "name of the caller's reaction",
  },
  words,
  { reason: "incidents have none", things: "incidents" },
);

/** The filters of one project's list, of which `scope` differs in that of all projects. */
export const incidentFilters = {
  issue_type: Type.Optional(
    Type.String({
      description:
        "only issues of this type; `incident` is the only type here, so the list is empty for any other",
    }),
  ),
  state: Type.Optional(
    Type.Enum(["opened", "closed", "all"], {
      default: "all",
      description: "only incidents in this state; default: all",
    }),
  ),
  search: Type.Optional(
    Type.String({ maxLength: 500, description: "part of the title or description, case-insensitive" }),
  ),
  in: Type.Optional(
    Type.Array(Type.Enum(["title", "description"]), {
      maxItems: 2,
      description: "where to search, comma-separated; default: title,description",
    }),
  ),
  iids: numbers("only incidents with these numbers within the project (`iid`)"),
  "not[iids]": numbers("leave out incidents with these numbers within the project (`iid`)"),
  scope: Type.Optional(
    Type.Enum([...LIST_SCOPES], {
      description:
        "created_by_me: only incidents that the caller opened; assigned_to_me: none, since incidents have no assignees; default: all",
    }),
  ),
  ...authorFilters("incidents"),
  ...LACKED.members,
  assignee_username: usernames(
    "usernames of assignees; incidents have no assignees, so any username matches none",
  ),
  "not[assignee_username]": usernames(
    "usernames of assignees; incidents have no assignees, so none is left out",
  ),
  due_date: words("due date; incidents have none, so `0` matches all incidents and any other value none"),
  labels: words(
    "label names, comma-separated; every incident has the label `incident` only, so `incident` and `Any` match all incidents and any other value none",
  ),
  "not[labels]": words(
    "label names, comma-separated; every incident has the label `incident` only, so `incident` and `Any` leave out all incidents and any other value none",
  ),
  confidential: flag(
    "true: only confidential incidents, which do not exist, so the list is empty; default: false",
  ),
  ...timeFilters("incidents opened", "incidents updated"),
} satisfies TProperties;
const Filters = Type.Object(incidentFilters);
export type IncidentFilters = Static<typeof Filters>;

/** Returns the filter of a query, or undefined if it matches no incident, such as another type of issue. */
export function incidentFilterOf(query: IncidentFilters, callerId: number): IncidentFilter | undefined {
  const authored = authoredFilterOf(query, callerId);
  const isNone =
    (query.issue_type ?? "incident") !== "incident" ||
    query.confidential ||
    LACKED.matchNothing(query) ||
    !["", "none", "0"].includes((query.due_date ?? "").toLowerCase()) ||
    query.assignee_username?.some((name) => name !== "") ||
    !isLabelled(query);
  if (isNone || !authored) return undefined;
  return {
    ...authored,
    state: query.state === "all" ? undefined : query.state,
    search: query.search,
    searchIn: query.search ? query.in : undefined,
    iids: query.iids,
    notIids: query["not[iids]"],
  };
}

/** Whether incidents, which have this one label, pass the filters by label. */
function isLabelled({ labels = "", "not[labels]": without = "" }: IncidentFilters): boolean {
  const theirs = ["any", INCIDENT_LABEL];
  return (
    labels.toLowerCase() !== "none" &&
    namesIn(labels).every((name) => ["", "none", ...theirs].includes(name)) &&
    !namesIn(without).some((name) => theirs.includes(name))
  );
}

function namesIn(labels: string): string[] {
  return labels.split(",").map((label) => label.trim().toLowerCase());
}
