/** Requests about claims of outside identities, and their records on the API (decision 0118). */
import { pageParameters } from "../platform/pagination.ts";
import Type, { type Static } from "../platform/schema.ts";
import { ProjectParameters } from "../projects/wire-parameters.ts";
import { answerIn, type Claim, isApprovedByAll } from "./claim.ts";

export const ClaimBody = Type.Object({
  host: Type.String({ minLength: 1, maxLength: 1000, description: "host of the forge, such as github.com" }),
  username: Type.String({ minLength: 1, maxLength: 256, description: "username of the caller at that host" }),
});
export type ClaimBody = Static<typeof ClaimBody>;

export const ClaimParameters = Type.Object({
  claim_id: Type.String({ description: "number of the claim" }),
});
export const ProjectClaimParameters = Type.Object({
  ...ProjectParameters.properties,
  ...ClaimParameters.properties,
});
export const ClaimsQuery = Type.Object(pageParameters);

/** A claim as the claimant sees it. */
export function claimRecord(claim: Claim) {
  return {
    id: claim.id,
    host: claim.host,
    username: claim.told,
    created_at: claim.createdAt.toISOString(),
    answers: claim.answers.map(({ projectId, fullPath, state, answeredAt }) => ({
      project: projectId === null ? null : { id: projectId, path_with_namespace: fullPath },
      state: stateWord(state),
      answered_at: answeredAt,
    })),
  };
}

/** A claim as seen by those who decide on it, for a project or for all projects (null). */
export function askedRecord(claim: Claim, projectId: number | null) {
  const { id, host, username, created_at, answers } = claimRecord(claim);
  const isGranted = projectId !== null && isApprovedByAll(claim, projectId);
  return {
    id,
    host,
    username,
    user: { id: claim.userId, username: claim.username, name: claim.name },
    state: isGranted ? "granted" : stateWord(answerIn(claim, projectId)),
    created_at,
    ...(projectId === null && { known: claim.outsiderId !== null, answers }),
  };
}

/** Returns the state of a decision; a grant that is being revoked is shown as refused. */
function stateWord(state: ReturnType<typeof answerIn>): "asked" | "granted" | "refused" {
  return state === undefined ? "asked" : state === "granted" ? "granted" : "refused";
}
