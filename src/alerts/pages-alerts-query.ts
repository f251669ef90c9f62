/** Parses and builds the query of the alert list's address: tab, filters, order and page. */
import type { FastifyRequest } from "fastify";
import { idIn } from "../platform/number-in.ts";
import { queryPage } from "../platform/page-query.ts";
import type { AlertStatus } from "./alert.ts";
import { queryMember, queryString } from "./pages-frame.ts";
import { SEVERITIES } from "./severity.ts";
import { ALERT_SORTS, type AlertFilter, type AlertOrder } from "./store-lists.ts";
import { alertOrderOf } from "./wire.ts";

/** Alerts per page of the list. */
export const ALERTS_A_PAGE = 20;

export const TABS = ["open", "ignored", "resolved", "all"] as const;
export type AlertTab = (typeof TABS)[number];

export interface AlertListQuery {
  tab: AlertTab;
  severity: string | undefined;
  environment: string | undefined;
  integration: string | undefined;
  search: string | undefined;
  /** `yes` or `no`; undefined: both. */
  silenced: string | undefined;
  /** `severity_desc`; undefined: newest start first. */
  sort: string | undefined;
  page: number;
}

/** Parses the query leniently: unknown values count as absent. */
export function alertListQuery(request: FastifyRequest): AlertListQuery {
  const severity = queryMember(request, "severity");
  const sort = queryMember(request, "sort");
  const silenced = queryMember(request, "silenced");
  const by = sort?.replace(/_(asc|desc)$/, "") ?? "";
  return {
    tab: TABS.find((tab) => tab === queryMember(request, "tab")) ?? "open",
    severity: SEVERITIES.find((word) => word === severity),
    environment: queryMember(request, "environment"),
    integration: queryMember(request, "integration"),
    search: queryMember(request, "search"),
    silenced: silenced === "yes" || silenced === "no" ? silenced : undefined,
    sort: ALERT_SORTS.some((known) => known === by) && sort !== by ? sort : undefined,
    page: queryPage(request),
  };
}

const OF_TAB: Readonly<Record<AlertTab, readonly AlertStatus[] | undefined>> = {
  open: ["triggered", "acknowledged"],
  ignored: ["ignored"],
  resolved: ["resolved"],
  all: undefined,
};

export function filterOfQuery(query: AlertListQuery): AlertFilter {
  const severity = SEVERITIES.find((word) => word === query.severity);
  return {
    statuses: OF_TAB[query.tab],
    severities: severity ? [severity] : undefined,
    environment: query.environment,
    integrationId: query.integration === undefined ? undefined : idIn(query.integration),
    search: query.search,
    silenced: query.silenced === undefined ? undefined : query.silenced === "yes",
  };
}

export function orderOfQuery(query: AlertListQuery): AlertOrder {
  return alertOrderOf(query.sort);
}

/** Whether anything but the tab filters the list. */
export function isFiltered(query: AlertListQuery): boolean {
  return [query.severity, query.environment, query.integration, query.search, query.silenced].some(
    (word) => word !== undefined,
  );
}

/** Returns the list's address with some members changed. */
export function listHref(home: string, query: AlertListQuery, change: Partial<AlertListQuery> = {}): string {
  const { tab, page, ...rest } = { ...query, ...change };
  return `${home}/-/alerts${queryString({
    tab: tab === "open" ? undefined : tab,
    ...rest,
    page: page === 1 ? undefined : page,
  })}`;
}
