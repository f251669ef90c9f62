/** The pages of receipts: what tools sent, how each request was read, what was decided, and how to replay it. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { redirectWith } from "../accounts/browser.ts";
import { CLOSED_POLICY } from "../platform/closed-policy.ts";
import { formText } from "../platform/form-text.ts";
import { idIn } from "../platform/number-in.ts";
import { queryPage } from "../platform/page-query.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import type { PagePlace, ProjectPages } from "../projects/page-route.ts";
import { secondWords } from "../ui/time.ts";
import { inflate } from "./body.ts";
import { queryMember, sendProjectPage, type Visit, visit } from "./pages-frame.ts";
import { findOffered } from "./pages-integration-filter.ts";
import { receiptView } from "./pages-receipt-view.ts";
import { RECEIPTS_A_PAGE, type ReceiptQuery, receiptList, receiptsHref } from "./pages-receipts-view.ts";
import { readReceipt } from "./read-receipt.ts";
import { DECISIONS, isReceiptId, type Receipt } from "./receipt.ts";
import { type Replay, replayReceipt } from "./replay-receipt.ts";
import { findNow } from "./store.ts";
import { findIntegration } from "./store-integrations.ts";
import { findReceipt, listReceiptLines } from "./store-receipts.ts";

const PATH = "/-/settings/operations/receipts";

export function receiptPages(pages: ProjectPages, platform: Platform): void {
  const withOne =
    (handle: (visited: Visit, receipt: Receipt) => Promise<FastifyReply>) =>
    async (request: FastifyRequest, reply: FastifyReply, place: PagePlace) => {
      const visited = await visit(platform, request, reply, place, "maintainer");
      const id = place.params.receipt_id ?? "";
      const found = isReceiptId(id)
        ? await findReceipt(platform.db.pooled, visited.project.id, id)
        : undefined;
      if (!found) throw new Problem("not_found", "404 Receipt Not Found");
      return handle(visited, found);
    };
  pages.get(PATH, async (request, reply, place) =>
    showList(await visit(platform, request, reply, place, "maintainer")),
  );
  pages.get(
    `${PATH}/:receipt_id`,
    withOne((visited, receipt) => show(visited, receipt)),
  );
  pages.get(`${PATH}/:receipt_id/raw`, withOne(download));
  pages.post(`${PATH}/:receipt_id`, withOne(replay));
}

async function showList(visited: Visit): Promise<FastifyReply> {
  const { platform, project, home, browser } = visited;
  const query = receiptQuery(visited.request);
  const filter = {
    integrationId: query.integration === undefined ? undefined : idIn(query.integration),
    decision: query.decision,
    alertIid: query.alert === undefined ? undefined : idIn(query.alert),
  };
  // One more than is shown, to know whether there is an older page without counting a million receipts.
  const range = { limit: RECEIPTS_A_PAGE + 1, offset: (query.page - 1) * RECEIPTS_A_PAGE };
  const [receipts, offered, now] = await Promise.all([
    listReceiptLines(platform.db.pooled, project.id, filter, range),
    findOffered(platform.db, project.id, query.integration),
    findNow(platform.db),
  ]);
  return sendProjectPage(visited, {
    title: "Receipts",
    current: "operations",
    crumbs: [{ label: "Operations", href: `${home}/-/settings/operations` }, { label: "Receipts" }],
    main: receiptList({
      home,
      query,
      receipts,
      ...offered,
      now,
      isWritable: browser.csrfToken !== undefined,
    }),
  });
}

/** Parses the query leniently: unknown values count as absent. */
function receiptQuery(request: FastifyRequest): ReceiptQuery {
  const decision = queryMember(request, "decision");
  return {
    integration: queryMember(request, "integration"),
    decision: DECISIONS.find((word) => word === decision),
    alert: queryMember(request, "alert"),
    page: queryPage(request),
  };
}

async function show(
  visited: Visit,
  receipt: Receipt,
  tried: { replay?: Replay; refusal?: string } = {},
): Promise<FastifyReply> {
  const { platform, project, home, browser } = visited;
  const { integrationId } = receipt;
  const [reading, integration, body] = await Promise.all([
    readReceipt(receipt),
    integrationId === null ? undefined : findIntegration(platform.db, project.id, integrationId),
    inflate(receipt.raw, receipt.headers["content-encoding"]).catch(() => receipt.raw),
  ]);
  const label = `${secondWords(receipt.receivedAt)} UTC`;
  return sendProjectPage(visited, {
    title: `Receipt of ${label}`,
    current: "operations",
    crumbs: [
      { label: "Operations", href: `${home}/-/settings/operations` },
      { label: "Receipts", href: receiptsHref(home) },
      { label: receipt.id.slice(-12) },
    ],
    main: receiptView({
      home,
      receipt,
      reading,
      integration,
      body,
      csrfToken: browser.csrfToken,
      replay: tried.replay,
      refusal: tried.refusal,
    }),
    failed: tried.refusal !== undefined,
    status: tried.refusal === undefined ? 200 : 422,
  });
}

/** Sends the raw body as a file that a browser never renders as a page. */
async function download({ reply }: Visit, receipt: Receipt): Promise<FastifyReply> {
  return reply
    .headers({
      "content-type": "application/octet-stream",
      "content-disposition": `attachment; filename="receipt-${receipt.id}.bin"`,
      "x-content-type-options": "nosniff",
      "content-security-policy": `${CLOSED_POLICY}; sandbox`,
      "cache-control": "no-store",
    })
    .send(receipt.raw);
}

async function replay(visited: Visit, receipt: Receipt): Promise<FastifyReply> {
  const { platform, request, reply, home } = visited;
  const isDry = formText(request, "action") !== "replay";
  try {
    const done = await replayReceipt(platform, receipt, isDry, Date.now());
    if (!done.outcome) return await show(visited, receipt, { replay: done });
    return await redirectWith(platform, request, reply, `${receiptsHref(home)}/${done.outcome.receiptId}`, {
      kind: "ok",
      text: "Replayed. This is the receipt of the replay.",
    });
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== "unprocessable") throw error;
    return show(visited, receipt, { refusal: error.message });
  }
}
