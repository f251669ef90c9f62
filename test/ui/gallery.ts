/** Sample pages that hold every part of the house once, with invented data, for the browser to look at. */
import { badge, fullAccessBadge, ref, refs, severityBadge, statusBadge } from "../../src/ui/badge.ts";
import { buttonRow, iconLink, linkButton, submitButton } from "../../src/ui/button.ts";
import { contributionCalendar } from "../../src/ui/calendar.ts";
import {
  bareCard,
  card,
  columns,
  emptyState,
  figures,
  pageHead,
  properties,
  stack,
  tabs,
} from "../../src/ui/card.ts";
import { barChart, chartKeys, type Series, spark } from "../../src/ui/chart.ts";
import { checkbox, choiceSet, switchField } from "../../src/ui/choice.ts";
import { confirmDialog, postButton } from "../../src/ui/dialog.ts";
import { errorPage } from "../../src/ui/error-page.ts";
import { face, tile } from "../../src/ui/face.ts";
import {
  bareSelect,
  csrfField,
  errorSummary,
  passwordField,
  selectField,
  textArea,
  textField,
} from "../../src/ui/form.ts";
import { type Html, html } from "../../src/ui/html.ts";
import { icon, type Severity } from "../../src/ui/icon.ts";
import { appPage, gatePage } from "../../src/ui/layout.ts";
import { message } from "../../src/ui/message.ts";
import { homeNav, projectNav, settingsNav, type Theme, type Viewer } from "../../src/ui/navigation.ts";
import { jsonBlock, secretField } from "../../src/ui/secret.ts";
import { pager, scrollTable, stepPager, table } from "../../src/ui/table.ts";
import { timeAgo, timeDay, timeExact } from "../../src/ui/time.ts";
import { feed, timeline } from "../../src/ui/timeline.ts";
import { bulkBar, dateFilter, filterBar, headerFilter, tick, tickAll } from "../../src/ui/toolbar.ts";

const now = new Date("2026-11-18T09:32:00Z");
const at = (time: string): Date => new Date(`2026-11-18T${time}Z`);
const viewer = (theme: Theme): Viewer => ({
  username: "maya",
  name: "Maya Lindqvist",
  isAdmin: false,
  csrfToken: "token-of-this-session",
  theme,
});
const project = {
  name: "berth-scheduler",
  fullPath: "harbourlight/berth-scheduler",
  namespaceName: "Harbourlight",
  openAlerts: 23,
  openIncidents: 2,
  seesOperations: true,
  seesMembers: true,
  managesSettings: true,
};
const crumbs = [
  { label: "Harbourlight", href: "/harbourlight" },
  { label: "berth-scheduler", href: "/harbourlight/berth-scheduler" },
];

/** The pages of the gallery by name, painted in a theme. */
export const gallery: Record<string, (theme: Theme) => Html> = {
  "sign-in": signIn,
  consent,
  error: (theme) => errorPage({ status: 404, requestId: "req-7f3a", theme }),
  applications,
  integrations,
  alerts,
  "alert-detail": alertDetail,
  profile,
  visitor: (theme) =>
    appPage({
      title: "Projects",
      theme,
      viewer: undefined,
      crumbs: [{ label: "Projects" }],
      main: html`${pageHead({ heading: "Projects" })}${card({ id: "none", heading: "Public projects", flush: emptyState({ heading: "No public projects", text: "Projects that everyone may see will stand here.", action: linkButton("Sign in", "/users/sign_in") }) })}`,
    }),
};

