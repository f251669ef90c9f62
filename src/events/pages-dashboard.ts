/** Cards of the start page: the newest events of the viewer's projects, and claims that wait for the viewer's answer. */
import type { Platform } from "../platform/platform.ts";
import { card, type DashboardCard } from "../ui/card.ts";
import { html } from "../ui/html.ts";
import { table } from "../ui/table.ts";
import { timeAgo } from "../ui/time.ts";
import { feed } from "../ui/timeline.ts";
import { feedItem } from "./pages-feed.ts";
import { listEvents } from "./store-lists.ts";
import { listWaitingClaims, type WaitingClaim } from "./store-waiting-claims.ts";

const MAX_SHOWN = 8;
const MAX_WAITING = 5;
const ALL_CLAIMS = "/admin/identities";

/** The newest events of the projects in which the viewer has a role; no card while there are none. */
export function recentEventsCard({ db }: Platform): DashboardCard {
  return async (viewer, now) => {
    const { events } = await listEvents(db, {
      subject: { kind: "memberships" },
      asker: viewer,
      filter: {},
      limit: MAX_SHOWN,
      offset: 0,
    });
    if (events.length === 0) return undefined;
    return card({
      id: "recent",
      heading: "Recent activity",
      flush: feed(
        events.map((event) => feedItem(event, true)),
        now,
      ),
      footer: html`<span>Everything that you may see in your projects, newest first. <a href="/-/activity">All activity</a></span>`,
    });
  };
}

/** Claims of outside identities that wait for this viewer's answer; no card while there are none (decision 0132). */
export function waitingClaimsCard({ db }: Platform): DashboardCard {
  return async (viewer, now) => {
    const claims = await listWaitingClaims(db.pooled, viewer, MAX_WAITING);
    const [first] = claims;
    if (!first) return undefined;
    const rest = first.total - claims.length;
    return card({
      id: "waiting-claims",
      heading: "People who wait for your answer",
      lead: "They say who they are on a forge. Once you approve, what they did there is shown as theirs here.",
      flush: table<WaitingClaim>({
        caption: "People who wait for your answer",
        rows: claims,
        columns: [
          {
            head: "Who",
            rowHeader: true,
            cell: ({ username, name, fullPath }) =>
              html`<a class="title wrap-any" href="${fullPath === null ? ALL_CLAIMS : `/${fullPath}/-/settings/sources`}">${name}</a><br><span class="sub wrap-any">@${username}</span>`,
          },
          {
            head: "Says to be",
            cell: ({ login, host }) => html`<span class="wrap-any">${login} at ${host}</span>`,
          },
          {
            head: "Where",
            cell: ({ fullPath }) => html`<span class="wrap-any">${fullPath ?? "Everywhere"}</span>`,
          },
          { head: "Asked", kind: "nowrap", cell: ({ createdAt }) => timeAgo(createdAt, now) },
        ],
      }),
      footer: rest > 0 ? html`<span>And ${rest} more.</span>` : undefined,
    });
  };
}
