/** The view of an application's use: its flows and the people. */
import { refs } from "../ui/badge.ts";
import { card, emptyState, stack } from "../ui/card.ts";
import { shownCount, wholeNumber } from "../ui/count.ts";
import { type Html, html } from "../ui/html.ts";
import { pastTheEnd } from "../ui/past-the-end.ts";
import { pager, table } from "../ui/table.ts";
import { timeAgo, timeDay, timeExact } from "../ui/time.ts";
import { GRANT_WORDS } from "./pages-application-form.ts";
import type { Site } from "./pages-application-site.ts";
import { applicationHead } from "./pages-application-views.ts";
import type { ManagedApplication } from "./store-applications.ts";
import { type FlowUse, MAX_READ, type PersonUse } from "./store-usage.ts";

interface Shown {
  /** The number of all people, and how many of them the list contains. */
  total: number;
  listed: number;
  people: readonly PersonUse[];
  flows: readonly FlowUse[];
  page: number;
  totalPages: number;
  now: Date;
}

/** Flows by use, then people. */
export function usageMain(site: Site, application: ManagedApplication, shown: Shown): Html {
  const { page, totalPages } = shown;
  const hrefFor = (number: number) => `${site.home}/${application.id}/usage?page=${number}`;
  return html`${applicationHead(site, application, "usage")}${stack([
    flowCard(shown.flows, shown.now),
    peopleCard(application, shown, hrefFor(1)),
    pager({ page, totalPages, hrefFor }),
  ])}`;
}

function flowCard(flows: readonly FlowUse[], now: Date): Html {
  const heading = "Flows";
  if (flows.length === 0) {
    const text = "Once somebody authorizes the application, the flows it uses are counted here for 30 days.";
    return card({ id: "flows", heading, body: emptyState({ heading: "No use lately", text }) });
  }
  const since = flows[0]?.countedSince;
  const period = since
    ? html`since ${timeExact(since)}, as far back as its newest ${wholeNumber(MAX_READ)} tokens and approvals reach`
    : "in the last 30 days";
  return card({
    id: "flows",
    heading,
    lead: html`How often people, or the application itself, came by each flow ${period}, and what was handed out: tokens by refresh count among the tokens.`,
    flush: table<FlowUse>({
      caption: "Flows by their use",
      rows: flows,
      columns: [
        { head: "Flow", rowHeader: true, cell: ({ flow }) => GRANT_WORDS[flow].title },
        { head: "Came in", kind: "num", cell: ({ authorizations }) => authorizations },
        { head: "Tokens", kind: "num", cell: ({ tokens }) => tokens },
        { head: "By refresh", kind: "num", cell: ({ refreshes }) => refreshes },
        { head: "People", kind: "num", cell: ({ people }) => people },
        { head: "Live tokens", kind: "num", cell: ({ liveTokens }) => liveTokens },
        { head: "Last", kind: "nowrap", cell: ({ lastAt }) => timeAgo(lastAt, now) },
      ],
    }),
  });
}

function peopleCard(
  application: ManagedApplication,
  { people, total, listed, page, now }: Shown,
  firstHref: string,
): Html {
  const heading = total === 1 ? "1 person" : `${total} people`;
  if (total === 0) {
    const text = "People who allow the application to use their account are listed here.";
    return card({ id: "people", heading: "People", body: emptyState({ heading: "Nobody yet", text }) });
  }
  const fewer =
    listed < total
      ? ` Listed are ${listed}: those of its newest ${wholeNumber(MAX_READ)} tokens and those who allowed it last.`
      : "";
  return card({
    id: "people",
    heading,
    lead: `They allowed the application, or it holds a token for them. They end that themselves under Applications.${fewer}`,
    flush:
      people.length === 0 && page > 1
        ? pastTheEnd("people", firstHref)
        : peopleTable(people, application, now),
  });
}

function peopleTable(
  people: readonly PersonUse[],
  application: Pick<ManagedApplication, "trusted">,
  now: Date,
): Html {
  return table<PersonUse>({
    caption: "People, newest token first",
    rows: people,
    columns: [
      {
        head: "Person",
        rowHeader: true,
        cell: ({ name, username }) =>
          html`<strong>${name}</strong><br><a class="sub" href="/${username}">@${username}</a>`,
      },
      {
        head: "Allowed",
        kind: "nowrap",
        cell: (person) => allowedWords(person, application),
      },
      {
        head: "Scopes",
        cell: ({ scopes }) => (scopes === "" ? "None kept" : refs(scopes.split(" "))),
      },
      { head: "Flows", cell: ({ flows }) => flowWords(flows) },
      { head: "Live tokens", kind: "num", cell: ({ liveTokens }) => shownCount(liveTokens) },
      {
        head: "Last used",
        kind: "nowrap",
        cell: ({ lastUsedAt }) => (lastUsedAt ? timeAgo(lastUsedAt, now) : "Never"),
      },
    ],
  });
}

/** When the person consented; of a consent that the application lost with its trust or kind, that they are asked (decision 0155). */
function allowedWords(
  { consentedAt, isUnasked }: PersonUse,
  { trusted }: { trusted: boolean },
): Html | string {
  if (consentedAt) return timeDay(consentedAt);
  return isUnasked && !trusted ? "Asked next time" : "Without a question";
}

function flowWords(flows: string): string {
  if (flows === "") return "None";
  return flows
    .split(" ")
    .map((flow) => GRANT_WORDS[flow as keyof typeof GRANT_WORDS]?.title ?? flow)
    .join(", ");
}
