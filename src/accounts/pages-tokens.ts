/** `/profile/personal_access_tokens`: tokens for a person's own scripts. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Db } from "../platform/db.ts";
import { formList, formText } from "../platform/form-text.ts";
import { idIn } from "../platform/number-in.ts";
import { listQuery, queryPage } from "../platform/page-query.ts";
import { rowsOf, totalPagesOf } from "../platform/pagination.ts";
import { parseDay } from "../platform/parameters.ts";
import type { Platform } from "../platform/platform.ts";
import { checkFaults, FieldProblem, Problem } from "../platform/problem.ts";
import { actOfViewer } from "./act-of-viewer.ts";
import type { Act } from "./audit.ts";
import { checkFormOfViewer, needsFreshProof, needsViewer, redirectWith } from "./browser.ts";
import { createToken, NOT_TO_COME, tokenFaults } from "./create-token.ts";
import { sendSettings } from "./pages-settings-frame.ts";
import { type TypedToken, tokensMain } from "./pages-tokens-views.ts";
import { revokeToken } from "./revoke-token.ts";
import { countPersonalTokens, findPersonalToken, isDayToCome, listPersonalTokens } from "./store-tokens.ts";

const HOME = "/profile/personal_access_tokens";
/** As many as fit into a page of 45 KB (decision 0325). */
const PER_PAGE = 20;

/** List, create (the secret is shown once), revoke. The query `?name=&scopes=a,b&expires_at=` fills in the form. */
export function tokenPages(app: FastifyInstance, platform: Platform): void {
  const { db } = platform;
  app.get<{ Querystring: Record<string, unknown> }>(HOME, async (request, reply) => {
    const { name, scopes, expires_at: end } = request.query;
    const typed: TypedToken = {
      name: typeof name === "string" ? name.slice(0, 255) : "",
      scopes: typeof scopes === "string" ? scopes.split(/[\s,]+/).filter(Boolean) : [],
      expiresAt: typeof end === "string" ? (parseDay(end) ?? end.slice(0, 32)) : "",
    };
    return tokensPage(platform, request, reply, typed, {});
  });
  app.post(HOME, async (request, reply) => {
    const browser = await checkFormOfViewer(platform, request, reply);
    const typed: TypedToken = {
      name: formText(request, "name"),
      scopes: formList(request, "scopes"),
      expiresAt: formText(request, "expires_at").trim(),
    };
    const again = new URLSearchParams({
      name: typed.name,
      scopes: typed.scopes.join(","),
      // Without it, the token created after the proof would never expire.
      expires_at: typed.expiresAt,
    });
    await needsFreshProof(platform, request, reply, `${HOME}?${again}#new`);
    try {
      const { token, secret } = await createRecorded(platform, actOfViewer(browser, request), typed);
      const secrets = { name: token.name, token: secret };
      // Without a fragment of its own the redirect would keep the form's, and scroll past the token that is shown once.
      return await redirectWith(platform, request, reply, `${HOME}#ready`, { kind: "ok", text: "", secrets });
    } catch (error) {
      if (!(error instanceof FieldProblem)) throw error;
      return tokensPage(platform, request, reply, typed, error.fields);
    }
  });
  app.post<{ Params: { id: string } }>(`${HOME}/:id/revoke`, async (request, reply) => {
    const browser = await checkFormOfViewer(platform, request, reply);
    const token = await findPersonalToken(db, idIn(request.params.id));
    if (token?.userId !== browser.viewer.userId) throw new Problem("not_found", "404 Not Found");
    await revokeToken(db, token, actOfViewer(browser, request));
    const told = { kind: "ok", text: `${token.name} is revoked.` } as const;
    return redirectWith(platform, request, reply, `${HOME}${listQuery(request)}`, told);
  });
}

/** @throws FieldProblem with the errors of all fields */
async function createRecorded({ db }: Platform, act: Act & { actorId: number }, typed: TypedToken) {
  const { name, scopes, expiresAt } = typed;
  const expiresOn = expiresAt === "" ? null : parseDay(expiresAt);
  checkFaults({ ...tokenFaults(typed), expires_at: await endFault(db, expiresOn) });
  const fields = { name, scopes, expiresOn: expiresOn ?? null };
  return db.transaction((tx) => createToken(tx, act.actorId, fields, act));
}

/** What is wrong with the last day; undefined: it is none, null: the token never expires. */
async function endFault(db: Db, day: string | null | undefined): Promise<string | undefined> {
  if (day === null) return undefined;
  if (day === undefined) return "is not a day; write it like 2027-03-01";
  return (await isDayToCome(db, day)) ? undefined : NOT_TO_COME;
}

async function tokensPage(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  typed: TypedToken,
  faults: FieldProblem["fields"],
) {
  const browser = await needsViewer(platform, request, reply);
  const filter = { userId: browser.viewer.userId, active: true };
  const page = queryPage(request);
  const [total, tokens] = await Promise.all([
    countPersonalTokens(platform.db, filter),
    listPersonalTokens(platform.db, filter, {
      ...rowsOf({ page, perPage: PER_PAGE }),
      order: "created_desc",
    }),
  ]);
  const failed = Object.keys(faults).length > 0;
  const totalPages = totalPagesOf(total, PER_PAGE);
  const shown = {
    ...{ tokens, page, totalPages, query: listQuery(request) },
    secrets: browser.flash?.secrets,
    now: new Date(),
  };
  const main = tokensMain(browser.csrfToken, shown, typed, faults);
  return sendSettings(reply, browser, { title: "Personal access tokens", current: "tokens", main, failed });
}
