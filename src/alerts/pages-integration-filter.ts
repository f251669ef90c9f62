/** The integration filter above a list. */
import { bareSelect, withChosen } from "../ui/form.ts";
import type { Html } from "../ui/html.ts";
import type { Integration } from "./integration.ts";

/** @param chosen the id of the integration; if it was removed, the list is still filtered by it */
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
