/** Views of the page of personal access tokens. */
import { badge, fullAccessBadge, refs } from "../ui/badge.ts";
import { linkButton, submitButton } from "../ui/button.ts";
import { card, emptyState, pageHead, stack } from "../ui/card.ts";
import { choiceSet } from "../ui/choice.ts";
import { confirmDialog } from "../ui/dialog.ts";
import { csrfField, errorSummary, faultOf, textField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { pastTheEnd } from "../ui/past-the-end.ts";
import { secretField } from "../ui/secret.ts";
import { pager, table } from "../ui/table.ts";
import { timeAgo, timeDay } from "../ui/time.ts";
import { SCOPE_WORDS, SCOPES } from "./scope.ts";
import type { PersonalToken } from "./token.ts";

const HOME = "/profile/personal_access_tokens";
const WEEK_MS = 7 * 24 * 3600 * 1000;

type Faults = Readonly<Record<string, readonly string[]>>;

/** The values typed into the form for a new token. */
export interface TypedToken {
  name: string;
  scopes: readonly string[];
  expiresAt: string;
}

export interface TokensShown {
  /** The tokens of this page, newest first. */
  tokens: readonly PersonalToken[];
  page: number;
  totalPages: number;
  /** The query of the list's address. */
  query: string;
  secrets: Readonly<Record<string, string>> | undefined;
  now: Date;
}

/** The new secret if there is one, the form, and the active tokens. */
export function tokensMain(csrfToken: string, shown: TokensShown, typed: TypedToken, faults: Faults): Html {
  const head = pageHead({
    heading: "Personal access tokens",
    lead: "For your own scripts and tools. They act as you, within the scopes you choose.",
    actions: [linkButton("New token", "#new", { tone: "primary", icon: "plus", key: "n" })],
  });
  return html`${head}${stack([
    newSecret(shown.secrets),
    activeCard(csrfToken, shown),
    pager({ page: shown.page, totalPages: shown.totalPages, hrefFor: (page) => `${HOME}?page=${page}` }),
    newCard(csrfToken, typed, faults),
  ])}`;
}

function newSecret(secrets: TokensShown["secrets"]): Html | false {
  if (secrets?.token === undefined) return false;
  const once = badge("Shown once", "brass");
  return card({
    id: "ready",
    heading: `${secrets.name ?? "Your token"} is ready`,
    lead: "Copy the token now. Gatehouse keeps only a hash of it, so it can’t be shown again.",
    once: true,
    body: secretField({ id: "new-token", label: "Token", value: secrets.token, badge: once }),
    footer: html`<span class="grow"></span>${linkButton("I’ve stored it", HOME, { size: "sm" })}`,
  });
}

function activeCard(csrfToken: string, { tokens, page, query, now }: TokensShown): Html {
  if (tokens.length === 0 && page > 1) {
    return card({ id: "active", heading: "Active tokens", flush: pastTheEnd("tokens", HOME) });
  }
  if (tokens.length === 0) {
    const flush = emptyState({
      heading: "No tokens yet",
      text: "A script uses a token instead of your password to call the API. Give each its own, so that you can revoke one without the others.",
      action: linkButton("New token", "#new", { icon: "plus" }),
    });
    return card({ id: "active", heading: "Active tokens", flush });
  }
  const flush = table<PersonalToken>({
    caption: "Active tokens",
    rows: tokens,
    columns: [
      {
        head: "Name",
        rowHeader: true,
        cell: ({ name, createdAt }) =>
          html`<span class="title wrap-any">${name}</span><br><span class="sub">Created ${timeDay(createdAt)}</span>`,
      },
      { head: "Scopes", cell: ({ scopes }) => refs(scopes) },
      { head: "Last used", cell: (token) => lastUse(token, now) },
      { head: "Ends", kind: "nowrap", cell: ({ expiresAt }) => endOf(expiresAt, now) },
      {
        head: "Actions",
        hiddenHead: true,
        kind: "act",
        cell: (token) => revokeButton(csrfToken, query, token),
      },
    ],
  });
  return card({ id: "active", heading: "Active tokens", flush });
}

/** When and from which address a token was last used, with a precision of ten minutes. */
function lastUse({ lastUsedAt, lastUsedIp }: PersonalToken, now: Date): Html | string {
  if (!lastUsedAt) return "Never";
  const from =
    lastUsedIp && html`<br><span class="sub">from <code class="wrap-any">${lastUsedIp}</code></span>`;
  return html`<span class="nowrap">${timeAgo(lastUsedAt, now)}</span>${from}`;
}

function endOf(at: Date | null, now: Date): Html | string {
  if (!at) return "Never";
  const soon = at.getTime() - now.getTime() < WEEK_MS;
  return soon ? html`${timeDay(at)} ${badge("Soon", "brass")}` : timeDay(at);
}

function revokeButton(csrfToken: string, query: string, { id, name }: PersonalToken): Html {
  return confirmDialog(
    { words: "Revoke", about: name, size: "sm" },
    {
      id: `revoke-${id}`,
      heading: `Revoke ${name}?`,
      text: "Anything that uses this token stops working. This can’t be undone.",
      action: `${HOME}/${id}/revoke${query}`,
      csrfToken,
      confirm: "Revoke",
      keep: "Keep",
    },
  );
}

function newCard(csrfToken: string, typed: TypedToken, faults: Faults): Html {
  const error = (field: string, label: string) => faultOf(faults, field, label);
  const [name, end, scopes] = [
    error("name", "Name"),
    error("expires_at", "The day on which it ends"),
    faults.scopes && "Tick at least one scope.",
  ];
  const summary = errorSummary([
    { id: "name", label: "Name", error: name },
    { id: "expires_at", label: "Ends", error: end },
    { id: "scopes", label: "Scopes", error: scopes },
  ]);
  const choices = SCOPES.map((scope) => ({
    value: scope,
    label: scope,
    hint: `${SCOPE_WORDS[scope].title}. ${SCOPE_WORDS[scope].detail}.`,
    badge: scope === "api" ? fullAccessBadge() : undefined,
    checked: typed.scopes.includes(scope),
  }));
  return card({
    id: "new",
    heading: "New token",
    body: html`<form class="form two" action="${HOME}" method="post">${csrfField(csrfToken)}${summary}
${textField({ name: "name", label: "Name", value: typed.name, error: name, required: true, maxlength: 255, hint: "What you will use it for." })}
${textField({ name: "expires_at", label: "Ends", note: "optional", type: "date", value: typed.expiresAt, error: end, hint: "It expires at the start of this day (UTC)." })}
${choiceSet({ name: "scopes", legend: "Scopes", many: true, choices, error: scopes })}
<div class="btn-row full">${submitButton("Create token", { tone: "primary" })}</div></form>`,
  });
}
