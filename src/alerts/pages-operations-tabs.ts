/** The tabs of the pages with a project's alert settings. */
import { tabs } from "../ui/card.ts";
import type { Html } from "../ui/html.ts";

/** The pages behind the tabs. */
export type OperationsTab = "alerts" | "receipts" | "silences" | "channels" | "heartbeats";

/** Returns the tabs; those other than alerts and silences are for Maintainers. */
export function operationsTabs(home: string, current: OperationsTab, isMaintainer: boolean): Html {
  const operations = `${home}/-/settings/operations`;
  return tabs("Operations settings", [
    { label: "Alerts", href: operations, current: current === "alerts" },
    ...(isMaintainer
      ? [{ label: "Receipts", href: `${operations}/receipts`, current: current === "receipts" }]
      : []),
    ...(isMaintainer
      ? [{ label: "Notifications", href: `${operations}/channels`, current: current === "channels" }]
      : []),
    ...(isMaintainer
      ? [{ label: "Heartbeats", href: `${operations}/heartbeats`, current: current === "heartbeats" }]
      : []),
    { label: "Silences", href: `${home}/-/silences`, current: current === "silences" },
  ]);
}
