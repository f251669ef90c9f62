/** What each UI part renders: names, roles, links between label, hint and error, and the given values. */
import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { test } from "node:test";
import fc from "fast-check";
import { severityBadge } from "../../src/ui/badge.ts";
import { contributionCalendar, levelOf, weeksUpTo } from "../../src/ui/calendar.ts";
import { figures, pageHead, properties, tabs } from "../../src/ui/card.ts";
import { barChart, spark } from "../../src/ui/chart.ts";
import { type Choice, choiceSet } from "../../src/ui/choice.ts";
import { confirmDialog, postButton } from "../../src/ui/dialog.ts";
import { hueOf, initialsOf } from "../../src/ui/face.ts";
import {
  csrfField,
  errorSummary,
  faultOf,
  passwordField,
  postForm,
  selectField,
  textArea,
  textField,
} from "../../src/ui/form.ts";
import { html } from "../../src/ui/html.ts";
import type { Severity } from "../../src/ui/icon.ts";
import { message } from "../../src/ui/message.ts";
import { passkeyForm } from "../../src/ui/passkey-form.ts";
import { jsonBlock, maskOf, secretField } from "../../src/ui/secret.ts";
import { pageNumbers, pager, scrollTable, table } from "../../src/ui/table.ts";
import { agoWords, dayHeading, durationWords, exactWords, secondWords, timeAgo } from "../../src/ui/time.ts";
import { feed } from "../../src/ui/timeline.ts";

const now = new Date("2026-11-18T09:32:00Z");

test("the errors of a field are one sentence with one period, also if an error already ends with one (WCAG 3.3.1; decision 0121)", () => {
  const faults = {
    name: ["is too short", "is no name"],
    visibility_level: ["public is not allowed in a private group."],
    path: [],
  };
  assert.equal(faultOf(faults, "name", "Name"), "Name is too short, is no name.");
  assert.equal(
    faultOf(faults, "visibility_level", "Visibility"),
    "Visibility public is not allowed in a private group.",
  );
  assert.equal(faultOf(faults, "path", "Path"), undefined);
});

test("a field with an error is marked invalid, refers to its error and its hint, and keeps the input (WCAG 3.3.1, 1.3.1)", () => {
  const field = String(
    textField({ name: "name", label: "Name", value: 'a"b', error: "Too short.", hint: "Hint." }),
  );
  assert.match(field, /<label for="name">Name<\/label>/);
  assert.match(field, /value="a&quot;b"/);
  assert.match(field, /aria-invalid="true" aria-describedby="name-err name-hint"/);
  assert.match(
    field,
    /<p class="err" id="name-err">.*Too short\.<\/p><p class="hint" id="name-hint">Hint\.<\/p>/,
  );
});

test("a field without an error has no aria attributes for one (WCAG 3.3.1)", () => {
  assert.doesNotMatch(String(textField({ name: "name", label: "Name" })), /aria-|err/);
});

test("a text area keeps a leading line break, because HTML drops the first one (HTML §13.1.2.5)", () => {
  assert.match(String(textArea({ name: "t", label: "T", value: "\n<b>" })), />\n\n&lt;b&gt;<\/textarea>/);
});

test("a password field never has a value (its docstring in src/ui/form.ts)", () => {
  const given = { name: "p", label: "P", autocomplete: "current-password" as const, value: "hunter2" };
  assert.doesNotMatch(String(passwordField(given)), /hunter2/);
});

test("a password field hides what is typed, tells password managers its purpose, and takes what is pasted, of any length (ASVS 6.2.6, 6.2.7, 6.2.9)", () => {
  for (const autocomplete of ["current-password", "new-password"] as const) {
    const markup = String(passwordField({ name: "p", label: "P", autocomplete }));
    assert.match(
      markup,
      new RegExp(`<input class="input" name="p" type="password" autocomplete="${autocomplete}"`),
    );
    assert.doesNotMatch(markup, /maxlength|readonly|onpaste|pattern/);
  }
});

test("a select marks only the chosen option (HTML, the option element: selected)", () => {
  const options = ["a", "b"].map((value) => ({ value, label: value }));
  const markup = String(selectField({ name: "s", label: "S", value: "b", options }));
  assert.match(markup, /<option value="a">a<\/option><option value="b" selected>b<\/option>/);
});

