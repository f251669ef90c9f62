/** The interface for the removal of an account; implemented by the room of events, which has most of a person's data. */
import type { Platform } from "../platform/platform.ts";
import type { Act } from "./audit.ts";
import type { User } from "./user.ts";

/** Removes an account; `erases`: what it did gets a pseudonym of its own (decision 0104). @throws Problem */
export type RemovePerson = (platform: Platform, user: User, erases: boolean, act: Act) => Promise<void>;

/**
 * Deletes a person's grants and their applications in batches, since there may be very many. Can be repeated after an
 * interruption.
 */
export type RemoveGrants = (platform: Platform, userId: number, act: Act) => Promise<void>;
