/** The choice of an integration above a list of what came by it. */
import { bareSelect, withChosen } from "../ui/form.ts";
import type { Html } from "../ui/html.ts";
import type { Integration } from "./integration.ts";

/** @param chosen its number; it may be removed since, and the list still goes by it */
export function integrationFilter(
  integrations: readonly Pick<Integration, "id" | "name">[],
  chosen: string | undefined,
): Html {
  const all = integrations.map(({ id, name }) => ({ value: String(id), label: name }));
  return bareSelect("integration", "Integration", chosen ?? "", [
    { value: "", label: "Any integration" },
    ...withChosen(all, chosen, "Removed since"),
  ]);
}
