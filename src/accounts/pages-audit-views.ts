/** Views of audit log entries, in a person's own log and in the administrators'. */
import { type Html, html } from "../ui/html.ts";
import { type Column, stepPager, table } from "../ui/table.ts";
import { exactWords, timeExact } from "../ui/time.ts";
import { type AuditEntry, actorWords, auditWords } from "./audit.ts";

/** Number of entries on a page. */
export const ENTRIES_A_PAGE = 50;

/** Entries, newest first; `everybody` shows the people too. */
export function auditTable(entries: readonly AuditEntry[], everybody: boolean): Html {
  const people: Column<AuditEntry>[] = [
    { head: "By", cell: (entry) => called(actorWords(entry)) },
    {
      head: "About",
      cell: (entry) => called(entry.person || subjectWords(entry)),
    },
  ];
  return table<AuditEntry>({
    caption: "Entries, newest first",
    rows: entries,
    columns: [
      {
        head: "What",
        rowHeader: true,
        cell: (entry) =>
          html`<span class="title">${auditWords(entry.action)}</span>${detailLine(entry, everybody)}`,
      },
      ...(everybody ? people : []),
      { head: "From", cell: ({ ip }) => html`<code>${ip}</code>` },
      { head: "When", kind: "nowrap", cell: ({ at }) => timeExact(at) },
      { head: "Entry", kind: "num", cell: ({ id }) => String(id) },
    ],
  });
}

/** The subject of an action that concerns no person. */
function subjectWords({ action, details }: AuditEntry): string {
  if (/^(settings|master_key)_/.test(action)) return "This Gatehouse";
  if (details.project) return "A project";
  if (details.uid) return "An application";
  return details.group ? "A group" : "Nobody known";
}

/** A username may be long and has no space to wrap at. */
const called = (name: string): Html => html`<span class="called">${name}</span>`;

/** Why a password or a passkey was refused. */
const REASONS: Readonly<Record<string, string>> = {
  unknown: "nobody has this name",
  password: "the password was wrong",
  blocked: "the account is blocked",
  throttled: "after too many tries",
  "two-factor": "two-factor sign-in is on",
  administrator: "administrators are not let in this way",
  question: "not the answer to what was asked",
  key: "the passkey is not known",
  signature: "its signature was wrong",
  verification: "it did not verify its owner",
  counter: "its counter went back, as with a copy",
};

/** Details that read better without their name. */
const detailWords: Readonly<Record<string, (value: string | number) => string>> = {
  administrator: (value) => (value === "yes" ? "as an administrator" : "not an administrator"),
  uid: (value) => `Application ID ${value}`,
  invited_by: (value) => `invited by ${value}`,
  device: (value) => String(value),
  what: (value) => String(value),
  sha256: (value) => `whose SHA-256 begins ${value}`,
  found_at: (value) => `found at ${value}`,
  found_in: (value) => `in ${value}`,
  name: (value) => `“${value}”`,
  with: (value) => `with a ${value} alone`,
  second: (value) => `with a ${value} beside the password`,
  for: (value) => `at ${value}`,
  until: (value) => `until ${/^\d{4}-/.test(String(value)) ? exactWords(new Date(value)) : value}`,
  reason: (value) => REASONS[value] ?? `reason: ${value}`,
};

function detailLine({ details, actor, actorId, userId }: AuditEntry, everybody: boolean): Html | false {
  const told = Object.entries(details).map(
    ([name, value]) => detailWords[name]?.(value) ?? `${name} ${value}`,
  );
  if (!everybody && actor && actorId !== userId) told.push(`by ${actor}`);
  return told.length > 0 && html`<br><span class="sub wrap-any">${told.join(", ")}</span>`;
}

/** The link to older entries, those before the last one shown. */
export function auditPager(
  entries: readonly AuditEntry[],
  hrefOf: (before: number | undefined) => string,
  isFirst: boolean,
): Html {
  const last = entries.length === ENTRIES_A_PAGE ? entries.at(-1) : undefined;
  return stepPager({
    label: "Entries",
    newestHref: isFirst || entries.length === 0 ? undefined : hrefOf(undefined),
    olderHref: last && hrefOf(last.id),
  });
}

/** The number of an entry in an address; undefined if it is malformed. */
export function entryNumber(given: unknown): number | undefined {
  return typeof given === "string" && /^[1-9]\d{0,14}$/.test(given) ? Number(given) : undefined;
}
