/** Sample pages of a project: integrations, alerts, one alert. */
import { badge, severityBadge, statusBadge } from "../../src/ui/badge.ts";
import { buttonRow, linkButton, submitButton } from "../../src/ui/button.ts";
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
import { switchField } from "../../src/ui/choice.ts";
import { postButton } from "../../src/ui/dialog.ts";
import { face } from "../../src/ui/face.ts";
import { bareSelect, csrfField, selectField, textArea, textField } from "../../src/ui/form.ts";
import { type Html, html } from "../../src/ui/html.ts";
import type { Severity } from "../../src/ui/icon.ts";
import { appPage } from "../../src/ui/layout.ts";
import { projectNav, type Theme } from "../../src/ui/navigation.ts";
import { jsonBlock, secretField } from "../../src/ui/secret.ts";
import { pager, scrollTable, stepPager, table } from "../../src/ui/table.ts";
import { timeAgo, timeDay, timeExact } from "../../src/ui/time.ts";
import { timeline } from "../../src/ui/timeline.ts";
import { bulkBar, filterBar, tick, tickAll } from "../../src/ui/toolbar.ts";
import { at, crumbs, now, project, viewer } from "./gallery-samples.ts";

/** Integrations, with a form and an empty state. */
export function integrations(theme: Theme): Html {
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
${secretField({ id: "url", label: "Address", value: "https://gatehouse.example.com/harbourlight/berth-scheduler/alerts/notify/tide-gauge-relay/0f5c91d2" }, true)}
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

/** The list of alerts, with each severity once. */
export function alerts(theme: Theme): Html {
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
<form method="post" action="/a">${csrfField("t")}${bulkBar("Selected alerts", "With the selected alerts", [submitButton("Resolve", { size: "sm" }), submitButton("Acknowledge", { size: "sm" })])}
${list}</form>`,
    html`<span>1–6 of 23 open. Times are in UTC.</span>${pager({ page: 5, totalPages: 12, hrefFor: (page) => `?page=${page}` })}`,
  ),
])}`,
  });
}

/** One alert with its occurrences and its activity. */
export function alertDetail(theme: Theme): Html {
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
