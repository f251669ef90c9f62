/** `/profile/sessions`: lists a person's sessions, and ends them. */
import type { FastifyInstance } from "fastify";
import { listQuery, queryPage } from "../platform/page-query.ts";
import { rowsOf, totalPagesOf } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { badge } from "../ui/badge.ts";
import { submitButton } from "../ui/button.ts";
import { card, pageHead, stack } from "../ui/card.ts";
import { postButton } from "../ui/dialog.ts";
import { type Html, html } from "../ui/html.ts";
import { pastTheEnd } from "../ui/past-the-end.ts";
import { pager, table } from "../ui/table.ts";
import { timeAgo, timeExact } from "../ui/time.ts";
import { type Browser, checkFormOfViewer, needsViewer, redirectWith } from "./browser.ts";
import { deviceWords } from "./device.ts";
import { endSessions } from "./end-sessions.ts";
import { sendSettings } from "./pages-settings-frame.ts";
import type { OpenSession } from "./session.ts";
import { countSessions, listSessions } from "./store-sessions.ts";

const HOME = "/profile/sessions";
/** As many as fit into a page of 45 KB (decision 0325). */
const PER_PAGE = 30;

/** List, end one, end all others. */
export function sessionPages(app: FastifyInstance, platform: Platform): void {
  const { db } = platform;
  app.get(HOME, async (request, reply) => {
    const browser = await needsViewer(platform, request, reply);
    const { userId } = browser.viewer;
    const page = queryPage(request);
    const rows = rowsOf({ page, perPage: PER_PAGE });
    const [total, sessions] = await Promise.all([
      countSessions(db, userId),
      listSessions(db, userId, browser.digest, rows),
    ]);
    const main = sessionsMain(browser, {
      ...{ sessions, total, page, query: listQuery(request) },
      now: new Date(),
    });
    return sendSettings(reply, browser, { title: "Sessions", current: "sessions", main });
  });
  app.post(`${HOME}/end_others`, async (request, reply) => {
    const { viewer, digest } = await checkFormOfViewer(platform, request, reply);
    const ended = await endSessions(db, viewer.userId, { allBut: digest }, request.ip);
    const text = ended === 1 ? "One other session is over." : `${ended} other sessions are over.`;
    return redirectWith(platform, request, reply, HOME, { kind: "ok", text });
  });
  app.post<{ Params: { key: string } }>(`${HOME}/:key/end`, async (request, reply) => {
    const { viewer } = await checkFormOfViewer(platform, request, reply);
    const key = request.params.key.replaceAll("\0", "");
    const ended = await endSessions(db, viewer.userId, { key }, request.ip);
    if (ended === 0) throw new Problem("not_found", "404 Not Found");
    const told = { kind: "ok", text: "That session is over." } as const;
    return redirectWith(platform, request, reply, `${HOME}${listQuery(request)}`, told);
  });
}

interface Shown {
  sessions: readonly OpenSession[];
  total: number;
  page: number;
  /** The query of the list's address. */
  query: string;
  now: Date;
}

function sessionsMain({ csrfToken }: Browser, { sessions, total, page, query, now }: Shown): Html {
  const head = pageHead({
    heading: "Sessions",
    lead: "Where you are signed in. If you don’t recognize a session, end it, then change your password.",
  });
  const others = submitButton("End all other sessions", { size: "sm" });
  return html`${head}${stack([
    card({
      id: "sessions",
      heading: "Open sessions",
      aside: total > 1 ? postButton(`${HOME}/end_others`, csrfToken, others) : undefined,
      flush:
        sessions.length > 0
          ? sessionTable({ csrfToken, query }, sessions, now)
          : pastTheEnd("sessions", HOME),
    }),
    pager({
      page,
      totalPages: totalPagesOf(total, PER_PAGE),
      hrefFor: (number) => `${HOME}?page=${number}`,
    }),
  ])}`;
}

type Forms = { csrfToken: string; query: string };

function sessionTable({ csrfToken, query }: Forms, sessions: readonly OpenSession[], now: Date): Html {
  const endButton = ({ key, userAgent }: OpenSession) => {
    const words = html`End<span class="sr"> session of ${deviceWords(userAgent)}</span>`;
    return postButton(
      `${HOME}/${key}/end${query}`,
      csrfToken,
      submitButton(words, { size: "sm", tone: "danger" }),
    );
  };
  return table<OpenSession>({
    caption: "Open sessions",
    rows: sessions,
    columns: [
      {
        head: "Device",
        rowHeader: true,
        cell: ({ userAgent, current }) =>
          html`<span class="title">${deviceWords(userAgent)}</span>${current && html` ${badge("This one", "accent")}`}`,
      },
      { head: "Network", cell: ({ ip }) => html`<code>${ip}</code>` },
      {
        head: "Signed in",
        kind: "nowrap",
        cell: ({ createdAt, endsAt }) =>
          html`${timeExact(createdAt)}<br><span class="sub">at most until ${timeExact(endsAt)}</span>`,
      },
      {
        head: "Last seen",
        kind: "nowrap",
        cell: ({ lastSeenAt }) =>
          html`${timeAgo(lastSeenAt, now)}<br><span class="sub">${timeExact(lastSeenAt)}</span>`,
      },
      {
        head: "Actions",
        hiddenHead: true,
        kind: "act",
        cell: (session) => (session.current ? "" : endButton(session)),
      },
    ],
  });
}
