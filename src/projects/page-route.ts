/** Pages below a project's address, whose namespaces nest to any depth: matched from the right. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { addressOf, pageAbove } from "../platform/form-addresses.ts";
import { Problem } from "../platform/problem.ts";

/** Where a request to a project page points. */
export interface PagePlace {
  /** The full path of the project, decoded: `acme/team/rocket`. The handler has to find out whether it exists. */
  projectPath: string;
  /** The values of the `:names` in the suffix, decoded. */
  params: Readonly<Record<string, string>>;
}

/** Thrown by the handler of a page whose project has another path now; its visitor is led there (decision 0042). */
export class Moved extends Error {
  readonly address: string;
  constructor(address: string) {
    super("The page has moved.");
    this.address = address;
  }
}

export type ProjectPageHandler = (
  request: FastifyRequest,
  reply: FastifyReply,
  place: PagePlace,
) => Promise<unknown>;

/** Answers an address of one segment, or returns undefined to leave it to the next handler. */
export type NameHandler = (request: FastifyRequest, reply: FastifyReply, name: string) => Promise<unknown>;

export interface ProjectPages {
  /**
   * A page at `/<namespace…>/<project><suffix>`; the suffix is ``, `/-/alerts`, `/-/alerts/:iid`, or `.atom`, which directly
   * follows the project's name. The longest suffix that matches wins.
   */
  get(suffix: string, handler: ProjectPageHandler): void;
  /** Like `get`, for forms; `formOn` is the suffix of the page with the form, if that is not the nearest one above. */
  post(suffix: string, handler: ProjectPageHandler, formOn?: string): void;
  /** A page at `/<name>`: the handlers are tried in turn until one answers; `name` may end in `.atom`. */
  name(handler: NameHandler): void;
}

/** Counts the open work of a project; implemented in another room, and passed in by `page-doors.ts`. */
export type CountOpen = (projectId: number) => Promise<{ openAlerts: number; openIncidents: number }>;

interface PageRoute {
  /** Segments after the project's; `ending` directly follows its name. */
  ending: string;
  segments: readonly string[];
  handler: ProjectPageHandler;
  formOn?: string | undefined;
}

/** Registers one wildcard route for each method, and returns the registry of pages. */
export function createProjectPages(app: FastifyInstance, countOpen?: CountOpen): ProjectPages {
  const gets: PageRoute[] = [];
  const posts: PageRoute[] = [];
  const names: NameHandler[] = [];
  registered.set(app.server, { GET: gets, POST: posts });
  if (countOpen) counters.set(app.server, countOpen);
  app.get("/*", { config: { undocumented: true } }, async (request, reply) => {
    const segments = segmentsOf(request.url);
    if (segments?.length === 1 && segments[0]) return askEach(names, request, reply, segments[0]);
    const answered = answer(gets, segments, request, reply);
    return answered ?? reply.redirect(formPage(gets, posts, addressOf(request)), 302);
  });
  app.post(
    "/*",
    { config: { undocumented: true } },
    async (request, reply) => answer(posts, segmentsOf(request.url), request, reply) ?? nothing(),
  );
  return {
    get: (suffix, handler) => addRoute(gets, suffix, handler),
    post: (suffix, handler, formOn) => addRoute(posts, suffix, handler, formOn),
    name: (handler) => {
      names.push(handler);
    },
  };
}

const registered = new WeakMap<object, Readonly<Record<"GET" | "POST", PageRoute[]>>>();

const counters = new WeakMap<object, CountOpen>();

/** The counts beside the links of a project's navigation; none without a counter, or if the viewer does not see these links. */
export async function openWorkOf(
  request: FastifyRequest,
  project: { id: number },
  seesOperations: boolean,
): Promise<{ openAlerts?: number; openIncidents?: number }> {
  const countOpen = counters.get(request.server.server);
  return countOpen && seesOperations ? countOpen(project.id) : {};
}

/** The pages of projects by method, with their suffixes as registered; the router only knows the wildcard. */
export function endingsOfPages(app: FastifyInstance): { method: "GET" | "POST"; suffix: string }[] {
  const routes = registered.get(app.server);
  return (["GET", "POST"] as const).flatMap((method) =>
    (routes?.[method] ?? []).map(({ ending, segments }) => ({
      method,
      suffix: [ending, ...segments].join("/"),
    })),
  );
}

function addRoute(routes: PageRoute[], suffix: string, handler: ProjectPageHandler, formOn?: string): void {
  const [ending = "", ...segments] = suffix.split("/");
  routes.push({ ending, segments, handler, formOn });
  routes.sort((a, b) => b.segments.length - a.segments.length || b.ending.length - a.ending.length);
}

/** The decoded segments of an address, or undefined when its percent-encoding is broken. */
export function segmentsOf(url: string): string[] | undefined {
  const path = url.split("?", 1)[0] ?? "";
  try {
    return path.slice(1).split("/").map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

async function askEach(handlers: NameHandler[], request: FastifyRequest, reply: FastifyReply, name: string) {
  for (const handler of handlers) {
    const answered = await handler(request, reply, name);
    // A reply that is awaited is undefined once it is sent.
    if (answered !== undefined || reply.sent) return answered;
  }
  return nothing();
}

function answer(
  routes: PageRoute[],
  segments: string[] | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> | undefined {
  for (const route of segments ? routes : []) {
    const place = placeOf(route, segments ?? []);
    if (place) return route.handler(request, reply, place).catch((error) => lead(reply, error));
  }
  return undefined;
}

/** @throws whatever was thrown, unless the page has moved */
function lead(reply: FastifyReply, error: unknown): FastifyReply {
  if (error instanceof Moved) return reply.redirect(error.address, 301);
  throw error;
}

function nothing(): never {
  throw new Problem("not_found", "404 Not Found");
}

/**
 * The page with the form that is posted to an address without a page of its own.
 * @throws Problem not_found: no form is posted there, either
 */
function formPage(gets: PageRoute[], posts: PageRoute[], address: string[]): string {
  for (const route of posts) {
    const place = placeOf(route, address);
    if (place && route.formOn) return `/${place.projectPath}${route.formOn}`;
    if (place) return pageAbove(address, (above) => gets.some((get) => placeOf(get, above) !== undefined));
  }
  return nothing();
}

/** The project and parameters of these segments, if they end as the route does. */
export function placeOf(
  route: Pick<PageRoute, "ending" | "segments">,
  segments: readonly string[],
): PagePlace | undefined {
  const cut = segments.length - route.segments.length;
  const own = segments.slice(0, Math.max(cut, 0));
  const params: Record<string, string> = {};
  // At least a namespace and a project, and only valid path segments.
  if (own.length < 2 || own.some((segment) => !isWord(segment))) return undefined;
  for (const [i, expected] of route.segments.entries()) {
    const given = segments[cut + i] ?? "";
    if (expected.startsWith(":") && given !== "") params[expected.slice(1)] = given;
    else if (expected !== given) return undefined;
  }
  const projectPath = own.join("/");
  if (!projectPath.endsWith(route.ending)) return undefined;
  return { projectPath: projectPath.slice(0, projectPath.length - route.ending.length), params };
}

/** Whether a segment can be part of a project's path; `-` never is, and separates the path from what follows. */
function isWord(segment: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(segment);
}
