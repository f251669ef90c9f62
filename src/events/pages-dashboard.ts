/** What is recent on the start page: the newest events of the viewer's projects. */
import type { Platform } from "../platform/platform.ts";
import { card, type DashboardCard } from "../ui/card.ts";
import { html } from "../ui/html.ts";
import { feed } from "../ui/timeline.ts";
import { feedItem } from "./pages-feed.ts";
import { listEvents } from "./store-lists.ts";

const MOST_SHOWN = 8;

/** The newest events of the projects in which the viewer has a role; no card before anything happened. */
export function recentEventsCard({ db }: Platform): DashboardCard {
  return async (viewer, now) => {
    const { events } = await listEvents(db, {
      subject: "memberships",
      asker: viewer,
      filter: {},
      limit: MOST_SHOWN,
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
