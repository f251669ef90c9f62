/** Sample pages about people: sign-in, consent, applications, profile. */
import { badge, fullAccessBadge, ref, refs } from "../../src/ui/badge.ts";
import { iconLink, linkButton, submitButton } from "../../src/ui/button.ts";
import { contributionCalendar } from "../../src/ui/calendar.ts";
import { card, pageHead, properties, stack } from "../../src/ui/card.ts";
import { checkbox, choiceSet } from "../../src/ui/choice.ts";
import { confirmDialog } from "../../src/ui/dialog.ts";
import { face, tile } from "../../src/ui/face.ts";
import {
  bareSelect,
  csrfField,
  errorSummary,
  passwordField,
  textArea,
  textField,
} from "../../src/ui/form.ts";
import { type Html, html } from "../../src/ui/html.ts";
import { icon } from "../../src/ui/icon.ts";
import { appPage, gatePage } from "../../src/ui/layout.ts";
import { message } from "../../src/ui/message.ts";
import { homeNav, SETTINGS_CRUMB, settingsNav, type Theme } from "../../src/ui/navigation.ts";
import { secretField } from "../../src/ui/secret.ts";
import { stepPager, table } from "../../src/ui/table.ts";
import { timeAgo } from "../../src/ui/time.ts";
import { feed } from "../../src/ui/timeline.ts";
import { dateFilter, headerFilter } from "../../src/ui/toolbar.ts";
import { at, now, viewer } from "./gallery-samples.ts";

/** Sign-in after a wrong password, and the field for a code. */
export function signIn(theme: Theme): Html {
  return gatePage({
    title: "Sign in",
    theme,
    failed: true,
    heading: "Sign in",
    lead: html`to continue to <strong>Relay Console</strong>`,
    body: html`<div class="mt">${message({ kind: "bad", id: "sign-in-error", text: "That username and password don’t match. Try again, or wait a moment." })}</div>
<form class="form mt" method="post" action="/users/sign_in">${csrfField("t")}
${textField({ name: "username", label: "Username or email", value: "maya", autocomplete: "username", spellcheck: false })}
${passwordField({ name: "password", label: "Password", autocomplete: "current-password", error: "Type it again." })}
${checkbox("remember", { value: "true", label: "Keep me signed in for 30 days" })}
${submitButton("Sign in", { tone: "primary", size: "lg block" })}
</form>
<form class="form mt" method="post" action="/users/two_factor">${textField({ name: "code", label: "Code", code: true, inputmode: "numeric", autocomplete: "one-time-code", maxlength: 7, placeholder: "000000", hint: "A new code appears every 30 seconds. Pasting works." })}</form>`,
    below: html`New here? <a href="/users/sign_in">Ask an administrator</a>`,
  });
}

/** Consent to full access. */
export function consent(theme: Theme): Html {
  return gatePage({
    title: "Authorize Relay Console",
    theme,
    centred: true,
    heading: "Relay Console wants to use your account",
    lead: html`Made by <a href="/noor">@noor</a> for relay.example.net. Not made or checked by Gatehouse.`,
    above: html`<div class="handshake" aria-hidden="true">${tile("Relay Console", 4)}<span class="link">${icon("lock", 16)}</span>${tile("Gatehouse", 4)}</div>`,
    body: html`<div class="row spread mt signed-as"><span class="who">${face("Maya Lindqvist", 2)}<span><strong>Maya Lindqvist</strong><br><span class="sub">@maya</span></span></span>${linkButton("Not you?", "/users/sign_in", { size: "sm" })}</div>
<h2 class="mt" id="can">It will be able to</h2>
<ul class="grants mt-s" aria-labelledby="can"><li>${icon("user")}<div>See your profile<small>Name, username, picture, your groups and your roles in them</small></div>${ref("profile")}</li><li class="full">${icon("warn")}<div>Act as you in every project<small>Read and change anything you can reach</small></div>${fullAccessBadge()}</li></ul>
<div class="mt">${message({ kind: "warn", text: "You will be sent to an address that is not encrypted." })}</div>
<details class="more mt"><summary>Technical details</summary>${properties([["Flow", "Authorization code"]])}</details>
<form class="mt" method="post" action="/oauth/authorize">${csrfField("t")}<div class="two-btn">${submitButton("Deny", { size: "lg", name: "decision", value: "deny" })}${submitButton("Authorize", { tone: "primary", size: "lg", name: "decision", value: "allow" })}</div></form>`,
  });
}

