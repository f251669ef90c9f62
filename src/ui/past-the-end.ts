/** The text of a page past the end of its list: its address is old, or its items are gone. */
import { linkButton } from "./button.ts";
import { emptyState } from "./card.ts";
import type { Html } from "./html.ts";

/**
 * Only the first page shows whether the list is empty, so this page leads there.
 * @param things what is listed, as in "No more alerts"
 * @param level as in `emptyState`
 */
export function pastTheEnd(things: string, firstHref: string, level?: 2 | 3): Html {
  return emptyState({
    heading: `No more ${things}`,
    text: "This page is past the end of the list.",
    action: linkButton("Go to the first page", firstHref),
    level,
  });
}
