/** The end of an account, as its doors ask for it; the room of events, where most of a person's traces lie, does it. */
import type { Platform } from "../platform/platform.ts";
import type { Act } from "./audit.ts";
import type { User } from "./user.ts";

/** Removes an account; `erases`: with a pseudonym of its own for what it did (decision 0104). @throws Problem */
export type RemovePerson = (platform: Platform, user: User, erases: boolean, act: Act) => Promise<void>;

/**
 * Ends what was granted to a person, and the applications that are theirs, in portions, since there may be very much of it. Done again,
 * it goes on.
 */
export type RemoveGrants = (platform: Platform, userId: number, act: Act) => Promise<void>;