/** Applications, with a new secret and a form with errors. */
export function applications(theme: Theme): Html {
  const rows = [
    { name: "Tidewatch Mobile", host: "tidewatch.example.org", scopes: ["read_user", "profile"], people: 0 },
    { name: "Dockyard CI", host: "ci.example.net", scopes: ["api"], people: 14 },
  ];
  const list = table({
    caption: "Your applications",
    columns: [
      {
        head: "Name",
        rowHeader: true,
        cell: (row) =>
          html`<span class="who">${tile(row.name, 2)}<span><a class="title" href="/profile/applications/1">${row.name}</a><br><span class="sub">${row.host}</span></span></span>`,
      },
      { head: "Scopes", cell: (row) => refs(row.scopes) },
      { head: "Authorized by", kind: "num", cell: (row) => `${row.people} people` },
      { head: "Last token", kind: "nowrap", cell: () => timeAgo(at("08:41:00"), now) },
      {
        head: "Actions",
        kind: "act",
        hiddenHead: true,
        cell: (row) =>
          html`<span class="btn-row">${iconLink("pencil", `Edit ${row.name}`, "/profile/applications/1/edit")}${confirmDialog(
            { words: "Delete", about: row.name, icon: "trash", size: "sm" },
            {
              id: `delete-${row.people}`,
              heading: `Delete ${row.name}?`,
              text: `${row.people} people have authorized it. Their tokens stop working at once.`,
              action: "/profile/applications/1/delete",
              csrfToken: "t",
              confirm: "Delete application",
              keep: "Keep it",
            },
          )}</span>`,
      },
    ],
    rows,
  });
  const made = html`<div class="form two">${secretField({ id: "app-id", label: "Application ID", value: "6f0d2c4b9a1e47d38c55be70f1a2d963" })}${secretField({ id: "app-secret", label: "Client secret", value: "gos_7Qm2vXc9LrT4nYw8ZkB1hJ6dPe3sUaFg", badge: badge("Shown once", "brass") })}</div>`;
  const form = html`<form class="form two" method="post" action="/profile/applications">${csrfField("t")}
${errorSummary([{ id: "redirect_uri", label: "Redirect URIs", error: "bad" }])}
${textField({ name: "name", label: "Name", value: "Pilot roster", autocomplete: "off", required: true })}
${textField({ name: "homepage", label: "Home page", note: "optional", type: "url", placeholder: "https://" })}
${textArea({ name: "redirect_uri", label: "Redirect URIs", code: true, rows: 3, full: true, value: "https://roster.example.net/callback", error: "Line 2 uses plain HTTP.", hint: "One per line." })}
${choiceSet({
  name: "scopes",
  legend: "Scopes",
  many: true,
  note: "pick the smallest set that works",
  error: "Choose at least one.",
  choices: [
    { value: "profile", label: "profile", hint: "See the person’s name", checked: true },
    { value: "api", label: "api", badge: fullAccessBadge(), hint: "Read and change everything" },
  ],
})}
${choiceSet({
  name: "confidential",
  legend: "Client type",
  many: false,
  choices: [
    { value: "true", label: "Confidential", hint: "It can keep a secret.", checked: true },
    { value: "false", label: "Public" },
  ],
})}
<div class="btn-row full">${submitButton("Create application", { tone: "primary" })}${linkButton("Cancel", "/profile/applications", { tone: "quiet" })}</div></form>`;
  return appPage({
    title: "Applications",
    viewer: viewer(theme),
    crumbs: [SETTINGS_CRUMB, { label: "Applications" }],
    nav: settingsNav("applications", viewer(theme)),
    messages: [{ kind: "ok", text: "Application created.", dismiss: true }],
    main: html`${pageHead({ heading: "Applications", lead: "Register an application that signs people in through Gatehouse.", actions: [linkButton("New application", "#new", { tone: "primary", icon: "plus" })] })}
${stack([
  card({
    id: "made",
    heading: "Tidewatch Mobile is ready",
    lead: "Copy the secret now.",
    body: made,
    footer: html`<span class="grow">Redirect URI <code>tidewatch://signed-in</code></span>${linkButton("I’ve stored it", "/profile/applications", { size: "sm" })}`,
    once: true,
  }),
  card({ id: "yours", heading: "Your applications", flush: list }),
  card({ id: "new", heading: "New application", body: form }),
])}`,
  });
}

/** A profile with calendar and feed. */
export function profile(theme: Theme): Html {
  const days = Array.from({ length: 365 }, (_, index) => ({
    date: new Date(now.getTime() - index * 86_400_000).toISOString().slice(0, 10),
    count: (index * 7) % 5 === 0 ? (index * 3) % 14 : 0,
  }));
  const who = { name: "Maya Lindqvist", href: "/maya" };
  const items = feed(
    [
      {
        who,
        icon: "commit",
        what: html`pushed 2 commits to ${ref("main")} in <a href="/p">berth-scheduler</a>`,
        at: at("09:05:00"),
        commits: [
          { id: "8e41f0c", title: "Release the roster lock before the export starts", href: "/c" },
          { id: "b27d95a", title: "Count queue depth per quay" },
        ],
      },
      {
        who,
        icon: "comment",
        what: html`commented on issue <a href="/p">#482 Late vessels keep their old berth</a>`,
        quote: "The lock is released now.",
        at: at("08:52:00"),
      },
      {
        who,
        icon: "merge",
        what: html`merged <a href="/p">!207 Read tide tables</a>`,
        at: new Date("2026-11-17T12:00:00Z"),
      },
    ],
    now,
  );
  return appPage({
    title: "Maya Lindqvist",
    viewer: viewer(theme),
    crumbs: [{ label: "Maya Lindqvist" }],
    nav: homeNav(undefined, viewer(theme)),
    main: html`<div class="profile">${face("Maya Lindqvist")}<div><h1>Maya Lindqvist</h1><p class="meta"><span>@maya</span><span>Joined May 2023</span></p></div></div>
${stack([
  contributionCalendar(days, "2026-11-18", "America/New_York"),
  card({
    id: "feed",
    heading: "Activity",
    aside: headerFilter({
      label: "Filter activity",
      action: "/maya",
      filters: [
        bareSelect("action", "Action", undefined, [{ value: "", label: "Every action" }]),
        dateFilter("after", "After", "2026-11-01"),
      ],
    }),
    flush: items,
    footer: html`<span>Events are kept for 2 years.</span>${stepPager({ olderHref: "?b", label: "Activity pages" })}`,
  }),
])}`,
  });
}
