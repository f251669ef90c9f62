/**
 * Sets the authors of imported events at the time of writing, since claims may be answered while a file is read (decision 0118).
 */
import type { Queries } from "../platform/db.ts";
import type { NewEvent } from "./event.ts";
import { listClaimants, shareImportedIdentities } from "./store-claims.ts";

/** Added to a request: for each of its events the placeholder of the person whom the forge named, if it is known by one. */
export interface WithOutsiders {
  outsiderIds?: readonly (number | undefined)[] | undefined;
}

/** Returns the requests with the authors that claims give them now; no answer can change until the transaction `tx` ends. */
export async function giveToClaimants<R extends WithOutsiders & { events: readonly NewEvent[] }>(
  tx: Queries,
  requests: readonly R[],
): Promise<R[]> {
  const outsiders = new Set(requests.flatMap(({ outsiderIds = [] }) => outsiderIds.filter(isGiven)));
  if (outsiders.size === 0) return [...requests];
  await shareImportedIdentities(tx);
  const claimants = new Map<string, number | null>();
  for (const { outsiderId, projectId, userId } of await listClaimants(tx, [...outsiders])) {
    claimants.set(placeName(outsiderId, projectId), userId);
  }
  return requests.map((request) => ({
    ...request,
    events: request.events.map((event, index) => {
      const outsiderId = request.outsiderIds?.[index];
      if (outsiderId === undefined) return event;
      const own = claimants.get(placeName(outsiderId, event.projectId));
      // Null: the project has refused whom an administrator approved for all.
      const claimant = own === undefined ? claimants.get(placeName(outsiderId, null)) : own;
      return claimant
        ? { ...event, authorId: claimant, toldAs: outsiderId }
        : { ...event, authorId: outsiderId, toldAs: undefined };
    }),
  }));
}

function isGiven(id: number | undefined): id is number {
  return id !== undefined;
}

function placeName(outsiderId: number, projectId: number | null): string {
  return `${outsiderId} ${projectId ?? "everywhere"}`;
}
