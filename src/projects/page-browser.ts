/** The session on the pages of a project or group: without a token for their forms where it rests, which is decided here alone. */
import type { Browser } from "../accounts/browser.ts";
import { isAtRest, type Rest } from "./rest.ts";

/** A session whose page may change something only if there is a token for its forms. */
export interface PageBrowser extends Omit<Browser, "csrfToken"> {
  readonly csrfToken: string | undefined;
  /** The session itself: for the frame around the page, and for what is offered where it rests, too. */
  readonly session: Browser;
}

/** The session on a page of a place. On one that rests nothing is offered that would be refused (decision 0153). */
export function browserAt(place: Rest, session: Browser): PageBrowser {
  return { ...session, session, csrfToken: isAtRest(place) ? undefined : session.csrfToken };
}
