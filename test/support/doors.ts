/** Every route of the service, read from the router. */
import type { FastifyInstance } from "fastify";
import { endingsOfPages } from "../../src/projects/page-route.ts";

export interface Door {
  method: string;
  /** With `:names` for parameters. */
  path: string;
}

/** All routes, those of project pages below `/:project`, without HEAD and OPTIONS. */
export function doorsOf(app: FastifyInstance): Door[] {
  const doors: Door[] = [];
  const above: string[] = [];
  for (const line of app.printRoutes({ commonPrefix: false }).split("\n")) {
    const [, indent = "", part = "", methods = ""] =
      /^((?:[│ ] {3})*)[├└]── (.*?)(?: \(([A-Z, ]+)\))?$/.exec(line) ?? [];
    if (part === "" && methods === "") continue;
    const depth = indent.length / 4;
    above.length = depth;
    above[depth] = part;
    for (const method of methods
      .split(", ")
      .filter((word) => word !== "" && word !== "HEAD" && word !== "OPTIONS")) {
      doors.push({ method, path: above.join("") });
    }
  }
  const pages = endingsOfPages(app).map(({ method, suffix }) => ({ method, path: `/:project${suffix}` }));
  return [...doors.filter(({ path }) => path !== "/*"), ...pages];
}
