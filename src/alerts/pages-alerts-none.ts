/** What replaces the alert list when there is no alert to show: the reason, and the next step. */
import { linkButton } from "../ui/button.ts";
import { emptyState } from "../ui/card.ts";
import type { FormToken } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { pastTheEnd } from "../ui/past-the-end.ts";
import type { Integration } from "./integration.ts";
import { type AlertListQuery, type AlertTab, listHref } from "./pages-alerts-query.ts";
import { firstAlertCommand } from "./pages-first-alert.ts";

/** What the text depends on. */
export interface AlertsAsked {
  home: string;
  query: AlertListQuery;
  counts: { open: number; ignored: number; resolved: number; all: number };
  isFiltered: boolean;
  isMaintainer: boolean;
  integrations: readonly Integration[];
  publicUrl: string;
  csrfToken: FormToken;
  /** The iid of the newest alert when the page was rendered; 0 before the first. */
  lastIid: number;
}

/** Returns the text for a page past the end, a filter, a tab, or a project without alerts. */
export function noAlerts(list: AlertsAsked): Html {
  const { home, query, isFiltered, lastIid } = list;
  if (lastIid === 0) return beforeTheFirst(list);
  if (query.page > 1) return pastTheEnd("alerts", listHref(home, query, { page: 1 }));
  if (isFiltered) {
    return emptyState({
      heading: "No alert matches",
      text: "No alert in this tab matches all of the filters.",
      action: linkButton("Show all", listHref(home, { ...query, page: 1 }, CLEARED)),
    });
  }
  return emptyState({ heading: EMPTY_WORDS[query.tab][0], text: EMPTY_WORDS[query.tab][1] });
}

/** Returns the text for a project that never had an alert. */
function beforeTheFirst(asked: AlertsAsked): Html {
  const { home, integrations, isMaintainer, csrfToken } = asked;
  if (csrfToken === undefined) {
    return emptyState({
      heading: "No alerts",
      text: "This project never received an alert.",
      level: 2,
    });
  }
  if (integrations.some((one) => one.active)) {
    const command = firstAlertCommand(asked);
    return html`${emptyState({
      heading: "Waiting for the first alert",
      text: "Alerts that your tools send to this project will appear here. Send a test alert to try it, or one from a shell.",
      action: linkButton("Send a test alert", `${home}/-/settings/operations#test`, { tone: "primary" }),
      level: 2,
    })}${command && html`<div class="body">${command}</div>`}`;
  }
  return emptyState({
    heading: "Nothing can send alerts yet",
    text: isMaintainer
      ? "Add an integration: it gives you an address and a key for any tool that can send JSON."
      : "A Maintainer of this project can add an integration.",
    action: isMaintainer
      ? linkButton("Add integration", `${home}/-/settings/operations#new`, { tone: "primary", icon: "plus" })
      : undefined,
    level: 2,
  });
}

/** Heading and text of an empty tab when other tabs have alerts. */
const EMPTY_WORDS: Readonly<Record<AlertTab, readonly [string, string]>> = {
  open: ["All is calm", "No alert is open."],
  ignored: ["Nothing is ignored", "Ignored alerts keep counting their occurrences here."],
  resolved: ["Nothing was resolved yet", "Resolved alerts will appear here."],
  all: ["No alert", "Alerts will appear here."],
};

const CLEARED = {
  severity: undefined,
  environment: undefined,
  integration: undefined,
  silenced: undefined,
  search: undefined,
};