test("a set of choices is a fieldset with its legend, its error and the checked values (WCAG 1.3.1, 3.3.1)", () => {
  const choices = [
    { value: "x", label: "X", checked: true },
    { value: "y", label: "Y" },
  ];
  const markup = String(choiceSet({ name: "c", legend: "Pick", many: true, choices, error: "Pick one." }));
  assert.match(markup, /<fieldset[^>]* id="c"[^>]* aria-describedby="c-err"><legend class="label">Pick/);
  assert.match(
    markup,
    /<input type="checkbox" name="c" value="x" checked>.*<input type="checkbox" name="c" value="y">/,
  );
});

test("many short choices are side by side, and grouped ones are below the heading of their group (WCAG 1.3.1; docstring in src/ui/choice.ts)", () => {
  const set = (choices: readonly Choice[]) =>
    String(choiceSet({ name: "c", legend: "Pick", many: true, choices }));
  const words = ["a", "b", "c", "d"].map((value) => ({ value, label: value }));
  assert.match(set(words), /class="checks short/);
  assert.match(set(words.map((one) => ({ ...one, hint: "why" }))), /class="checks mt-s"/);
  const grouped = set(words.map((one, at) => ({ ...one, group: at < 2 ? "First" : "Last" })));
  assert.match(grouped, /role="group" aria-label="First">.*value="b".*aria-label="Last">.*value="c"/);
});

test("a long heading has its own line, without buttons beside it (docstring of LONG_HEADING in src/ui/card.ts)", () => {
  assert.match(String(pageHead({ heading: "x".repeat(81) })), /class="page-head long"/);
  assert.match(String(pageHead({ heading: "x".repeat(80) })), /class="page-head">/);
});

test("a huge JSON value is shown completely, without syntax colours (decision 0303; docstring in src/ui/secret.ts)", () => {
  const whole = Array.from({ length: 6000 }, (_one, at) => `part ${at}`);
  const markup = String(jsonBlock("j", "Payload", whole));
  assert.doesNotMatch(markup, /<span/);
  assert.match(markup, /part 5999/);
  assert.match(String(jsonBlock("j", "Payload", ["part"])), /<span class="s">/);
});

test("a JSON value never takes much more of a page than its own length, however it nests (reference ux §7)", () => {
  const deep = JSON.parse(`${"[".repeat(96)}${"1,".repeat(50_000)}1${"]".repeat(96)}`);
  const block = (value: unknown) => String(jsonBlock("j", "Payload", value));
  assert.ok(block(deep).includes(JSON.stringify(deep)));
  assert.ok(block(deep).length < 110_000);
  assert.doesNotMatch(block(deep), /are shown/);
  assert.match(
    block("x".repeat(300_000)),
    /^<pre[^>]*>&quot;x{262143}<\/pre><p class="sub">The first 262,144 characters are shown\.<\/p>$/,
  );
});

test("the error summary links to each invalid field and is absent without errors (WCAG 3.3.1)", () => {
  const fields = [
    { id: "a", label: "First", error: "x" },
    { id: "b", label: "Second" },
    { id: "c", label: "Third", error: "y" },
  ];
  const markup = String(errorSummary(fields));
  assert.match(
    markup,
    /role="alert".*2 things need fixing: <a href="#a">First<\/a>, <a href="#c">Third<\/a>/,
  );
  assert.equal(String(errorSummary([{ id: "b", label: "Second" }])), "");
});

test("every form that posts to the service includes the CSRF token (reference reliability S65)", async () => {
  const field = String(csrfField('t"'));
  assert.equal(field, '<input type="hidden" name="csrf_token" value="t&quot;">');
  const question = {
    id: "d",
    heading: "H",
    text: "T",
    action: "/x",
    csrfToken: 't"',
    confirm: "Yes",
    keep: "No",
  };
  assert.ok(String(confirmDialog({ words: "Delete", about: "X" }, question)).includes(field));
  assert.ok(String(postButton("/x", 't"', html``)).includes(field));
  assert.ok(String(postForm({ action: "/x", csrfToken: 't"' }, html``, html``)).includes(field));
  const passkey = { kind: "get", options: "/o", action: "/x", csrfToken: 't"', button: "Go" } as const;
  assert.ok(String(passkeyForm(passkey)).includes(field));

  const withoutToken: string[] = [];
  let forms = 0;
  for await (const name of glob("src/**/*.ts")) {
    const source = await readFile(name, "utf8");
    for (const { index } of source.matchAll(/method="post"/g)) {
      forms += 1;
      const form = source.slice(index, source.indexOf("</form>", index));
      if (!form.includes("${csrfField(")) withoutToken.push(name);
    }
  }
  assert.ok(forms > 50, `${forms} forms`);
  // Its form leads to an application, which must not get the token.
  assert.deepEqual(withoutToken, ["src/oauth/pages-consent.ts"]);
});

test("errors are announced as alerts and results as status messages, and warnings are not announced (WCAG 4.1.3)", () => {
  assert.match(String(message({ kind: "bad", text: "<" })), /class="msg bad" role="alert">.*<p>&lt;<\/p>/);
  assert.match(String(message({ kind: "ok", text: "" })), /role="status"/);
  assert.doesNotMatch(String(message({ kind: "warn", text: "" })), /role=/);
});

test("each severity has its own shape and its word (WCAG 1.4.1)", () => {
  const all: Severity[] = ["critical", "high", "medium", "low", "info", "unknown"];
  const shapes = all.map((severity) => {
    const found = /class="badge (\w+)"><svg[^>]*>(.*)<\/svg>(\w+)<\/span>/.exec(
      String(severityBadge(severity)),
    );
    assert.equal(found?.[1], severity);
    assert.equal(found?.[3]?.toLowerCase(), severity);
    return found?.[2];
  });
  assert.equal(new Set(shapes).size, all.length);
});

test("a table states its roles and labels its cells for the stacked layout (WCAG 1.3.1)", () => {
  const columns = [
    { head: "Name", rowHeader: true, cell: (row: string) => row },
    { head: "Count", kind: "num" as const, cell: () => 3 },
    { head: "Actions", kind: "act" as const, hiddenHead: true, cell: () => "" },
  ];
  const markup = String(table({ caption: "Things", columns, rows: ["<a>"] }));
  assert.match(markup, /<caption class="sr">Things<\/caption>/);
  assert.match(
    markup,
    /<th role="rowheader" scope="row">&lt;a&gt;<\/th><td role="cell" class="num" data-label="Count">3<\/td>/,
  );
  assert.match(markup, /<td role="cell" class="act"><\/td>/);
});

test("a table whose headers are all hidden has no empty row in their place (reference ux, design)", () => {
  const hidden = { head: "Page", hiddenHead: true, rowHeader: true, cell: (row: string) => row };
  const about = { head: "About", cell: () => "x" };
  const headOf = (columns: Parameters<typeof table<string>>[0]["columns"]) =>
    /<thead[^>]*>/.exec(String(table({ caption: "Pages", columns, rows: ["one"] })))?.[0];
  assert.equal(headOf([hidden, { ...about, hiddenHead: true }]), '<thead role="rowgroup" class="sr">');
  assert.equal(headOf([hidden, about]), '<thead role="rowgroup">');
});

test("a cell with several lines is wrapped in one element, so that they stay below each other on a phone (ux §5)", () => {
  const columns = [
    { head: "Name", rowHeader: true, cell: (row: string) => row },
    { head: "Result", cell: () => html`Waiting<br><span class="sub">No answer</span>` },
  ];
  const markup = String(table({ caption: "Things", columns, rows: ["one"] }));
  assert.match(
    markup,
    /data-label="Result"><div>Waiting<br><span class="sub">No answer<\/span><\/div><\/td>/,
  );
});

test("a pager shows the first and last page and the neighbours, and no gap of a single page (docstring of pageNumbers in src/ui/table.ts)", () => {
  assert.deepEqual(pageNumbers(1, 1), [1]);
  assert.deepEqual(pageNumbers(5, 12), [1, undefined, 4, 5, 6, undefined, 12]);
  assert.deepEqual(pageNumbers(4, 7), [1, 2, 3, 4, 5, 6, 7]);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 60 }), (page, total) => {
      const numbers = pageNumbers(Math.min(page, total), total);
      assert.ok(numbers.includes(Math.min(page, total)) && numbers.includes(1) && numbers.at(-1) === total);
      numbers.forEach((number, index) => {
        const before = numbers[index - 1];
        if (number !== undefined && before !== undefined) assert.equal(number, before + 1);
      });
    }),
  );
});

