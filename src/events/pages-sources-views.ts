/** Views of the pages of event sources. */
import { badge, statusBadge } from "../ui/badge.ts";
import { buttonRow, linkButton, submitButton } from "../ui/button.ts";
import { card, emptyState, pageHead, properties, stack } from "../ui/card.ts";
import { confirmDialog, postButton } from "../ui/dialog.ts";
import { errorSummary, type FormToken, postForm, selectField, textField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { pastTheEnd } from "../ui/past-the-end.ts";
import { codeBlock, jsonBlock, jsonTextBlock, secretField } from "../ui/secret.ts";
import { pager, table } from "../ui/table.ts";
import { timeAgo, timeExact } from "../ui/time.ts";
import { setUpCard } from "./pages-sources-setup.ts";
import type { Delivery, Reading, Source, SourceType } from "./source.ts";

const TYPE_WORDS: Readonly<Record<SourceType, string>> = {
  auto: "Detect automatically",
  github: "GitHub",
  gitlab: "GitLab",
  gitea: "Gitea",
  forgejo: "Forgejo",
  cloudevents: "CloudEvents",
};

/** The faults of the form, and what was typed. */
export interface SourceFaults {
  name?: string | undefined;
  typed?: { name: string; type: SourceType | undefined };
}

export interface SourcesShown {
  home: string;
  sources: readonly (Source & { url: string; refused: number })[];
  pages: { page: number; totalPages: number };
  /** The claims that users are people whom the sources name. */
  claims: Html | undefined;
  csrfToken: FormToken;
  faults: SourceFaults;
}

/** The sources, and the form for another. */
export function sourcesMain({ home, sources, pages, claims, csrfToken, faults }: SourcesShown): Html {
  const head = pageHead({
    heading: "Event sources",
    lead: "Git forges that report by signed webhooks what happens in this project.",
    actions: [
      csrfToken !== undefined &&
        linkButton("New source", "#new", { tone: "primary", icon: "plus", key: "n" }),
    ],
  });
  const none =
    pages.page > 1
      ? pastTheEnd("sources", home)
      : emptyState({
          heading: "No source yet",
          text:
            csrfToken === undefined
              ? "None was made."
              : "Create a source, then add its address and secret as a webhook at GitHub, GitLab, Gitea, Forgejo, Gogs or Bitbucket.",
          action: csrfToken === undefined ? undefined : linkButton("New source", "#new", { icon: "plus" }),
        });
  const list =
    sources.length === 0
      ? none
      : table<Source & { url: string; refused: number }>({
          caption: "Event sources",
          rows: sources,
          columns: [
            {
              head: "Name",
              rowHeader: true,
              cell: ({ id, name, url }) =>
                html`<a class="title wrap-any" href="${home}/${id}">${name}</a><br><span class="sub wrap-any">${url}</span>`,
            },
            { head: "Forge", cell: ({ type }) => (type === "auto" ? "Any" : TYPE_WORDS[type]) },
            { head: "Refused", kind: "num", cell: ({ refused }) => refused },
            { head: "Status", cell: stateOf },
          ],
        });
  const typed = faults.typed;
  const form = () =>
    card({
      id: "new",
      heading: "New source",
      body: postForm(
        { action: home, csrfToken, two: true },
        html`${errorSummary([{ id: "name", label: "Name", error: faults.name }])}
${textField({ name: "name", label: "Name", value: typed?.name ?? "", error: faults.name, required: true, autocomplete: "off", hint: "The name that people here see." })}
${selectField({
  name: "type",
  label: "Forge",
  value: typed?.type ?? "auto",
  options: Object.entries(TYPE_WORDS).map(([value, label]) => ({ value, label })),
})}`,
        submitButton("Create source", { tone: "primary" }),
      ),
    });
  return html`${head}${stack([card({ id: "sources", heading: "Sources of this project", flush: list }), pager({ ...pages, hrefFor: (page) => `${home}?page=${page}` }), claims, csrfToken !== undefined && form()])}`;
}

function stateOf({ active }: Pick<Source, "active">): Html {
  return active ? statusBadge("Enabled", "ok") : statusBadge("Disabled", "plain");
}

export interface SourceShown {
  home: string;
  source: Source;
  url: string;
  secret: string | undefined;
  deliveries: readonly Delivery[];
  /** The refused deliveries; undefined: there are none. */
  refused: Html | undefined;
  page: number;
  totalPages: number;
  now: Date;
  csrfToken: FormToken;
}

/** One source: its address and secret, and its deliveries. */
export function sourceMain(shown: SourceShown): Html {
  const { home, source, deliveries, csrfToken } = shown;
  const head = pageHead({
    heading: source.name,
    above: stateOf(source),
    lead: `Takes deliveries of ${source.type === "auto" ? "any forge" : TYPE_WORDS[source.type]}.`,
  });
  const hrefFor = (page: number) => `${home}/${source.id}?page=${page}`;
  return html`${head}${stack([
    addressCard(shown),
    shown.page === 1 && deliveries.length === 0 && csrfToken !== undefined && setUpCard(source.type),
    shown.refused,
    deliveriesCard(shown),
    pager({ page: shown.page, totalPages: shown.totalPages, hrefFor }),
  ])}`;
}

function addressCard({ home, source, url, secret, csrfToken }: SourceShown): Html {
  const own = `${home}/${source.id}`;
  return card({
    id: "address",
    heading: "Address",
    once: secret !== undefined,
    body: html`<div class="form">${secretField({ id: "source-url", label: "Address for the webhook", value: url, hint: "Content type application/json." })}
${secret && secretField({ id: "source-secret", label: "Secret", value: secret, badge: badge("Shown once", "brass"), hint: "Copy it now: it can’t be shown again." })}</div>`,
    footer:
      csrfToken === undefined
        ? undefined
        : buttonRow([
            confirmDialog(
              { words: "New secret", about: source.name, size: "sm" },
              {
                id: "rotate",
                heading: "Make a new secret?",
                text: "Deliveries signed with the old secret are refused until the forge has the new one.",
                action: `${own}/rotate`,
                csrfToken,
                confirm: "Make a new secret",
                keep: "Keep the old one",
              },
            ),
            postButton(
              `${own}/switch`,
              csrfToken,
              submitButton(source.active ? "Turn off" : "Turn on", { size: "sm" }),
              { active: String(!source.active) },
            ),
            confirmDialog(
              { words: "Delete", about: source.name, size: "sm" },
              {
                id: "delete",
                heading: `Delete ${source.name}?`,
                text: "Its address and its list of deliveries are removed. Events that came through it stay.",
                action: `${own}/delete`,
                csrfToken,
                confirm: "Delete",
                keep: "Keep",
              },
            ),
          ]),
  });
}

function deliveriesCard({ home, source, deliveries, now, page }: SourceShown): Html {
  const own = `${home}/${source.id}`;
  const none =
    page > 1
      ? pastTheEnd("deliveries", own)
      : emptyState({
          heading: "Nothing received yet",
          text: "Send a test from the forge: it shows up here at once.",
        });
  return card({
    id: "deliveries",
    heading: "Deliveries",
    lead: "The last 30 days, newest first. Refused deliveries are listed separately.",
    flush: deliveries.length === 0 ? none : deliveryTable(own, deliveries, now),
  });
}

function deliveryTable(own: string, deliveries: readonly Delivery[], now: Date): Html {
  return table<Delivery>({
    caption: "Deliveries",
    rows: deliveries,
    columns: [
      {
        head: "Kind",
        rowHeader: true,
        cell: ({ id, kind }) =>
          html`<a class="title wrap-any" href="${own}/deliveries/${id}">${kind || "Unnamed"}</a>`,
      },
      { head: "Outcome", cell: ({ status }) => outcome(status) },
      {
        head: "Events",
        cell: ({ reason, eventIds }) =>
          reason ?? `${eventIds.length} ${eventIds.length === 1 ? "event" : "events"}`,
      },
      { head: "Came", kind: "nowrap", cell: ({ receivedAt }) => timeAgo(receivedAt, now) },
    ],
  });
}

function outcome(status: Delivery["status"]): Html {
  return status === "accepted" ? badge("Accepted", "ok") : badge("Ignored", "line");
}

export interface DeliveryShown {
  home: string;
  source: Source;
  delivery: Delivery & { raw: Buffer | null };
  /** How it would be read today. */
  reading: Reading | undefined;
  csrfToken: FormToken;
}

const MAX_SHOWN = 64 * 1024;

/** One delivery: its outcome, how it would be read today, and what was received. */
export function deliveryMain({ home, source, delivery, reading, csrfToken }: DeliveryShown): Html {
  const { id, kind, status, reason, eventIds, receivedAt, deliveryId, raw } = delivery;
  const replay =
    status === "ignored" &&
    raw !== null &&
    postButton(
      `${home}/${source.id}/deliveries/${id}/replay`,
      csrfToken,
      submitButton("Read it again", { tone: "primary" }),
    );
  const head = pageHead({
    heading: kind || "Delivery",
    lead: `Came to ${source.name}`,
    actions: replay ? [replay] : [],
  });
  const facts = card({
    id: "outcome",
    heading: "Outcome",
    aside: outcome(status),
    body: properties([
      ["Why", reason ?? "It has a counterpart among events"],
      ["Events", eventIds.join(", ") || "None"],
      ["Number at the forge", html`<span class="wrap-any">${deliveryId}</span>`],
      ["Came", timeExact(receivedAt)],
    ]),
  });
  const read =
    reading?.result === "events"
      ? jsonBlock(
          "reading",
          "How it is read",
          reading.events.map(({ draft, author }) => ({ ...draft, author })),
        )
      : html`<p class="text-2">${reading?.result === "ignored" ? reading.reason : "Nothing of it is an event."}</p>`;
  const body = raw ? raw.subarray(0, MAX_SHOWN).toString("utf8") : undefined;
  return html`${head}${stack([
    facts,
    card({ id: "read", heading: "Reading of today", body: read }),
    card({
      id: "raw",
      heading: "What came",
      lead: raw && raw.length > MAX_SHOWN ? `The first 64 KiB of ${raw.length} bytes.` : undefined,
      body:
        body === undefined ? html`<p class="text-2">It came before bodies were kept.</p>` : bodyBlock(body),
    }),
  ])}`;
}

/** A body, indented if it is JSON, else as it is. */
export function bodyBlock(body: string): Html {
  try {
    JSON.parse(body);
  } catch {
    return codeBlock("body", "Body", body);
  }
  return jsonTextBlock("body", "Body", body);
}
