/** The integrations that a page offers to choose from, and the filter of a list by them. */
import type { Queries } from "../platform/db.ts";
import { numberIn } from "../platform/number-in.ts";
import { bareSelect, countOption, withChosen } from "../ui/form.ts";
import type { Html } from "../ui/html.ts";
import type { Integration } from "./integration.ts";
import { countIntegrations, listOfferedIntegrations } from "./store-integrations.ts";

/** The integrations of a project that can be chosen, and how many it has. */
export interface OfferedIntegrations {
  integrations: readonly Integration[];
  integrationTotal: number;
}

/** Finds them; `chosen`, an id as the address has it, is among them if it exists. */
export async function findOffered(
  db: Queries,
  projectId: number,
  chosen: string | undefined,
): Promise<OfferedIntegrations> {
  const id = numberIn(chosen);
  const [integrations, integrationTotal] = await Promise.all([
    listOfferedIntegrations(db, projectId, id === undefined ? [] : [id]),
    countIntegrations(db, projectId),
  ]);
  return { integrations, integrationTotal };
}

/** Says how many of a larger number can be chosen; undefined if all can. */
export function offeredWords({ integrations, integrationTotal }: OfferedIntegrations): string | undefined {
  const areAll = integrations.length >= integrationTotal;
  return areAll ? undefined : `${integrations.length} of ${integrationTotal} are listed`;
}

/** @param chosen the id of the integration; if it was removed, the list is still filtered by it */
export function integrationFilter(
  { integrations, integrationTotal }: OfferedIntegrations,
  chosen: string | undefined,
): Html {
  const all = integrations.map(({ id, name }) => ({ value: String(id), label: name }));
  return bareSelect("integration", "Integration", chosen ?? "", [
    { value: "", label: "Any integration" },
    ...withChosen(all, chosen, "Removed since"),
    ...countOption(integrations.length, integrationTotal),
  ]);
}
