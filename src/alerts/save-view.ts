/** Saves the current view of the alert list under a name for the viewer (decision 0100). */
import { checkName } from "../accounts/name.ts";
import type { Queries } from "../platform/db.ts";
import { FieldProblem } from "../platform/problem.ts";
import { MAX_VIEWS, upsertView } from "./store-views.ts";

const MAX_NAME = 60;
/** The limit of the encoded query, in which a letter may take twelve characters. */
const MAX_QUERY = 2000;

/** @throws FieldProblem invalid: a wrong name, a query too long, or too many views */
export async function saveView(
  db: Queries,
  projectId: number,
  userId: number,
  view: { name: string; query: string },
): Promise<void> {
  const name = view.name.trim();
  checkName(name, MAX_NAME);
  if (view.query.length > MAX_QUERY)
    throw new FieldProblem({ name: ["cannot be saved: the filters are too long"] });
  const saved = await upsertView(db, projectId, userId, { name, query: view.query });
  if (saved === 0)
    throw new FieldProblem({ name: [`cannot be saved: there are ${MAX_VIEWS} views already`] });
}