test("a pager marks the current page and has no links past the ends, and is absent for a single page (WAI-ARIA 1.2, aria-current; its docstring in src/ui/table.ts)", () => {
  const markup = String(pager({ page: 1, totalPages: 2, hrefFor: (page) => `?page=${page}&q=<` }));
  assert.match(markup, /<a href="\?page=1&amp;q=&lt;" aria-current="page">1<\/a>/);
  assert.match(markup, /<span class="quiet-text">.*Previous<\/span>/);
  assert.equal(String(pager({ page: 1, totalPages: 1, hrefFor: () => "" })), "");
});

test("a pager past the end links back to the last page (reference ux §8)", () => {
  const markup = String(pager({ page: 900, totalPages: 3, hrefFor: (page) => `?page=${page}` }));
  assert.match(markup, /<a href="\?page=3">.*Previous<\/a>/);
  assert.match(markup, /<span class="quiet-text">Next/);
});

test("the current tab has aria-current (WAI-ARIA 1.2, aria-current)", () => {
  const markup = String(
    tabs("T", [
      { label: "A", href: "/a", current: true },
      { label: "B", href: "/b", count: 0 },
    ]),
  );
  assert.match(
    markup,
    /<a href="\/a" aria-current="page">A<\/a><a href="\/b">B <span class="n">0<\/span><\/a>/,
  );
});

