/**
 * The session on the pages of a project or group: without a token for their forms if it is archived or marked for deletion, which
 * only this file decides.
 */
import type { Browser } from "../accounts/browser.ts";
import { isReadOnly, type Lifecycle } from "./lifecycle.ts";

/** A session whose page may change something only if there is a token for its forms. */
export interface PageBrowser extends Omit<Browser, "csrfToken"> {
  readonly csrfToken: string | undefined;
  /**
   * The session itself: for the frame around the page, and for the forms that stay available where everything else is read-only.
   */
  readonly session: Browser;
}

/** The session on a page of a place. Where changes would be refused, the page offers none (decision 0153). */
export function browserAt(place: Lifecycle, session: Browser): PageBrowser {
  return { ...session, session, csrfToken: isReadOnly(place) ? undefined : session.csrfToken };
}
