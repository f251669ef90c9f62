/** Finds the namespace that a number or path names, and sets its plan. */
import type { Db, Queries } from "../platform/db.ts";
import { Problem } from "../platform/problem.ts";
import type { Act } from "./audit.ts";
import { holdActor } from "./hold-actor.ts";
import type { Namespace } from "./namespace.ts";
import { findNamespace, findNamespaceAt, updatePlan } from "./store-namespaces.ts";
import { findUserByReference } from "./store-users.ts";

/** @throws Problem not_found */
export async function namespaceFor(db: Queries, reference: number | string): Promise<Namespace> {
  const namespace = await findNamespace(db, String(reference));
  if (!namespace) throw new Problem("not_found", "404 Namespace Not Found");
  return namespace;
}

/** The same by the path only: one that was typed on a page is never an id. @throws Problem not_found */
export async function namespaceAt(db: Queries, path: string): Promise<Namespace> {
  const namespace = await findNamespaceAt(db, path);
  if (!namespace) throw new Problem("not_found", "404 Namespace Not Found");
  return namespace;
}

/** Returns a user's own namespace, by the id or username. @throws Problem not_found */
export async function namespaceOfUser(db: Queries, reference: string): Promise<Namespace> {
  const user = await findUserByReference(db, reference);
  if (!user) throw new Problem("not_found", "404 User Not Found");
  return namespaceFor(db, user.namespaceId);
}

/**
 * @throws Problem not_found; unprocessable for a subgroup, which has the plan of its top-level group (contract §4, tiers); as
 * `holdActor`
 */
export async function setPlan(
  db: Db,
  reference: string,
  plan: Namespace["plan"],
  act: Act,
): Promise<Namespace> {
  const namespace = await namespaceFor(db, reference);
  if (namespace.parentId !== null) {
    throw new Problem("unprocessable", "The plan belongs to the top-level namespace; set it there.");
  }
  await db.transaction(async (tx) => {
    await holdActor(tx, act);
    await updatePlan(tx, namespace.id, plan);
  });
  return { ...namespace, plan };
}