test("counts are shown with thousands separators, and numbers that identify something are not (ux §1, i18n)", () => {
  const columns = [
    { head: "Entry", rowHeader: true, cell: () => "3702000" },
    { head: "Seen", cell: (row: number) => row },
  ];
  const made = { caption: "C", columns, rows: [3_702_000] };
  for (const markup of [String(table(made)), String(scrollTable(made))]) {
    assert.match(markup, /<th[^>]*>3702000<\/th>/);
    assert.match(markup, /<td[^>]*>3,702,000<\/td>/);
  }
  assert.match(String(figures([{ label: "Open", value: 3001 }])), /<dd>3,001<\/dd>/);
  assert.match(String(figures([{ label: "Code", value: "3001" }])), /<dd>3001<\/dd>/);
  assert.match(
    String(tabs("T", [{ label: "All", href: "/a", count: 1000 }])),
    /<span class="n">1,000<\/span>/,
  );
});

test("properties without a value are omitted (its docstring in src/ui/card.ts)", () => {
  assert.equal(String(properties([["A", undefined]])), '<dl class="props"></dl>');
});

test("a masked secret shows only its prefix and its end (reference ux §4; its docstring in src/ui/secret.ts)", () => {
  assert.equal(maskOf("gak_c8Vt2Rk7"), "gak_•••t2Rk7");
  assert.equal(maskOf("abc"), "•••");
  assert.equal(maskOf("gak_abc"), "gak_•••");
  const markup = String(secretField({ id: "k", label: "Key", value: 'a"<bcdefgh', masked: true }));
  assert.match(
    markup,
    /<code id="k" aria-labelledby="k-label" data-value="a&quot;&lt;bcdefgh">•••••defgh<\/code>/,
  );
});

test("a JSON block shows every value unchanged (decision 0303)", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = String(jsonBlock("j", "J", value))
        .replace(/<\/?(?:pre|span)[^>]*>/g, "")
        .replaceAll("&lt;", "<")
        .replaceAll("&gt;", ">")
        .replaceAll("&quot;", '"')
        .replaceAll("&#39;", "'")
        .replaceAll("&amp;", "&");
      assert.deepEqual(text, JSON.stringify(value, null, 2));
    }),
  );
});

test("a time is shown as relative or short text, with the exact time in UTC as its title (reference ux §5)", () => {
  const words: [string, string][] = [
    ["2026-11-18T09:31:30Z", "just now"],
    ["2026-11-18T09:30:00Z", "2 min ago"],
    ["2026-11-18T08:12:00Z", "1 h ago"],
    ["2026-11-17T08:12:00Z", "Yesterday"],
    ["2026-11-17T00:00:00Z", "Yesterday"],
    ["2026-11-16T23:59:59Z", "1 day ago"],
    ["2026-11-15T09:12:00Z", "3 days ago"],
    ["2026-10-02T15:20:00Z", "2 Oct"],
    ["2025-10-02T15:20:00Z", "2 Oct 2025"],
    ["2026-11-21T09:33:00Z", "in 3 days"],
  ];
  for (const [at, expected] of words) assert.equal(agoWords(new Date(at), now), expected);
  assert.equal(
    String(timeAgo(new Date("2026-11-18T09:29:59.250Z"), now)),
    '<time datetime="2026-11-18T09:29:59Z" title="18 Nov 2026, 09:29:59 UTC">2 min ago</time>',
  );
  assert.equal(durationWords(8040), "2 h 14 min");
  const at = new Date("2026-11-18T07:18:09Z");
  assert.deepEqual([exactWords(at), secondWords(at)], ["18 Nov 2026, 07:18 UTC", "18 Nov 2026, 07:18:09"]);
});

