/** Views of the pages about claims of outside identities (decision 0118). */
import { badge } from "../ui/badge.ts";
import { submitButton } from "../ui/button.ts";
import { card, emptyState, pageHead, stack } from "../ui/card.ts";
import { confirmDialog, postButton } from "../ui/dialog.ts";
import { csrfField, errorSummary, type FormToken, textField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { pastTheEnd } from "../ui/past-the-end.ts";
import { pager, table } from "../ui/table.ts";
import { timeAgo } from "../ui/time.ts";
import { answerIn, type Claim, type ClaimAnswer, isApprovedByAll } from "./claim.ts";

const OWN = "/profile/identities";
const ALL = "/admin/identities";

/** The faults of the form, and what was typed. */
export interface ClaimFaults {
  typed?: { host: string; login: string };
  host?: string | undefined;
  username?: string | undefined;
}

type Seen = { host: string; login: string; name: string; n: number };

/** One's own claims, the people of forges that one might be, and the form for another claim. */
export function ownClaimsMain(shown: {
  claims: readonly Claim[];
  seen: readonly Seen[];
  csrfToken: string;
  faults: ClaimFaults;
  now: Date;
}): Html {
  const { claims, seen, csrfToken, faults } = shown;
  const head = pageHead({
    heading: "Outside identities",
    lead: "Link your accounts on GitHub, GitLab or Gitea. Once a Maintainer approves, what you did there is shown as yours here.",
  });
  const own = card({
    id: "claims",
    heading: "Yours",
    flush:
      claims.length === 0
        ? emptyState({
            heading: "No identity yet",
            text:
              seen.length > 0
                ? "Pick one that is seen below, or name one."
                : "Add one below. Once it is approved, its activity is shown as yours.",
          })
        : ownTable(shown),
  });
  const known = card({
    id: "seen",
    heading: "Seen in your projects",
    lead: "People who appear in events from forges and have no account here.",
    flush: table<Seen>({
      caption: "Seen in your projects",
      rows: seen,
      columns: [
        { head: "Person", rowHeader: true, cell: (one) => identity(one, one.name) },
        { head: "Events", kind: "num", cell: ({ n }) => n },
        {
          head: "Actions",
          hiddenHead: true,
          kind: "act",
          cell: ({ host, login }) =>
            postButton(
              OWN,
              csrfToken,
              submitButton(html`That is me<span class="sr">: ${login} at ${host}</span>`, { size: "sm" }),
              { host, username: login },
            ),
        },
      ],
    }),
  });
  return html`${head}${stack([own, seen.length > 0 && known, newCard(csrfToken, faults)])}`;
}

function ownTable({ claims, csrfToken, now }: { claims: readonly Claim[]; csrfToken: string; now: Date }) {
  return table<Claim>({
    caption: "Yours",
    rows: claims,
    columns: [
      { head: "Person", rowHeader: true, cell: ({ host, told }) => identity({ host, login: told }) },
      { head: "Where", cell: ({ answers }) => places(answers) },
      { head: "Asked", kind: "nowrap", cell: ({ createdAt }) => timeAgo(createdAt, now) },
      {
        head: "Actions",
        hiddenHead: true,
        kind: "act",
        cell: ({ id, login, answers }) =>
          answers.some(({ state }) => state !== "refused")
            ? ""
            : postButton(
                `${OWN}/${id}/withdraw`,
                csrfToken,
                submitButton(html`Withdraw<span class="sr"> ${login}</span>`, { size: "sm" }),
              ),
      },
    ],
  });
}

function newCard(csrfToken: string, { typed, host, username }: ClaimFaults): Html {
  const errors = [
    { id: "host", label: "Server", error: host },
    { id: "username", label: "Username there", error: username },
  ];
  return card({
    id: "new",
    heading: "New identity",
    lead: "Maintainers of the projects where it appears, and administrators, are asked to approve it.",
    body: html`<form class="form two" action="${OWN}" method="post">${csrfField(csrfToken)}${errorSummary(errors)}
${textField({ name: "host", label: "Server", value: typed?.host ?? "", error: host, required: true, autocomplete: "off", hint: "Like github.com or gitlab.example.org." })}
${textField({ name: "username", label: "Username there", value: typed?.login ?? "", error: username, required: true, autocomplete: "off" })}
<div class="btn-row full">${submitButton("Request approval", { tone: "primary" })}</div></form>`,
  });
}

/** The claims that concern a project, for its Maintainers; undefined: there are none. */
export function projectClaimsCard(shown: {
  claims: readonly Claim[];
  pages: { page: number; totalPages: number };
  projectId: number;
  /** The page that shows them, and the query of its address. */
  list: string;
  query: string;
  /** How many events still belong to a placeholder, by its id. */
  counts: ReadonlyMap<number, number>;
  csrfToken: FormToken;
  now: Date;
}): Html | undefined {
  const { claims, pages, projectId, list, query, counts, csrfToken, now } = shown;
  if (claims.length === 0 && pages.totalPages <= 1) return undefined;
  const text =
    "They get its events in this project, past and to come, and may read the confidential issues that it opened. Approve only whom you know to be that person.";
  const home = `${list}/claims`;
  const table =
    claims.length === 0
      ? pastTheEnd("claims", list)
      : claimTable({ claims, csrfToken, now, home, query, place: projectId, text, counts });
  const claimed = card({
    id: "identities",
    heading: "Who people of forges are",
    lead: "People here who say that they are somebody in a source’s events.",
    flush: table,
  });
  return html`${claimed}${pager({ ...pages, hrefFor: (to) => `${list}?claims=${to}#identities`, label: "Pages of claims" })}`;
}

/** All claims, for administrators. */
export function allClaimsMain(shown: {
  claims: readonly Claim[];
  csrfToken: string;
  now: Date;
  page: number;
  /** The query of the list's address. */
  query: string;
  totalPages: number;
}): Html {
  const { claims, page, totalPages } = shown;
  const head = pageHead({
    heading: "Outside identities",
    lead: "Who says they are whom on a forge. What you approve here applies to every project that has not decided otherwise.",
  });
  const text =
    "They get its events in every project, past and to come, and may read the confidential issues that it opened.";
  const none =
    page > 1
      ? pastTheEnd("claims", ALL)
      : emptyState({
          heading: "Nobody claims anything",
          text: "Requests to link an account are listed here.",
        });
  const list = claims.length === 0 ? none : claimTable({ ...shown, home: ALL, place: null, text });
  return html`${head}${stack([
    card({ id: "claims", heading: "Claims", flush: list }),
    pager({ page, totalPages, hrefFor: (to) => `${ALL}?page=${to}` }),
  ])}`;
}

interface Asked {
  claims: readonly Claim[];
  csrfToken: FormToken;
  now: Date;
  home: string;
  query: string;
  place: number | null;
  text: string;
  counts?: ReadonlyMap<number, number>;
}

function claimTable(asked: Asked): Html {
  const { claims, place, counts, now } = asked;
  return table<Claim>({
    caption: "Claims",
    rows: claims,
    columns: [
      {
        head: "Person of the forge",
        rowHeader: true,
        cell: ({ host, told }) => identity({ host, login: told }),
      },
      {
        head: "Claimed by",
        cell: ({ username, name }) =>
          html`<div><a class="wrap-any" href="/${username}">${name}</a> <span class="sub wrap-any">@${username}</span></div>`,
      },
      place === null
        ? { head: "Where", cell: ({ answers }) => places(answers) }
        : {
            head: "Nobody’s events",
            kind: "num",
            cell: (claim) => counts?.get(claim.outsiderId ?? 0) ?? 0,
          },
      ...(place === null ? [] : [{ head: "State", cell: (claim: Claim) => placeBadge(claim, place) }]),
      { head: "Asked", kind: "nowrap", cell: ({ createdAt }) => timeAgo(createdAt, now) },
      { head: "Actions", hiddenHead: true, kind: "act", cell: (claim) => buttons(asked, claim) },
    ],
  });
}

function buttons({ home, query, place, csrfToken, text }: Asked, claim: Claim): Html | false {
  if (csrfToken === undefined) return false;
  const state = answerIn(claim, place);
  const who = `${claim.told} at ${claim.host}`;
  const refuse = (words: string) =>
    postButton(
      `${home}/${claim.id}/refuse${query}`,
      csrfToken,
      submitButton(html`${words}<span class="sr"> ${who}</span>`, { size: "sm" }),
    );
  if (state === "granted") return refuse("Take back");
  if (place !== null && isApprovedByAll(claim, place)) return refuse("Refuse here");
  const approve = confirmDialog(
    { words: "Approve", about: who, size: "sm", tone: "primary" },
    {
      id: `approve-${claim.id}`,
      heading: `Is ${who} @${claim.username}?`,
      text,
      action: `${home}/${claim.id}/approve${query}`,
      csrfToken,
      confirm: "Approve",
      keep: "Not now",
      harmless: true,
    },
  );
  return html`<div class="btn-row">${approve}${state === undefined && refuse("Refuse")}</div>`;
}

function identity({ host, login }: { host: string; login: string }, name?: string): Html {
  return html`<span class="title wrap-any">${login}</span><br><span class="sub wrap-any">${host}${name && name !== login && html` · ${name}`}</span>`;
}

function places(answers: readonly ClaimAnswer[]): Html {
  if (answers.length === 0) return stateBadge(undefined);
  return html`${answers.map(
    ({ projectId, fullPath, state }) =>
      html`<div>${stateBadge(state)} <span class="wrap-any">${projectId === null ? "everywhere" : fullPath}</span></div>
`,
  )}`;
}

/** The state in a project, to whose Maintainers nothing else says why the events belong to the claimant already. */
function placeBadge(claim: Claim, place: number): Html {
  return isApprovedByAll(claim, place) ? badge("Approved for all", "ok") : stateBadge(answerIn(claim, place));
}

function stateBadge(state: ClaimAnswer["state"] | undefined): Html {
  if (state === "granted") return badge("Approved", "ok");
  return state === undefined ? badge("Asked", "brass") : badge("Refused", "line");
}
