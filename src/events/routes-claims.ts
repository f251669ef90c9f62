/** The doors of outside identities: claimed by people, answered by Maintainers and administrators (decision 0118). */
import type { FastifyInstance } from "fastify";
import { actOf, callerOf, needsAdministrator, needsScope } from "../accounts/caller.ts";
import { answering } from "../platform/answers.ts";
import { idIn, numberIn } from "../platform/number-in.ts";
import { onPage, pageOf, rowsOf, setPageHeaders } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import type { Static } from "../platform/schema.ts";
import { projectFor } from "../projects/access.ts";
import { ProjectParameters } from "../projects/wire-parameters.ts";
import { answerClaim } from "./answer-claim.ts";
import { claimIdentity, withdrawClaim } from "./claim-identity.ts";
import {
  countClaims,
  countProjectClaims,
  listClaims,
  listOwnClaims,
  listProjectClaims,
} from "./store-claims.ts";
import {
  ALL_CLAIMS_ANSWERS,
  CLAIM_ANSWER_ANSWERS,
  CLAIMS_ANSWERS,
  NEW_CLAIM_ANSWERS,
  PROJECT_CLAIMS_ANSWERS,
  WITHDRAWN_CLAIM_ANSWERS,
} from "./wire-answers-claims.ts";
import {
  askedRecord,
  ClaimBody,
  ClaimParameters,
  ClaimsQuery,
  claimRecord,
  ProjectClaimParameters,
} from "./wire-claims.ts";

const OWN = "/user/outside_identities";
const OF_PROJECT = "/projects/:id/outside_identities";
const ALL = "/outside_identities";
type Query = { Querystring: Static<typeof ClaimsQuery> };
type OfClaim = { Params: Static<typeof ClaimParameters> };
type OfProjectClaim = { Params: Static<typeof ProjectClaimParameters> };

export function claimRoutes(app: FastifyInstance, platform: Platform): void {
  const { db, config } = platform;
  const reads = needsScope(platform, "read_user", "read_api", "api");
  const writes = needsScope(platform, "api");

  app.get<Query>(
    OWN,
    { ...answering(reads, CLAIMS_ANSWERS), schema: { querystring: ClaimsQuery } },
    async (request, reply) => {
      const page = pageOf(request.query);
      const claims = await listOwnClaims(db, callerOf(request).id);
      setPageHeaders(request, reply, config.publicUrl, page, claims.length);
      return onPage(claims, page).map(claimRecord);
    },
  );
  app.post<{ Body: ClaimBody }>(
    OWN,
    { ...answering(writes, NEW_CLAIM_ANSWERS), schema: { body: ClaimBody } },
    async (request, reply) => {
      const { host, username: login } = request.body;
      const { claim, isNew } = await claimIdentity(db, claimantOf(request), { host, login });
      return reply.code(isNew ? 201 : 200).send(claimRecord(claim));
    },
  );
  app.delete<OfClaim>(
    `${OWN}/:claim_id`,
    { ...answering(writes, WITHDRAWN_CLAIM_ANSWERS), schema: { params: ClaimParameters } },
    async (request, reply) => {
      const claimant = claimantOf(request);
      const claims = await listOwnClaims(db, claimant.id);
      await withdrawClaim(
        db,
        claimant,
        claims.find(({ id }) => id === numberIn(request.params.claim_id)),
      );
      return reply.code(204).send();
    },
  );
  answerRoutes(app, platform);
}

function answerRoutes(app: FastifyInstance, platform: Platform): void {
  const { db, config } = platform;
  const reads = needsScope(platform, "read_api", "api");
  const writes = needsScope(platform, "api");
  const rules = needsAdministrator(platform, "api");

  app.get<Query & { Params: Static<typeof ProjectParameters> }>(
    OF_PROJECT,
    {
      ...answering(reads, PROJECT_CLAIMS_ANSWERS),
      schema: { params: ProjectParameters, querystring: ClaimsQuery },
    },
    async (request, reply) => {
      const project = await projectFor(db, callerOf(request), request.params.id, "maintainer");
      const page = pageOf(request.query);
      const claims = await listProjectClaims(db.pooled, project.id, rowsOf(page));
      setPageHeaders(request, reply, config.publicUrl, page, await countProjectClaims(db.pooled, project.id));
      return claims.map((claim) => askedRecord(claim, project.id));
    },
  );
  app.get<Query>(
    ALL,
    { ...answering(rules, ALL_CLAIMS_ANSWERS), schema: { querystring: ClaimsQuery } },
    async (request, reply) => {
      const page = pageOf(request.query);
      const claims = await listClaims(db.pooled, rowsOf(page));
      setPageHeaders(request, reply, config.publicUrl, page, await countClaims(db.pooled));
      return claims.map((claim) => askedRecord(claim, null));
    },
  );
  for (const [word, granted] of [
    ["approve", true],
    ["refuse", false],
  ] as const) {
    app.post<OfProjectClaim>(
      `${OF_PROJECT}/:claim_id/${word}`,
      { ...answering(writes, CLAIM_ANSWER_ANSWERS), schema: { params: ProjectClaimParameters } },
      async (request, reply) => {
        const project = await projectFor(db, callerOf(request), request.params.id, "maintainer");
        const claimId = idIn(request.params.claim_id);
        await answerClaim(db, { claimId, project, granted }, actOf(request));
        return reply.code(204).send();
      },
    );
    app.post<OfClaim>(
      `${ALL}/:claim_id/${word}`,
      { ...answering(rules, CLAIM_ANSWER_ANSWERS), schema: { params: ClaimParameters } },
      async (request, reply) => {
        const claimId = idIn(request.params.claim_id);
        await answerClaim(db, { claimId, project: null, granted }, actOf(request));
        return reply.code(204).send();
      },
    );
  }
}

function claimantOf(request: Parameters<typeof callerOf>[0]) {
  return { id: callerOf(request).id, ip: request.ip };
}
