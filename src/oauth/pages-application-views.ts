/** What `/profile/applications` and the pages below it look like. */
import { badge, refs } from "../ui/badge.ts";
import { iconLink, linkButton, submitButton } from "../ui/button.ts";
import { card, emptyState, pageHead, properties, stack } from "../ui/card.ts";
import { confirmDialog } from "../ui/dialog.ts";
import { tile } from "../ui/face.ts";
import { csrfField, selectField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import type { Viewer } from "../ui/navigation.ts";
import { secretField } from "../ui/secret.ts";
import { table } from "../ui/table.ts";
import { timeAgo, timeDay } from "../ui/time.ts";
import type { Application, ApplicationFields } from "./application.ts";
import { applicationFormFields, type FormFaults, GRANT_WORDS } from "./pages-application-form.ts";
import { originOf } from "./redirect-uri.ts";
import type { AuthorizedApplication, OwnApplication } from "./store.ts";

const HOME = "/profile/applications";

type Secrets = Readonly<Record<string, string>> | undefined;

export interface Lists {
  made: readonly OwnApplication[];
  authorized: readonly AuthorizedApplication[];
  secrets: Secrets;
  now: Date;
}

/** Own applications, the form for a new one, and the applications that the person authorized. */
export function applicationsPage(
  viewer: Viewer,
  lists: Lists,
  fields: ApplicationFields,
  faults: FormFaults | undefined,
): Html {
  const head = pageHead({
    heading: "Applications",
    lead: "Register an application that signs people in through Gatehouse, and see which applications may act for you.",
    actions: [linkButton("New application", "#new", { tone: "primary", icon: "plus" })],
  });
  const form = card({
    id: "new",
    heading: "New application",
    body: html`<form class="form two" action="${HOME}#new" method="post">${csrfField(viewer.csrfToken)}${applicationFormFields(fields, faults)}
<div class="btn-row full">${submitButton("Create application", { tone: "primary" })}</div></form>`,
  });
  return html`${head}${stack([
    secretCard(lists.secrets, HOME),
    ownCard(viewer, lists),
    form,
    authorizedCard(viewer, lists),
  ])}`;
}

/** The one time that a secret is shown: after the application was made, or its secret renewed. */
function secretCard(secrets: Secrets, done: string): Html | false {
  if (secrets?.secret === undefined || secrets.uid === undefined) return false;
  const { name = "Your application", uid, secret, redirectUris } = secrets;
  const uris = redirectUris?.split("\n").map((uri) => html`<code class="wrap-any">${uri}</code> `);
  return card({
    id: "ready",
    heading: uris ? `${name} is ready` : `The new secret of ${name}`,
    lead: "Copy the secret now. Gatehouse keeps only a hash of it, so it can’t be shown again.",
    once: true,
    body: html`<div class="form two">${secretField({ id: "application-id", label: "Application ID", value: uid }, true)}${secretField({ id: "client-secret", label: "Client secret", value: secret, badge: badge("Shown once", "brass") }, true)}</div>`,
    footer: html`<span class="grow">${uris && html`Redirect URI ${uris}`}</span>${linkButton("I’ve stored it", done, { size: "sm" })}`,
  });
}

function ownCard(viewer: Viewer, { made, now }: Lists): Html {
  if (made.length === 0) {
    return card({
      id: "yours",
      heading: "Your applications",
      body: emptyState({
        heading: "None yet",
        text: "An application lets people sign in elsewhere with their account here, or lets a program act for them.",
        action: linkButton("New application", "#new", { icon: "plus" }),
      }),
    });
  }
  return card({
    id: "yours",
    heading: "Your applications",
    flush: table<OwnApplication>({
      caption: "Your applications",
      rows: made,
      columns: [
        {
          head: "Name",
          rowHeader: true,
          cell: ({ id, name, redirectUris }) =>
            html`<span class="who">${tile(name, 2)}<span><a class="title" href="${HOME}/${id}">${name}</a><br><span class="sub wrap-any">${placeOf(redirectUris)}</span></span></span>`,
        },
        { head: "Scopes", cell: ({ scopes }) => refs(scopes) },
        { head: "Authorized by", kind: "num", cell: ({ people }) => peopleWords(people) },
        {
          head: "Last token",
          kind: "nowrap",
          cell: ({ lastTokenAt }) => (lastTokenAt ? timeAgo(lastTokenAt, now) : "Never"),
        },
        {
          head: "Actions",
          hiddenHead: true,
          kind: "act",
          cell: (application) =>
            html`<span class="btn-row">${iconLink("pencil", `Edit ${application.name}`, `${HOME}/${application.id}/edit`)}${deleteDialog(viewer, application, true)}</span>`,
        },
      ],
    }),
  });
}

function authorizedCard(viewer: Viewer, { authorized, now }: Lists): Html {
  const lead = "They can act as you within the scopes listed. Revoking ends every token at once.";
  if (authorized.length === 0) {
    const text = "When you allow an application to use your account, it is listed here, and you can stop it.";
    return card({
      id: "authorized",
      heading: "Applications you authorized",
      body: emptyState({ heading: "Nobody acts for you", text }),
    });
  }
  return card({
    id: "authorized",
    heading: "Applications you authorized",
    lead,
    flush: table<AuthorizedApplication>({
      caption: "Applications you authorized",
      rows: authorized,
      columns: [
        {
          head: "Name",
          rowHeader: true,
          cell: ({ name, ownerUsername }) =>
            html`<span class="who">${tile(name, 2)}<span><strong>${name}</strong><br><span class="sub">${ownerUsername === null ? "by the administrators" : `by @${ownerUsername}`}</span></span></span>`,
        },
        { head: "Can use", cell: ({ scopes }) => refs(scopes) },
        { head: "Authorized", kind: "nowrap", cell: ({ authorizedAt }) => timeDay(authorizedAt) },
        {
          head: "Last used",
          kind: "nowrap",
          cell: ({ lastUsedAt }) => (lastUsedAt ? timeAgo(lastUsedAt, now) : "Never"),
        },
        {
          head: "Actions",
          hiddenHead: true,
          kind: "act",
          cell: (application) => html`<span class="btn-row">${revokeDialog(viewer, application)}</span>`,
        },
      ],
    }),
  });
}

function revokeDialog(viewer: Viewer, { id, name, liveTokens }: AuthorizedApplication): Html {
  const tokens = liveTokens === 1 ? "1 active token stops" : `${liveTokens} active tokens stop`;
  return confirmDialog(
    { words: "Revoke", about: name, size: "sm" },
    {
      id: `revoke-${id}`,
      heading: `Revoke ${name}?`,
      text: `It loses access to your account now. Its ${tokens} working, and you may have to sign in there again.`,
      action: `${HOME}/${id}/revoke`,
      csrfToken: viewer.csrfToken,
      confirm: "Revoke access",
      keep: "Keep access",
    },
  );
}

function deleteDialog(viewer: Viewer, { id, name, people }: OwnApplication, iconOnly: boolean): Html {
  const who = people === 0 ? "Nobody has" : people === 1 ? "1 person has" : `${people} people have`;
  return confirmDialog(
    iconOnly
      ? { words: "Delete", about: name, icon: "trash", iconOnly }
      : { words: "Delete application", icon: "trash" },
    {
      id: `delete-${id}`,
      heading: `Delete ${name}?`,
      text: `${who} authorized it. Its tokens stop working at once. This can’t be undone.`,
      action: `${HOME}/${id}/delete`,
      csrfToken: viewer.csrfToken,
      confirm: "Delete application",
      keep: "Keep it",
    },
  );
}

/** One application: its id, what it may do, its secret and its end. */
export function applicationPage(
  application: OwnApplication,
  viewer: Viewer,
  secrets: Secrets,
  now: Date,
): Html {
  const { id, name, uid, redirectUris, scopes, grantTypes, confidential, homePage, people, lastTokenAt } =
    application;
  const head = pageHead({
    heading: name,
    lead: confidential ? "A confidential application: it keeps its secret on a server." : PUBLIC_LEAD,
    actions: [linkButton("Edit", `${HOME}/${id}/edit`, { icon: "pencil" })],
  });
  const about = card({
    id: "about",
    heading: "About",
    body: html`${secretField({ id: "uid", label: "Application ID", value: uid })}
<div class="mt">${properties([
      ["Redirect URIs", html`${redirectUris.map((uri) => html`<code class="wrap-any">${uri}</code><br>`)}`],
      ["Scopes", refs(scopes)],
      ["Flows", grantTypes.map((type) => GRANT_WORDS[type].title).join(", ")],
      [
        "Home page",
        homePage === "" ? undefined : html`<a href="${homePage}" rel="noopener noreferrer">${homePage}</a>`,
      ],
      ["Issuer in redirects", application.omitIss ? "Left out" : undefined],
      ["Authorized by", peopleWords(people)],
      ["Last token", lastTokenAt ? timeAgo(lastTokenAt, now) : "Never"],
      ["Registered", timeDay(application.createdAt)],
    ])}</div>`,
  });
  return html`${head}${stack([
    secretCard(secrets, `${HOME}/${id}`),
    about,
    renewCard(viewer, application),
    card({
      id: "danger",
      heading: "Delete",
      lead: "Everybody’s tokens of this application stop working at once.",
      body: deleteDialog(viewer, application, false),
    }),
  ])}`;
}

const PUBLIC_LEAD =
  "A public application: it runs on people’s own devices, proves itself by PKCE, and asks for consent every time.";

const GRACES = [
  { value: "0", label: "At once" },
  { value: "3600", label: "After 1 hour" },
  { value: "86400", label: "After 1 day" },
];

function renewCard(viewer: Viewer, { id }: Application): Html {
  return card({
    id: "secret",
    heading: "Client secret",
    lead: "Only its hash is stored. If it was lost or seen, renew it.",
    body: html`<form class="form" action="${HOME}/${id}/renew_secret" method="post">${csrfField(viewer.csrfToken)}
${selectField({ name: "grace_seconds", label: "The old secret stops working", value: "0", options: GRACES, hint: "Choose a delay to change the secret in your application without a gap." })}
<div class="btn-row">${submitButton("Renew secret", { icon: "refresh" })}</div></form>`,
  });
}

/** The form of an existing application. */
export function editPage(
  viewer: Viewer,
  application: Application,
  fields: ApplicationFields,
  faults: FormFaults | undefined,
): Html {
  const href = `${HOME}/${application.id}`;
  return html`${pageHead({ heading: `Edit ${application.name}` })}${stack([
    card({
      id: "edit",
      heading: "Settings",
      lead: "Access beyond the scopes that stay ticked ends when you save.",
      body: html`<form class="form two" action="${href}" method="post">${csrfField(viewer.csrfToken)}${applicationFormFields(fields, faults)}
<div class="btn-row full">${submitButton("Save changes", { tone: "primary" })}${linkButton("Cancel", href, { tone: "quiet" })}</div></form>`,
    }),
  ])}`;
}

function placeOf(redirectUris: readonly string[]): string {
  const [first] = redirectUris;
  if (first === undefined) return "no redirect URI";
  const more = redirectUris.length > 1 ? ` and ${redirectUris.length - 1} more` : "";
  return originOf(first).replace(/^https?:\/\//, "") + more;
}

function peopleWords(people: number): string {
  return people === 1 ? "1 person" : `${people} people`;
}
