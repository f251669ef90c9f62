/** The views of an application's events. */
import { entryOf } from "../platform/entry-of.ts";
import { badge, ref } from "../ui/badge.ts";
import { bareCard, emptyState, stack } from "../ui/card.ts";
import { bareSelect } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { pastTheEnd } from "../ui/past-the-end.ts";
import { pager, table } from "../ui/table.ts";
import { timeExact } from "../ui/time.ts";
import { filterBar } from "../ui/toolbar.ts";
import {
  type ApplicationEvent,
  EVENT_DAYS,
  EVENT_ENDPOINTS,
  type EventEndpoint,
  MAX_EVENTS,
} from "./application-event.ts";
import { GRANT_WORDS } from "./pages-application-form.ts";
import type { Site } from "./pages-application-site.ts";
import { applicationHead } from "./pages-application-views.ts";
import type { ManagedApplication } from "./store-applications.ts";

/** The name of each endpoint. */
const ENDPOINT_WORDS: Readonly<Record<EventEndpoint, string>> = {
  authorize: "Authorization page",
  par: "Pushed requests",
  token: "Token endpoint",
  device: "Device codes",
  revoke: "Revocation",
  introspect: "Introspection",
  userinfo: "User info",
  api: "API",
  logout: "Sign-out",
  backchannel_logout: "Back-channel logout",
};

/** Refusals newest first, with a filter. */
export function eventsMain(
  site: Site,
  application: ManagedApplication,
  shown: {
    events: readonly ApplicationEvent[];
    page: number;
    totalPages: number;
    endpoint: EventEndpoint | undefined;
    search: string;
  },
): Html {
  const { events, page, totalPages, endpoint, search } = shown;
  const here = `${site.home}/${application.id}/events`;
  const bar = filterBar({
    label: "Filter events",
    action: here,
    isFiltered: endpoint !== undefined,
    search: {
      name: "search",
      value: search,
      placeholder: "Reason, person or request id",
      label: "Reason, person or request id",
    },
    filters: [
      bareSelect("endpoint", "Where", endpoint ?? "", [
        { value: "", label: "Everywhere" },
        ...EVENT_ENDPOINTS.map((value) => ({ value, label: ENDPOINT_WORDS[value] })),
      ]),
    ],
  });
  const filtered = endpoint !== undefined || search !== "";
  const kept = { ...(endpoint ? { endpoint } : {}), ...(search ? { search } : {}) };
  const hrefFor = (number: number) => `${here}?${new URLSearchParams({ ...kept, page: String(number) })}`;
  const none = page > 1 ? pastTheEnd("refused requests", hrefFor(1), 2) : nothing(filtered);
  const list = events.length > 0 ? eventTable(events) : none;
  const foot = html`<span class="sub">At most ${MAX_EVENTS}, for ${EVENT_DAYS} days; those alike are one, and each kind and network keeps its newest. The application itself is told only the answer; its response header <code>x-request-id</code> leads here.</span>`;
  return html`${applicationHead(site, application, "events")}${stack([
    bareCard("Refused requests", html`${bar}${list}`, foot),
    pager({ page, totalPages, hrefFor }),
  ])}`;
}

/** The name of a grant type; an unknown one is shown as it was sent. */
function grantWords(grantType: string): string {
  const known: Readonly<Record<string, { title: string } | undefined>> = GRANT_WORDS;
  const flow = grantType === "code" ? "authorization_code" : grantType === "token" ? "implicit" : grantType;
  return entryOf(known, flow)?.title ?? grantType;
}

function nothing(filtered: boolean): Html {
  if (filtered)
    return emptyState({ level: 2, heading: "No such event", text: "Try another filter or other words." });
  const text =
    "When a request of this application is refused, it is listed here with the exact reason, which the response does not reveal.";
  return emptyState({ level: 2, heading: "Nothing was refused", text });
}

function eventTable(events: readonly ApplicationEvent[]): Html {
  return table<ApplicationEvent>({
    caption: "Refused requests, newest first",
    rows: events,
    columns: [
      {
        head: "Reason",
        rowHeader: true,
        cell: ({ reason, times, requestId, network, firstAt }) =>
          html`<span class="wrap-any">${reason}</span>${times > 1 && html` ${badge(`${times} times`)}`}<br><span class="sub wrap-any">${network === "" ? html`Delivery ${requestId}` : html`Request ${requestId} from ${network}`}${times > 1 && html`, first ${timeExact(firstAt)}`}</span>`,
      },
      { head: "Answer", cell: ({ answer }) => ref(answer) },
      {
        head: "Where",
        cell: ({ endpoint, grantType }) =>
          html`${ENDPOINT_WORDS[endpoint]}${grantType && html`<br><span class="sub">${grantWords(grantType)}</span>`}`,
      },
      {
        head: "Person",
        cell: ({ username }) =>
          username === null ? "Not known" : html`<a href="/${username}">@${username}</a>`,
      },
      { head: "When", kind: "nowrap", cell: ({ at }) => timeExact(at) },
    ],
  });
}
