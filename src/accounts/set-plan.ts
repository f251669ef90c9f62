/** Finds the namespace that a number or path names, and sets its plan. */
import type { Queries } from "../platform/db.ts";
import { Problem } from "../platform/problem.ts";
import type { Namespace } from "./namespace.ts";
import { findNamespace, updatePlan } from "./store-namespaces.ts";

/** @throws Problem not_found */
export async function namespaceFor(db: Queries, reference: number | string): Promise<Namespace> {
  const namespace = await findNamespace(db, String(reference));
  if (!namespace) throw new Problem("not_found", "404 Namespace Not Found");
  return namespace;
}

/** @throws Problem not_found; unprocessable for a subgroup, which has the plan of its top-level group (contract §4, tiers) */
export async function setPlan(db: Queries, reference: string, plan: Namespace["plan"]): Promise<Namespace> {
  const namespace = await namespaceFor(db, reference);
  if (namespace.parentId !== null) {
    throw new Problem("unprocessable", "The plan belongs to the top-level namespace; set it there.");
  }
  await updatePlan(db, namespace.id, plan);
  return { ...namespace, plan };
}
