/** What stands on a page that lies past the end of its list: an old address, or what it showed is gone. */
import { linkButton } from "./button.ts";
import { emptyState } from "./card.ts";
import type { Html } from "./html.ts";

/**
 * Says nothing of whether there is anything at all, which the first page tells.
 * @param things what is listed, as in "No more alerts"
 * @param level as of `emptyState`
 */
export function pastTheEnd(things: string, firstHref: string, level?: 2 | 3): Html {
  return emptyState({
    heading: `No more ${things}`,
    text: "This page is past the end of the list.",
    action: linkButton("Go to the first page", firstHref),
    level,
  });
}
