/** The views of one application: its details, its secrets, its form and its deletion. */
import type { Shown } from "../platform/form-shown.ts";
import { badge, refs } from "../ui/badge.ts";
import { linkButton, submitButton } from "../ui/button.ts";
import { card, pageHead, properties, stack, tabs } from "../ui/card.ts";
import { shownCount } from "../ui/count.ts";
import { confirmDialog } from "../ui/dialog.ts";
import { csrfField, selectField, shownField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import type { Viewer } from "../ui/navigation.ts";
import { questionMain } from "../ui/question.ts";
import { secretField } from "../ui/secret.ts";
import { timeAgo, timeDay, timeExact } from "../ui/time.ts";
import { type Application, type ApplicationFields, shownName } from "./application.ts";
import type { Lifetimes } from "./lifetimes.ts";
import {
  applicationFormFields,
  type FormFaults,
  type FormLook,
  GRANT_WORDS,
} from "./pages-application-form.ts";
import { keysList } from "./pages-application-keys.ts";
import { accessLifetime } from "./pages-application-lifetimes.ts";
import type { Site } from "./pages-application-site.ts";
import type { ManagedApplication, ValidSecret } from "./store-applications.ts";

export type Secrets = Readonly<Record<string, string>> | undefined;

/** Shows a new secret, once: after the application was registered, or its secret was renewed. */
export function secretCard(secrets: Secrets, done: string): Html | false {
  if (secrets?.secret === undefined || secrets.uid === undefined) return false;
  const { name = "Your application", uid, secret, redirectUris } = secrets;
  const uris = redirectUris?.split("\n").map((uri) => html`<code class="wrap-any">${uri}</code> `);
  return card({
    id: "ready",
    heading: uris ? `${shownName(name)} is ready` : `The new secret of ${shownName(name)}`,
    lead: "Copy the secret now. Gatehouse keeps only a hash of it, so it can’t be shown again.",
    once: true,
    body: html`<div class="form two">${secretField({ id: "application-id", label: "Application ID", value: uid }, true)}${secretField({ id: "client-secret", label: "Client secret", value: secret, badge: badge("Shown once", "brass") }, true)}</div>`,
    footer: html`<span class="grow">${uris && html`Redirect URI ${uris}`}</span>${linkButton("I’ve stored it", done, { size: "sm" })}`,
  });
}

/** The question before an application is deleted; `query` is that of the list. */
function deletion(
  site: Site,
  { csrfToken }: Viewer,
  { id, name, people }: ManagedApplication,
  query: string,
) {
  const who = people === 0 ? "Nobody has" : `${peopleWords(people)} ${people === 1 ? "has" : "have"}`;
  return {
    heading: `Delete ${shownName(name)}?`,
    text: `${who} authorized it. Its tokens stop working at once. This can’t be undone.`,
    action: `${site.home}/${id}/delete${query}`,
    csrfToken,
    confirm: "Delete application",
    keep: "Keep it",
  };
}

/** The same question as a page, to which the list links. */
export function deletionMain(
  site: Site,
  viewer: Viewer,
  application: ManagedApplication,
  query: string,
): Html {
  return questionMain({ ...deletion(site, viewer, application, query), back: `${site.home}${query}` });
}

/** The tabs of an application. */
export type ApplicationTab = "overview" | "events" | "usage";

/** The header of an application's pages, with their tabs. */
export function applicationHead(site: Site, application: ManagedApplication, current: ApplicationTab): Html {
  const { id, name, confidential, trusted, selfRegistered, onlyByKey } = application;
  const href = `${site.home}/${id}`;
  const head = pageHead({
    heading: shownName(name),
    above: trusted ? badge("Trusted", "brass") : selfRegistered ? badge("Unverified", "brass") : undefined,
    lead: confidential
      ? `A confidential application: it keeps its ${onlyByKey ? "key" : "secret"} on a server.`
      : PUBLIC_LEAD,
    actions: [linkButton("Edit", `${href}/edit`, { icon: "pencil" })],
  });
  return html`${head}${tabs("Application", [
    { label: "Overview", href, current: current === "overview" },
    { label: "Events", href: `${href}/events`, current: current === "events" },
    { label: "Usage", href: `${href}/usage`, current: current === "usage" },
  ])}`;
}

/** The page of an application: its id, its rights, its secrets and its deletion. */
export function applicationPage(
  site: Site,
  application: ManagedApplication,
  viewer: Viewer,
  shown: {
    secrets: Secrets;
    valid: readonly ValidSecret[];
    lifetimes: Lifetimes;
    /** The preselected overlap of the old secret with the new one; an unknown value: none. */
    grace: unknown;
    now: Date;
  },
): Html {
  const { id, uid, redirectUris, scopes, grantTypes, homePage, people, lastTokenAt } = application;
  const { postLogoutRedirectUris: afterLogout, backchannelLogoutUri: logoutUri } = application;
  const { backchannelLogoutSessionRequired: sessionRequired } = application;
  const about = card({
    id: "about",
    heading: "About",
    body: html`${secretField({ id: "uid", label: "Application ID", value: uid })}
<div class="mt">${properties([
      ["Redirect URIs", uriList(redirectUris)],
      ["Post-logout redirect URIs", afterLogout.length > 0 ? uriList(afterLogout) : undefined],
      [
        "Back-channel logout URI",
        logoutUri === "" ? undefined : html`${uriList([logoutUri])}${sessionRequired && "Always with sid"}`,
      ],
      ["Scopes", refs(scopes)],
      ["Flows", grantTypes.map((type) => GRANT_WORDS[type].title).join(", ")],
      ["Access tokens expire after", accessLifetime(shown.lifetimes, false)],
      [
        "With refresh",
        grantTypes.includes("refresh_token") ? accessLifetime(shown.lifetimes, true) : undefined,
      ],
      [
        "Home page",
        homePage === "" ? undefined : html`<a href="${homePage}" rel="noopener noreferrer">${homePage}</a>`,
      ],
      ["Owner", site.reached.kind === "everywhere" ? ownerCell(application) : undefined],
      ["Acts for itself as", accountText(application)],
      ["Consent", application.trusted ? "Not asked: trusted by the administrators" : undefined],
      ["Public keys (RFC 7638)", keysList(application.jwks)],
      ["Issuer in redirects", application.omitIss ? "Left out" : undefined],
      ["Authorization requests", application.requirePushed ? "Pushed requests only (PAR)" : undefined],
      ["Access tokens", application.boundTokensOnly ? "DPoP-bound only" : undefined],
      ["Authorized by", html`<a href="${site.home}/${id}/usage">${peopleWords(people)}</a>`],
      ["Last token", lastTokenAt ? timeAgo(lastTokenAt, shown.now) : "Never"],
      ["Registered", timeDay(application.createdAt)],
    ])}</div>`,
  });
  return html`${applicationHead(site, application, "overview")}${stack([
    secretCard(shown.secrets, `${site.home}/${id}`),
    about,
    renewCard(site, viewer, application, shown),
    card({
      id: "danger",
      heading: "Delete",
      lead: "Everybody’s tokens of this application stop working at once.",
      body: confirmDialog(
        { words: "Delete application", icon: "trash" },
        { id: `delete-${application.id}`, ...deletion(site, viewer, application, "") },
      ),
    }),
  ])}`;
}

/** The account for which it acts, if it may use client credentials and belongs to no person (decision 0125). */
function accountText({ ownerId, grantTypes, accountUsername }: ManagedApplication): Html | undefined {
  if (ownerId !== null || !grantTypes.includes("client_credentials")) return undefined;
  return accountUsername === null
    ? html`An account of its own, made with its first token`
    : html`<a class="wrap-any" href="/${accountUsername}">@${accountUsername}</a>`;
}

function uriList(uris: readonly string[]): Html {
  return html`${uris.map((uri) => html`<code class="wrap-any">${uri}</code><br>`)}`;
}

/** The owner, in a list of everybody's applications. */
export function ownerCell({
  ownerUsername,
  ownerGroupPath,
  selfRegistered,
}: Pick<ManagedApplication, "ownerUsername" | "ownerGroupPath" | "selfRegistered">): Html {
  if (ownerUsername !== null) return html`<a href="/${ownerUsername}">@${ownerUsername}</a>`;
  if (selfRegistered) return html`Nobody: it registered itself`;
  return ownerGroupPath === null
    ? html`The instance`
    : html`<a href="/${ownerGroupPath}">${ownerGroupPath}</a>`;
}

const PUBLIC_LEAD =
  "A public application: it runs on people’s own devices, proves itself by PKCE, and asks for consent every time.";

const GRACES = [
  { value: "0", label: "At once" },
  { value: "3600", label: "After 1 hour" },
  { value: "86400", label: "After 1 day" },
];

function renewCard(
  site: Site,
  viewer: Viewer,
  { id, onlyByKey }: Application,
  { valid, grace }: { valid: readonly ValidSecret[]; grace: unknown },
): Html {
  const chosen = GRACES.find(({ value }) => value === grace) ?? GRACES[0];
  const each = valid.map(({ createdAt, expiresAt }, index) => {
    const end = onlyByKey
      ? "does not count"
      : expiresAt
        ? html`valid until ${timeExact(expiresAt)}`
        : "valid until you renew it";
    return [index === 0 ? "Newest" : "Before it", html`Made ${timeDay(createdAt)}, ${end}`] as const;
  });
  const gap = "Choose a delay to change the secret in your application without a gap.";
  return card({
    id: "secret",
    heading: valid.length > 1 && !onlyByKey ? `Client secrets: ${valid.length} are valid` : "Client secret",
    lead: onlyByKey
      ? "It does not count: the application proves itself only by key."
      : "Only a hash is stored. Renew the secret if it is lost or somebody else has seen it.",
    body: html`${properties(each)}<form class="form mt" action="${site.home}/${id}/renew_secret" method="post">${csrfField(viewer.csrfToken)}
${selectField({ name: "grace_seconds", label: "The old secret stops working", value: chosen?.value ?? "", options: GRACES, hint: valid.length > 1 ? `${gap} The one before the newest ends at once.` : gap })}
<div class="btn-row">${submitButton("Renew secret", { icon: "refresh" })}</div></form>`,
  });
}

/** The form of an existing application. */
export function editPage(
  site: Site,
  viewer: Viewer,
  application: Application,
  form: {
    fields: ApplicationFields;
    /** The values that the form showed when its sender began. */
    shown: Shown;
    look: FormLook;
    faults: FormFaults | undefined;
  },
): Html {
  const href = `${site.home}/${application.id}`;
  return html`${pageHead({ heading: `Edit ${shownName(application.name)}` })}${stack([
    card({
      id: "edit",
      heading: "Settings",
      lead: `Access beyond the scopes still selected ends when you save.${application.trusted && !site.mayTrust ? TRUST_ENDS : ""}`,
      body: html`<form class="form two" action="${href}" method="post">${csrfField(viewer.csrfToken)}${shownField(form.shown)}${applicationFormFields(form.fields, form.faults, form.look)}
<div class="btn-row full">${submitButton("Save changes", { tone: "primary" })}${linkButton("Cancel", href, { tone: "quiet" })}</div></form>`,
    }),
  ])}`;
}

const TRUST_ENDS =
  " Administrators trust this application as it is: with another scope, redirect URI or flow it is no longer trusted, and people are asked for consent.";

/** The number of people, counted to a thousand. */
export function peopleWords(people: number): string {
  return people === 1 ? "1 person" : `${shownCount(people)} people`;
}
