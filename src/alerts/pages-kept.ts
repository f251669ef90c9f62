/** What the settings pages of channels, heartbeats, silences and templates share: access, lookup, and the errors of forms. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Db } from "../platform/db.ts";
import { numberIn } from "../platform/number-in.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import type { PagePlace } from "../projects/page-route.ts";
import { type Visit, visit } from "./pages-frame.ts";

type Handler = (request: FastifyRequest, reply: FastifyReply, place: PagePlace) => Promise<FastifyReply>;

/** Opens the pages for Maintainers: of a whole collection, and of the item whose id is in the address. */
export interface Doors<Thing> {
  visiting(request: FastifyRequest, reply: FastifyReply, place: PagePlace): Promise<Visit>;
  withOne(handle: (visited: Visit, thing: Thing) => Promise<FastifyReply>): Handler;
}

/** @param find looks up an item of a project by its id. @throws Problem not_found */
export function doorsTo<Thing>(
  platform: Platform,
  parameter: string,
  find: (db: Db, projectId: number, id: number | undefined) => Promise<Thing>,
): Doors<Thing> {
  const visiting: Doors<Thing>["visiting"] = (request, reply, place) =>
    visit(platform, request, reply, place, "maintainer");
  return {
    visiting,
    withOne: (handle) => async (request, reply, place) => {
      const visited = await visiting(request, reply, place);
      const id = numberIn(place.params[parameter]);
      return handle(visited, await find(platform.db, visited.project.id, id));
    },
  };
}

/** The errors of a refused form, beside its fields or above it. */
export interface Refused {
  faults: Readonly<Record<string, readonly string[]>>;
  message?: string;
}

/** Returns the errors to show in a form. @throws any error that filling it in differently cannot fix */
export function refusalOf(error: unknown): Refused {
  const problem = mendable(error);
  return problem instanceof FieldProblem
    ? { faults: problem.fields }
    : { faults: {}, message: problem.message };
}

/** Returns an error that the user can fix in the form. @throws any other */
export function mendable(error: unknown): Problem {
  if (error instanceof Problem && error.kind !== "unavailable" && error.kind !== "not_found") return error;
  throw error;
}