function signIn(theme: Theme): Html {
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

function consent(theme: Theme): Html {
  return gatePage({
    title: "Authorize Relay Console",
    theme,
    centred: true,
    heading: "Relay Console wants to use your account",
    lead: html`Made by <a href="/noor">@noor</a> for relay.example.net. Not made or checked by Gatehouse.`,
    above: html`<div class="handshake" aria-hidden="true">${tile("Relay Console", 4)}<span class="link">${icon("lock", 16)}</span>${tile("Gatehouse", 4)}</div>`,
    body: html`<div class="row spread mt signed-as"><span class="who">${face("Maya Lindqvist", 2)}<span><strong>Maya Lindqvist</strong><br><span class="sub">@maya</span></span></span>${linkButton("Not you?", "/users/sign_in", { size: "sm" })}</div>
<h2 class="mt" id="can">It will be able to</h2>
<ul class="grants mt-s" aria-labelledby="can"><li>${icon("user")}<div>See your profile<small>Name, username and picture</small></div>${ref("profile")}</li><li class="full">${icon("warn")}<div>Act as you in every project<small>Read and change anything you can reach</small></div>${fullAccessBadge()}</li></ul>
<div class="mt">${message({ kind: "warn", text: "You will be sent to an address that is not encrypted." })}</div>
<details class="more mt"><summary>Technical details</summary>${properties([["Flow", "Authorization code"]])}</details>
<form class="mt" method="post" action="/oauth/authorize">${csrfField("t")}<div class="two-btn">${submitButton("Deny", { size: "lg", name: "decision", value: "deny" })}${submitButton("Authorize", { tone: "primary", size: "lg", name: "decision", value: "allow" })}</div></form>`,
  });
}

function applications(theme: Theme): Html {
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
            { words: "Delete", about: row.name, icon: "trash", iconOnly: true },
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
    crumbs: [{ label: "Settings", href: "/profile/applications" }, { label: "Applications" }],
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

function integrations(theme: Theme): Html {
  const list = table({
    caption: "Alert integrations",
    columns: [
      {
        head: "Name",
        rowHeader: true,
        cell: (row) =>
          html`<a class="title" href="/x">${row.name}</a><br><span class="sub">Any tool that can send JSON</span>`,
      },
      { head: "Type", cell: () => badge("Generic", "line") },
      { head: "Last alert", kind: "nowrap", cell: () => timeAgo(at("09:30:00"), now) },
      {
        head: "Two weeks",
        cell: () => spark([0, 0, 11, 7, 4, 12, 3, 8, 6, 8, 15, 14, 3, 5], "About 7 alerts a day"),
      },
      {
        head: "Status",
        cell: (row) => (row.on ? statusBadge("Enabled", "ok") : statusBadge("Disabled", "plain")),
      },
      {
        head: "Actions",
        kind: "act",
        hiddenHead: true,
        cell: (row) =>
          html`<span class="btn-row">${postButton("/x", "t", submitButton(row.on ? "Disable" : "Enable", { size: "sm" }))}</span>`,
      },
    ],
    rows: [
      { name: "Default endpoint", on: true },
      { name: "Yard sensors", on: false },
    ],
  });
  const form = html`<form class="form two" method="post" action="/x">${csrfField("t")}
${selectField({
  name: "type",
  label: "Integration type",
  value: "http",
  options: [
    { value: "generic", label: "Generic" },
    { value: "http", label: "HTTP endpoint" },
  ],
})}
${textField({ name: "integration_name", label: "Name", value: "Tide gauge relay", autocomplete: "off" })}
<div class="full">${switchField("active", "Active", { checked: true, hint: "accept alerts at the address below" })}</div>
${secretField({ id: "url", label: "Webhook URL", value: "https://gatehouse.example.com/harbourlight/berth-scheduler/alerts/notify/tide-gauge-relay/0f5c91d2" }, true)}
${secretField({ id: "key", label: "Authorization key", value: "gak_c8Vt2Rk7Nq4Zx1Jm9WbE5LsY3HdPuG6f", masked: true, hint: "Send it as a bearer token." }, true)}
<div class="btn-row full">${submitButton("Save integration", { tone: "primary" })}${submitButton("Save and send test alert", { icon: "send" })}</div></form>`;
  return appPage({
    title: "Operations · berth-scheduler",
    viewer: viewer(theme),
    crumbs: [...crumbs, { label: "Operations" }],
    nav: projectNav("operations", project),
    main: html`${pageHead({ heading: "Operations" })}
${tabs("Operations settings", [
  { label: "Alerts", href: "/a", current: true },
  { label: "Incidents", href: "/b" },
])}
${stack([
  card({
    id: "list",
    heading: "Alert integrations",
    lead: "Sources that may create alerts.",
    flush: list,
    aside: linkButton("Add integration", "#form", { tone: "primary", icon: "plus" }),
    footer: html`<span class="grow">External alerting tool ${badge("Deprecated", "brass")} is off.</span>`,
  }),
  card({ id: "form", heading: "New integration", body: form }),
  card({
    id: "mail",
    heading: "Notify by email",
    flush: emptyState({
      heading: "Nobody is told yet",
      text: "Pick people to hear about new critical alerts.",
      action: linkButton("Choose who hears", "/x"),
    }),
  }),
])}`,
  });
}

const series: Series[] = [
  { label: "Critical", tone: "crit" },
  { label: "High", tone: "high" },
  { label: "Medium", tone: "med" },
  { label: "Low and below", tone: "low" },
];

function alerts(theme: Theme): Html {
  const severities: Severity[] = ["critical", "high", "medium", "low", "info", "unknown"];
  const rows = severities.map((severity, index) => ({ severity, iid: 1048 - index, count: 47 - index * 9 }));
  const list = table({
    caption: "Open alerts",
    look: "cards alerts",
    columns: [
      {
        head: "Pick",
        kind: "pick",
        headControl: tickAll("iids[]"),
        cell: (row) => tick("iids[]", `${row.iid}`, `Select alert ${row.iid}`),
      },
      {
        head: "Severity",
        kind: "sev",
        sort: { href: "?sort=severity_asc", now: "descending" },
        cell: (row) => severityBadge(row.severity),
      },
      {
        head: "Alert",
        kind: "main",
        rowHeader: true,
        cell: (row) =>
          html`<a class="title" href="/a/${row.iid}">Berth allocation queue is not draining</a><span class="meta"><span>#${row.iid}</span><span>berth-allocator</span><span>production</span><span><a href="/i">Incident #214</a></span></span>`,
      },
      {
        head: "Occurrences",
        kind: "occ-cell",
        cell: (row) =>
          html`<span class="occ">${spark([0, 1, 3, 2, 3, 5, 3, 8, 7, 5, 6, 4], "Spread over the last 12 hours")}<span class="count${row.count === 1 ? " one" : ""}">${row.count}</span></span>`,
      },
      { head: "Started", kind: "nowrap drop", sort: { href: "?sort=started_at_asc" }, cell: () => "07:18" },
      { head: "Last seen", kind: "nowrap seen sub", cell: () => timeAgo(at("09:21:00"), now) },
      {
        head: "Assignee",
        kind: "drop",
        hiddenHead: true,
        cell: () => html`<span class="who">${face("Ines Okafor")}<span class="sr">Ines Okafor</span></span>`,
      },
    ],
    rows,
  });
  const bars = Array.from({ length: 24 }, (_, hour) => ({
    label: `${String(hour).padStart(2, "0")}:00`,
    values: [hour % 5, (hour * 3) % 7, (hour * 2) % 4, hour % 3],
  }));
  return appPage({
    title: "Alerts · berth-scheduler",
    viewer: viewer(theme),
    crumbs: [...crumbs, { label: "Alerts" }],
    nav: projectNav("alerts", project),
    main: html`${pageHead({ heading: "Alerts", actions: [linkButton("Integrations", "/x", { icon: "link" })] })}
${stack([
  figures([
    { label: "Open alerts", value: 23 },
    { label: "Critical, open", value: 2 },
    { label: "Occurrences, 24 h", value: 213 },
    { label: "Median time to resolve", value: 34, unit: "min" },
  ]),
  card({
    id: "hours",
    heading: "Occurrences by hour",
    aside: chartKeys(series),
    body: barChart({
      label: "213 occurrences in the last 24 hours.",
      per: "Hour",
      series,
      bars,
      axis: ["00:00", "06:00", "12:00", "18:00", "now"],
    }),
  }),
  bareCard(
    "Alert list",
    html`${tabs(
      "Alert status",
      [
        { label: "Open", href: "?a", count: 23, current: true },
        { label: "Resolved", href: "?b", count: 412 },
        { label: "All", href: "?c", count: 435 },
      ],
      true,
    )}
${filterBar({ label: "Filter alerts", action: "/a", keep: { sort: "x" }, search: { name: "search", placeholder: "Title, service, host or fingerprint", label: "Filter by text" }, filters: [bareSelect("severity", "Severity", undefined, [{ value: "", label: "Any severity" }]), bareSelect("environment", "Environment", undefined, [{ value: "", label: "Any environment" }]), bareSelect("integration", "Integration", undefined, [{ value: "", label: "Any integration" }])] })}
<form method="post" action="/a">${csrfField("t")}${bulkBar("Selected alerts", "With the ticked alerts", [submitButton("Resolve", { size: "sm" }), submitButton("Acknowledge", { size: "sm" })])}
${list}</form>`,
    html`<span>1–6 of 23 open. Times are in UTC.</span>${pager({ page: 5, totalPages: 12, hrefFor: (page) => `?page=${page}` })}`,
  ),
])}`,
  });
}

function alertDetail(theme: Theme): Html {
  const occurrences = scrollTable({
    caption: "Occurrence table",
    columns: [
      { head: "Received", rowHeader: true, cell: () => timeExact(at("09:30:12")) },
      { head: "Hosts", cell: () => html`<code class="nowrap">alloc-03</code>` },
      { head: "queue_depth", kind: "num", cell: (row) => row },
    ],
    rows: [212, 208, 197],
  });
  const story = timeline([
    {
      mark: { icon: "bell", tone: "crit" },
      what: html`Opened by <strong>Lookout EU-1</strong>`,
      when: timeAgo(at("07:18:00"), now),
    },
    {
      by: "Ines Okafor",
      what: html`<a class="title" href="/ines">Ines Okafor</a> commented`,
      when: timeAgo(at("08:44:00"), now),
      quote: "Worker 2 was stuck.",
    },
  ]);
  return appPage({
    title: "Berth allocation queue is not draining · Alert 1048",
    viewer: viewer(theme),
    crumbs: [...crumbs, { label: "Alerts", href: "/a" }, { label: "#1048" }],
    nav: projectNav("alerts", project),
    main: html`${pageHead({ heading: "Berth allocation queue is not draining", above: html`${severityBadge("critical")}${statusBadge("Open", "critical")}<span class="sub">#1048, opened ${timeExact(at("07:18:00"))}</span>`, actions: [postButton("/a", "t", submitButton("Resolve", { tone: "primary", icon: "check" }))] })}
${figures([
  { label: "Occurrences", value: 47 },
  { label: "Open for", value: "2 h 14", unit: "min" },
])}
<div class="mt">${columns(
      [
        card({
          id: "occurrences",
          heading: "Occurrences",
          aside: badge("5 minute bars", "line"),
          body: barChart({
            label: "47 occurrences since 07:18.",
            per: "Time",
            series: [{ label: "Occurrences", tone: "acc" }],
            bars: [3, 0, 8, 5, 12, 1].map((value, index) => ({ label: `07:${index}5`, values: [value] })),
            axis: ["07:18", "09:32"],
          }),
          footer: html`<span>Newest 3 of 47</span>${stepPager({ olderHref: "?o", label: "Occurrence pages" })}`,
        }),
        card({ id: "table", heading: "Last occurrences", flush: occurrences }),
        card({
          id: "activity",
          heading: "Activity",
          body: html`${story}<form class="form mt" method="post" action="/a">${csrfField("t")}${textArea({ name: "note", label: "Add a comment", rows: 3 })}${buttonRow([submitButton("Comment")])}</form>`,
        }),
      ],
      [
        card({
          id: "details",
          heading: "Details",
          body: properties([
            ["Assignee", html`<a class="who" href="/ines">${face("Ines Okafor", 1)}Ines Okafor</a>`],
            ["Service", "berth-allocator"],
            ["Started", timeDay(at("07:18:00"))],
            ["Nothing", undefined],
          ]),
        }),
        card({
          id: "payload",
          heading: "Last payload",
          body: jsonBlock("json", "Last payload", {
            title: "Queue",
            severity: "critical",
            depth: 212,
            hosts: ["a"],
            note: 'say "hi"</pre>',
          }),
        }),
      ],
    )}</div>`,
  });
}

function profile(theme: Theme): Html {
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
  contributionCalendar(days, "2026-11-18"),
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
