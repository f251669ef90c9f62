/** All operations of the chosen groups, in the order of measurement. */
import type { Operation } from "../operation.ts";
import type { Options } from "../options.ts";
import { alertOperations } from "./alerts.ts";
import { eventOperations } from "./events.ts";
import { tokenInfoOperations } from "./token-info.ts";
import { tokenOperations } from "./tokens.ts";

export function operationsOf(options: Options): Operation[] {
  const all = [
    ...tokenInfoOperations(options),
    ...tokenOperations(options),
    ...alertOperations(),
    ...eventOperations(options),
  ];
  return all.filter(({ group }) => options.groups.includes(group));
}
