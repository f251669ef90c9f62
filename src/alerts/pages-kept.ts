/** What the pages of things that a project keeps have in common: who opens them, which thing, and why it was refused. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Db } from "../platform/db.ts";
import { numberIn } from "../platform/number-in.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import type { PagePlace } from "../projects/page-route.ts";
import { type Visit, visit } from "./pages-frame.ts";

type Handler = (request: FastifyRequest, reply: FastifyReply, place: PagePlace) => Promise<FastifyReply>;

/** The doors of Maintainers to all things of a kind, and to the one whose number stands in the address. */
export interface Doors<Thing> {
  visiting(request: FastifyRequest, reply: FastifyReply, place: PagePlace): Promise<Visit>;
  withOne(handle: (visited: Visit, thing: Thing) => Promise<FastifyReply>): Handler;
}

/** @param find the thing of a project by its number. @throws Problem not_found */
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

/** Why a form comes back: words beside its fields, or above it. */
export interface Refused {
  faults: Readonly<Record<string, readonly string[]>>;
  message?: string;
}

/** What a form that was refused says. @throws whatever filling it in otherwise would not mend */
export function refusalOf(error: unknown): Refused {
  const problem = mendable(error);
  return problem instanceof FieldProblem
    ? { faults: problem.fields }
    : { faults: {}, message: problem.message };
}

/** The refusal of a form. @throws whatever filling it in otherwise would not mend */
export function mendable(error: unknown): Problem {
  if (error instanceof Problem && error.kind !== "unavailable" && error.kind !== "not_found") return error;
  throw error;
}
