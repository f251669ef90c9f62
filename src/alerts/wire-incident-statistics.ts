/** Requests for the numbers of open and closed incidents, and the record of the answer, as in the GitLab v4 API. */
import { record, unnamed } from "../platform/answer-shapes.ts";
import { type Described, REFUSED, readAnswers } from "../platform/answers.ts";
import { pageParameters } from "../platform/pagination.ts";
import Type, { type Static } from "../platform/schema.ts";
import { AllIssuesQuery, GroupIssuesQuery, IssuesQuery } from "./wire-incidents.ts";

/** What a list has beside its filters. The state is among them, since incidents are counted in each state. */
const BESIDE = new Set(["state", "order_by", "sort", ...Object.keys(pageParameters)]);
type Beside = "state" | "order_by" | "sort" | keyof typeof pageParameters;

function filtersOf<M extends object>(members: M) {
  const filters = Object.entries(members).filter(([name]) => !BESIDE.has(name));
  return Object.fromEntries(filters) as Omit<M, Beside>;
}

export const IssueStatisticsQuery = Type.Object(filtersOf(IssuesQuery.properties));
export type IssueStatisticsQuery = Static<typeof IssueStatisticsQuery>;

export const GroupIssueStatisticsQuery = Type.Object(filtersOf(GroupIssuesQuery.properties));
export type GroupIssueStatisticsQuery = Static<typeof GroupIssueStatisticsQuery>;

export const AllIssueStatisticsQuery = Type.Object(filtersOf(AllIssuesQuery.properties));
export type AllIssueStatisticsQuery = Static<typeof AllIssueStatisticsQuery>;

const count = () => Type.Integer({ minimum: 0 });
const STATISTICS = record("IncidentStatistics", {
  statistics: unnamed({ counts: unnamed({ all: count(), closed: count(), opened: count() }) }),
});

export const STATISTICS_ANSWERS = readAnswers(
  "The numbers of incidents that the list with the same filters has",
  STATISTICS,
);

/** Responses about all projects. */
export const ALL_STATISTICS_ANSWERS = readAnswers(
  "The numbers of incidents that the list with the same filters has",
  STATISTICS,
  REFUSED.caller,
);

/** Absent counts: the filter matches no incident. */
export function statisticsRecord(
  counts: { all: number; closed: number; opened: number } = { all: 0, closed: 0, opened: 0 },
): Described<typeof STATISTICS> {
  const { all, closed, opened } = counts;
  return { statistics: { counts: { all, closed, opened } } };
}
