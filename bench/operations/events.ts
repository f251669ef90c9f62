/** The lists of events, with a token, compared with the bare list without authorization. */
import type { Shape, Varied } from "../load-plan.ts";
import { prepareOldMonth } from "../old-month.ts";
import { CONNECTIONS, type Operation } from "../operation.ts";
import type { Options } from "../options.ts";
import { AUTHORS, MANY_PROJECTS, PROJECTS, SECRETS, WIDE_READER } from "../seeded.ts";

const PAGE = 20;
const FAR = 5000;
const YEAR_MS = 365 * 86_400_000;

const varied: Readonly<Record<string, Varied>> = {
  reader: { kind: "random", from: 1, to: AUTHORS + 1 },
  author: { kind: "random", from: 1, to: AUTHORS + 1 },
  project: { kind: "random", from: 1, to: PROJECTS + 1 },
};

function list(path: string): Shape {
  return {
    method: "GET",
    path: `/api/v4${path}`,
    headers: { authorization: `Bearer ${SECRETS.reader}{reader}` },
    varied,
    expect: 200,
  };
}

export function eventOperations(options: Options): Operation[] {
  const shared = { group: "events", connections: CONNECTIONS, check: isFullPage } as const;
  const yearAgo = new Date(Date.now() - YEAR_MS).toISOString().slice(0, 10);
  // With few events there are fewer pages; then the last one is used.
  const pageOf = (wanted: number, events: number) => Math.min(wanted, Math.floor((0.9 * events) / PAGE));
  const page = pageOf(100, options.events / PROJECTS);
  const farPage = pageOf(FAR, options.events / PROJECTS);
  const farPageOfAll = pageOf(FAR, options.events);
  const service = { ...shared, server: "service" } as const;
  return [
    {
      ...shared,
      id: "bare-events",
      title: "bare events of an author",
      server: "bare/events",
      shape: { method: "GET", path: "/{author}", varied, expect: 200 },
    },
    {
      ...service,
      id: "events-author",
      title: "GET /users/:id/events",
      shape: list("/users/{author}/events"),
    },
    {
      ...service,
      id: "events-project",
      title: "GET /projects/:id/events",
      shape: list("/projects/{project}/events"),
    },
    { ...service, id: "events-self", title: "GET /events", shape: list("/events") },
    { ...service, id: "events-all", title: "GET /events?scope=all", shape: list("/events?scope=all") },
    {
      ...service,
      id: "events-wide",
      title: `the same, member of ${MANY_PROJECTS}`,
      shape: {
        ...list("/events?scope=all"),
        headers: { authorization: `Bearer ${SECRETS.reader}${WIDE_READER}` },
      },
    },
    {
      ...service,
      id: "events-month",
      title: "project, a month is dropped",
      shape: list("/projects/{project}/events"),
      meanwhile: prepareOldMonth,
    },
    {
      ...service,
      id: "events-filter",
      title: "author, action=closed, after",
      shape: list(`/users/{author}/events?action=closed&after=${yearAgo}`),
      check: isPage,
    },
    {
      ...service,
      id: "events-type",
      title: "project, target_type=note",
      shape: list("/projects/{project}/events?target_type=note"),
    },
    {
      ...service,
      id: "events-page",
      title: `project, page ${page}`,
      shape: list(`/projects/{project}/events?page=${page}`),
    },
    {
      ...service,
      id: "events-far",
      title: `project, page ${farPage}`,
      shape: list(`/projects/{project}/events?page=${farPage}`),
    },
    {
      ...service,
      id: "events-all-far",
      title: `scope=all, page ${farPageOfAll}`,
      shape: list(`/events?scope=all&page=${farPageOfAll}`),
    },
  ];
}

function isFullPage(answer: unknown): string | undefined {
  const length = Array.isArray(answer) ? answer.length : 0;
  return length === PAGE ? undefined : `the answer has ${length} events instead of ${PAGE}`;
}

/** A filtered page may be shorter, but not empty. */
function isPage(answer: unknown): string | undefined {
  return Array.isArray(answer) && answer.length > 0 ? undefined : "the answer has no events";
}
