/**
 * `/profile/identities` and `/admin/identities`: a person's claims of outside identities, and the answers for all projects
 * (decision 0118).
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { checkFormOfAdministrator, needsAdminViewer } from "../accounts/admin-viewer.ts";
import { checkFormOfViewer, frameOf, needsViewer, redirectWith } from "../accounts/browser.ts";
import { formText } from "../platform/form-text.ts";
import { idIn } from "../platform/number-in.ts";
import { listQuery, queryPage } from "../platform/page-query.ts";
import { sendPage } from "../platform/page-reply.ts";
import { rowsOf, totalPagesOf } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import { adminPage } from "../ui/admin-page.ts";
import { settingsPage } from "../ui/settings-page.ts";
import { answerClaim } from "./answer-claim.ts";
import { claimIdentity, withdrawClaim } from "./claim-identity.ts";
import { allClaimsMain, type ClaimFaults, ownClaimsMain } from "./pages-claims-views.ts";
import { countClaims, listClaims, listOwnClaims, listSeenIdentities } from "./store-claims.ts";

const OWN = "/profile/identities";
const ALL = "/admin/identities";
const TITLE = "Outside identities";
const MAX_SEEN = 20;
/** As many as fit into a page of 45 KB (decision 0325). */
const PER_PAGE = 20;

export function claimPages(app: FastifyInstance, platform: Platform): void {
  const { db } = platform;
  app.get(OWN, (request, reply) => ownPage(platform, request, reply, {}));
  app.post(OWN, async (request, reply) => {
    const { viewer } = await checkFormOfViewer(platform, request, reply);
    const typed = { host: formText(request, "host"), login: formText(request, "username") };
    try {
      const { claim, isNew } = await claimIdentity(db, { id: viewer.userId, ip: request.ip }, typed);
      const text = `${claim.told} at ${claim.host} is ${isNew ? "asked for" : "asked for already"}.`;
      return await redirectWith(platform, request, reply, `${OWN}#main`, { kind: "ok", text });
    } catch (error) {
      if (error instanceof FieldProblem) return ownPage(platform, request, reply, faultsOf(error, typed));
      if (!(error instanceof Problem) || error.kind !== "unprocessable") throw error;
      return ownPage(platform, request, reply, { typed, username: error.message });
    }
  });
  app.post<{ Params: { id: string } }>(`${OWN}/:id/withdraw`, async (request, reply) => {
    const { viewer } = await checkFormOfViewer(platform, request, reply);
    const claims = await listOwnClaims(db, viewer.userId);
    const claim = claims.find(({ id }) => String(id) === request.params.id);
    await withdrawClaim(db, { id: viewer.userId, ip: request.ip }, claim);
    return redirectWith(platform, request, reply, OWN, { kind: "ok", text: "The claim is withdrawn." });
  });

  app.get(ALL, (request, reply) => allPage(platform, request, reply));
  for (const word of ["approve", "refuse"] as const) {
    app.post<{ Params: { id: string } }>(`${ALL}/:id/${word}`, async (request, reply) => {
      const list = `${ALL}${listQuery(request)}`;
      const { act } = await checkFormOfAdministrator(platform, request, reply, list);
      const claimId = idIn(request.params.id);
      const answer = { claimId, project: null, granted: word === "approve" };
      const told = await answerWithMessage(platform, answer, act);
      return redirectWith(platform, request, reply, list, told);
    });
  }
}

/** Answers a claim, and returns the message about it; a conflict is a message rather than an error page. */
export async function answerWithMessage(
  { db }: Platform,
  answer: Parameters<typeof answerClaim>[1],
  act: Parameters<typeof answerClaim>[2],
): Promise<{ kind: "ok" | "bad"; text: string }> {
  try {
    await answerClaim(db, answer, act);
    return { kind: "ok", text: answer.granted ? "Approved; its events are theirs now." : "Refused." };
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== "conflict") throw error;
    return { kind: "bad", text: error.message };
  }
}

function faultsOf({ fields }: FieldProblem, typed: { host: string; login: string }): ClaimFaults {
  return {
    typed,
    host: fields.host && "Give the name of a server, like github.com.",
    username: fields.username && "Give the username there, without spaces.",
  };
}

async function ownPage(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  faults: ClaimFaults,
) {
  const browser = await needsViewer(platform, request, reply);
  const { userId } = browser.viewer;
  const [claims, seen] = await Promise.all([
    listOwnClaims(platform.db, userId),
    listSeenIdentities(platform.db.pooled, userId, MAX_SEEN),
  ]);
  const main = ownClaimsMain({ claims, seen, csrfToken: browser.csrfToken, faults, now: new Date() });
  const failed = faults.typed !== undefined;
  const page = settingsPage(frameOf(browser), { title: TITLE, current: "identities", main, failed });
  return sendPage(reply, page, { failed });
}

async function allPage(platform: Platform, request: FastifyRequest, reply: FastifyReply) {
  const browser = await needsAdminViewer(platform, request, reply);
  const page = queryPage(request);
  const [claims, total] = await Promise.all([
    listClaims(platform.db, rowsOf({ page, perPage: PER_PAGE })),
    countClaims(platform.db),
  ]);
  const pages = { page, query: listQuery(request), totalPages: totalPagesOf(total, PER_PAGE) };
  const main = allClaimsMain({ claims, csrfToken: browser.csrfToken, now: new Date(), ...pages });
  return sendPage(reply, adminPage(frameOf(browser), { title: TITLE, current: "identities", main }));
}
