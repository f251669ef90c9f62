/** What counts of alerts may be asked for: the filters of the list but the status, which is counted, and tests, which are not. */
import Type, { type Static } from "../platform/schema.ts";
import { AlertsQuery } from "./wire.ts";

const { severity, environment, integration_id, search, silenced, iids, assignee_username } =
  AlertsQuery.properties;

export const CountsQuery = Type.Object({
  severity,
  environment,
  integration_id,
  search,
  silenced,
  iids,
  assignee_username,
});
export type CountsQuery = Static<typeof CountsQuery>;
