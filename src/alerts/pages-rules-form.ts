/** The form of an integration's reading rules: its typed values, its fields, and their parsing. */
import type { FastifyRequest } from "fastify";
import { formText } from "../platform/form-text.ts";
import { textArea, textField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import type { Integration } from "./integration.ts";
import { faultWords } from "./pages-frame.ts";
import { type FormFaults, sampleMark } from "./pages-integration-form.ts";
import { LEFT_OUT, payloadText } from "./pages-large-texts.ts";
import { MAPPED_FIELDS, type Mapping, mappingFault, pathsFault } from "./reading-rules.ts";
import { TABLED_FIELDS, tableOf, tableText, type ValueTables, valueTablesFault } from "./value-tables.ts";

export interface RulesForm {
  /** By field, paths separated by commas. */
  paths: Readonly<Record<string, string>>;
  /** By field, lines such as `p1 = critical`. */
  tables: Readonly<Record<string, string>>;
  groupBy: string;
  ignore: string;
  sample: string;
}

export interface TypedRules {
  mapping: Mapping | null;
  valueTables: ValueTables | null;
  groupBy: string[];
  ignore: string[];
}

/** Reads the form of a request. */
export function rulesForm(request: FastifyRequest): RulesForm {
  const texts = (names: readonly string[], prefix: string) =>
    Object.fromEntries(names.map((name) => [name, formText(request, prefix + name)]));
  return {
    paths: texts(MAPPED_FIELDS, "path_"),
    tables: texts(TABLED_FIELDS, "table_"),
    groupBy: formText(request, "group_by"),
    ignore: formText(request, "ignore"),
    sample: formText(request, "payload_example"),
  };
}

/** Returns the form filled with the current rules. */
export function filledRules({
  mapping,
  valueTables,
  groupBy,
  ignore,
  payloadExample,
}: Integration): RulesForm {
  return {
    paths: Object.fromEntries(MAPPED_FIELDS.map((field) => [field, (mapping?.[field] ?? []).join(", ")])),
    tables: Object.fromEntries(TABLED_FIELDS.map((field) => [field, tableText(valueTables?.[field])])),
    groupBy: groupBy.join("\n"),
    ignore: ignore.join("\n"),
    sample: payloadText(payloadExample) ?? "",
  };
}

/** Parses the rules of a form; `faults` are the errors by field. */
export function rulesOf(form: RulesForm): { rules: TypedRules; faults: Record<string, string[]> } {
  const faults: Record<string, string[]> = {};
  const mapping: Record<string, string[]> = {};
  for (const field of MAPPED_FIELDS) {
    const paths = listIn(form.paths[field] ?? "", ",");
    const fault = mappingFault({ [field]: paths });
    if (fault) faults[`path_${field}`] = [fault];
    else if (paths.length > 0) mapping[field] = paths;
  }
  const tables: Record<string, Record<string, string>> = {};
  for (const field of TABLED_FIELDS) {
    const table = tableOf(form.tables[field] ?? "");
    const fault = table ? valueTablesFault({ [field]: table }) : "has a line without =";
    if (fault) faults[`table_${field}`] = [fault];
    else if (table && Object.keys(table).length > 0) tables[field] = table;
  }
  const lists = { group_by: listIn(form.groupBy, "\n"), ignore: listIn(form.ignore, "\n") };
  for (const [name, paths] of Object.entries(lists)) {
    const fault = pathsFault(paths);
    if (fault) faults[name] = [fault];
  }
  const rules = {
    mapping: Object.keys(mapping).length > 0 ? mapping : null,
    valueTables: Object.keys(tables).length > 0 ? tables : null,
    groupBy: faults.group_by ? [] : lists.group_by,
    ignore: faults.ignore ? [] : lists.ignore,
  };
  return { rules, faults };
}

/** Returns the form's values by the names of its fields, to find which were changed (decision 0246). */
export function marked({
  paths,
  tables,
  groupBy,
  ignore,
  sample,
}: RulesForm): Readonly<Record<string, string>> {
  const named = (texts: Readonly<Record<string, string>>, prefix: string) =>
    Object.fromEntries(Object.entries(texts).map(([field, text]) => [prefix + field, text]));
  return {
    ...named(paths, "path_"),
    ...named(tables, "table_"),
    groupBy,
    ignore,
    sample: sampleMark(sample),
  };
}

/** Returns the current rules with those of the changed fields replaced. */
export function changedRules(
  typed: TypedRules,
  changed: Readonly<Record<string, unknown>>,
  before: Pick<Integration, "mapping" | "valueTables">,
): Partial<TypedRules> {
  const isChanged = (name: string) => name in changed;
  const paths = MAPPED_FIELDS.filter((field) => isChanged(`path_${field}`));
  const tables = TABLED_FIELDS.filter((field) => isChanged(`table_${field}`));
  return {
    ...(paths.length > 0 && { mapping: withTyped(before.mapping, typed.mapping, paths) }),
    ...(tables.length > 0 && { valueTables: withTyped(before.valueTables, typed.valueTables, tables) }),
    ...(isChanged("groupBy") && { groupBy: typed.groupBy }),
    ...(isChanged("ignore") && { ignore: typed.ignore }),
  };
}

/** Returns the current entries with those of these fields replaced by the typed ones; null if none are left. */
function withTyped<T>(
  stands: Readonly<Record<string, T>> | null,
  typed: Readonly<Record<string, T>> | null,
  fields: readonly string[],
): Readonly<Record<string, T>> | null {
  const all = Object.entries({ ...stands }).filter(([field]) => !fields.includes(field));
  all.push(...Object.entries({ ...typed }).filter(([field]) => fields.includes(field)));
  return all.length > 0 ? Object.fromEntries(all) : null;
}

function listIn(text: string, separator: string): string[] {
  return text
    .split(separator)
    .map((path) => path.trim())
    .filter((path) => path !== "");
}

const LABELS: Readonly<Record<string, string>> = {
  title: "Title",
  description: "Description",
  start_time: "Start time",
  end_time: "End time",
  service: "Service",
  monitoring_tool: "Monitoring tool",
  hosts: "Hosts",
  severity: "Severity",
  fingerprint: "Fingerprint",
  platform_environment_name: "Environment",
  runbook: "Runbook",
};

/** Labels of all fields by their ids, for the summary of errors. */
export const RULE_LABELS: readonly (readonly [id: string, label: string])[] = [
  ["payload_example", "Sample payload"],
  ...MAPPED_FIELDS.map((field) => [`path_${field}`, LABELS[field] ?? field] as const),
  ...TABLED_FIELDS.map((field) => [`table_${field}`, `Words of ${LABELS[field] ?? field}`] as const),
  ["group_by", "Group by"],
  ["ignore", "Leave out"],
];

/** Returns the fields of the form; `isLeftOut` if the stored sample is too large for it. */
export function rulesFields(form: RulesForm, faults: FormFaults, isLeftOut: boolean): Html {
  const path = (field: string) =>
    textField({
      name: `path_${field}`,
      label: LABELS[field] ?? field,
      value: form.paths[field],
      placeholder: field,
      autocomplete: "off",
      spellcheck: false,
      error: faultWords(LABELS[field] ?? field, faults[`path_${field}`]),
    });
  const words = (field: string) =>
    textArea({
      name: `table_${field}`,
      label: LABELS[field] ?? field,
      rows: 3,
      code: true,
      value: form.tables[field],
      placeholder: field === "severity" ? "p1 = critical\n* = low" : "their word = ours",
      error: faultWords(LABELS[field] ?? field, faults[`table_${field}`]),
    });
  const list = (name: "group_by" | "ignore", label: string, hint: string) =>
    textArea({
      name,
      label,
      rows: 3,
      code: true,
      value: name === "ignore" ? form.ignore : form.groupBy,
      hint,
      error: faultWords(label, faults[name]),
    });
  return html`${textArea({
    name: "payload_example",
    label: "Sample payload",
    note: isLeftOut ? LEFT_OUT : undefined,
    rows: 9,
    code: true,
    full: true,
    value: form.sample,
    error: faultWords("Sample payload", faults.payload_example),
  })}
<fieldset class="field full"><legend class="label">Where to find each field <span class="opt">paths such as labels.host; with several, separated by commas, the first that has a value counts</span></legend><div class="form two mt-s">${MAPPED_FIELDS.map(path)}</div></fieldset>
<fieldset class="field full"><legend class="label">How to translate values <span class="opt">one per line, * for all others</span></legend><div class="form two mt-s">${TABLED_FIELDS.map(words)}</div></fieldset>
${list("group_by", "Group by", "Paths, one a line. Payloads with the same values there are one alert, unless they bring a fingerprint.")}
${list("ignore", "Leave out", "Paths, one a line, that two payloads of one alert may differ in.")}`;
}
