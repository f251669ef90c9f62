/** The filters of alert counts: those of the list, without `status` and `include_test`. */
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