test("the entries of a feed are under headings of their days in UTC (reference ux §5, §6)", () => {
  assert.equal(dayHeading(new Date("2026-11-17T23:59:59Z"), now), "Yesterday, 17 November");
  const at = (time: string) => ({
    who: { name: "<M>" },
    icon: "commit" as const,
    what: "<x>",
    at: new Date(time),
  });
  const markup = String(
    feed([at("2026-11-18T01:00:00Z"), at("2026-11-18T00:00:00Z"), at("2026-11-17T23:59:59Z")], now),
  );
  assert.equal(markup.match(/class="day"/g)?.length, 2);
  assert.match(markup, /&lt;M&gt;<\/span> &lt;x&gt;/);
  assert.match(markup, />23:59 UTC<\/time>/, "the time zone is stated (reference ux §5)");
});

test("the calendar has 365 days in weeks from Monday, and a summary that counts them (reference ux §5; decision 0261)", () => {
  const weeks = weeksUpTo("2026-11-18");
  assert.equal(weeks.flat().filter(Boolean).length, 365);
  assert.ok(weeks.every((week) => week.length === 7));
  assert.equal(weeks.at(-1)?.[2], "2026-11-18");
  assert.deepEqual([0, 1, 2, 3, 5, 6, 9, 10].map(levelOf), [0, 1, 1, 2, 2, 3, 3, 4]);
  const days = [
    { date: "2026-11-17", count: 9 },
    { date: "2026-11-18", count: 1 },
    { date: "2020-01-01", count: 50 },
  ];
  const markup = String(contributionCalendar(days, "2026-11-18", "America/New_York"));
  assert.match(
    markup,
    /10 contributions in the last year<\/h2><p>2 active days\. Busiest was 17 Nov with 9\. Days are those of America\/New York\./,
  );
  assert.match(markup, /<td class="l1 today" title="1 on 18 Nov">1<\/td>/);
  const linked = contributionCalendar(days, "2026-11-18", "America/New_York", (date) => `/max?on=${date}`);
  assert.match(
    String(linked),
    /<td class="l3"><a href="\/max\?on=2026-11-17" title="9 on 17 Nov"><\/a><\/td>/,
    "the title is the name of the link, and the words under the pointer",
  );
});

test("a chart has a text alternative, a bar for each value above zero, and a table of its numbers (WCAG 1.1.1)", () => {
  const series = [
    { label: "High", tone: "high" as const },
    { label: "Low", tone: "low" as const },
  ];
  const bars = [
    { label: "09:00", values: [2, 0] },
    { label: "10:00", values: [1, 5] },
  ];
  const markup = String(
    barChart({ label: "8 <in all>.", per: "Hour", series, bars, axis: ["09:00", "now"] }),
  );
  assert.match(markup, /role="img" aria-label="8 &lt;in all&gt;\."/);
  const drawn = (tone: string) =>
    markup.match(new RegExp(`<path class="f-${tone}" d="([^"]*)"/>`))?.[1] ?? "";
  assert.equal(drawn("high").match(/M/g)?.length, 2);
  assert.equal(drawn("low").match(/M/g)?.length, 1);
  assert.match(markup, /<tbody class="num">.*<th scope="row">10:00<\/th><td>1<\/td><td>5<\/td>/);
  assert.doesNotMatch(String(spark([], "None")) + String(spark([0], "None")), /NaN|Infinity/);
  assert.equal(
    String(spark([0, 1, 5], "Six"))
      .match(/fill="currentColor" d="([^"]*)"/)?.[1]
      ?.match(/M/g)?.length,
    2,
  );
});

test("a name always has the same colour, and initials that are never empty (its docstrings in src/ui/face.ts)", () => {
  assert.equal(hueOf("Maya Lindqvist"), 6);
  assert.equal(initialsOf("Maya van Lindqvist"), "ML");
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (name) => {
      assert.ok(hueOf(name) >= 1 && hueOf(name) <= 6);
      assert.notEqual(initialsOf(name), "");
    }),
  );
});
