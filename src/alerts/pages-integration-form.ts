/** The form of an integration: its typed values, its fields, and their parsing. */
import type { FastifyRequest } from "fastify";
import { formText, textOf } from "../platform/form-text.ts";
import type { Problem } from "../platform/problem.ts";
import { digest } from "../platform/secret.ts";
import type { Project } from "../projects/project.ts";
import { switchField } from "../ui/choice.ts";
import { textArea, textField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { INTEGRATION_TYPES, type Integration, type IntegrationType, isInPlan } from "./integration.ts";
import { faultWords } from "./pages-frame.ts";
import { LEFT_OUT, payloadText } from "./pages-large-texts.ts";
import { readSample } from "./payload.ts";
import type { IntegrationFields } from "./store-integrations.ts";

export type FormFaults = Readonly<Record<string, readonly string[]>>;

export interface IntegrationForm {
  type: string;
  name: string;
  active: boolean;
  strict: boolean;
  keyInAddress: boolean;
  apiUrl: string;
  alertmanagerUrl: string;
  sample: string;
  /** @throws Problem invalid, with line and column, for a sample that is not JSON */
  fields(): IntegrationFields;
  /** Returns the field at which an error that names no field is shown. */
  faultField(problem: Problem): string;
}

/** Reads the form of a request. */
export function integrationForm(request: FastifyRequest): IntegrationForm {
  return formOf({
    type: formText(request, "type"),
    name: formText(request, "name"),
    active: formText(request, "active") === "true",
    strict: formText(request, "strict") === "true",
    keyInAddress: formText(request, "key_in_address") === "true",
    apiUrl: formText(request, "api_url"),
    alertmanagerUrl: formText(request, "alertmanager_url"),
    sample: formText(request, "payload_example"),
  });
}

/** Returns an empty form for the generic endpoint, or if there is one, for another type of the plan. */
export function emptyForm(
  project: Pick<Project, "plan">,
  integrations: readonly Integration[],
  asked: string | undefined,
): IntegrationForm {
  const known = INTEGRATION_TYPES.find((type) => type === asked);
  const more = INTEGRATION_TYPES.find((type) => type !== "generic" && isInPlan(project, type));
  const hasGeneric = integrations.some((one) => one.type === "generic");
  const type: IntegrationType = known ?? ((hasGeneric && more) || "generic");
  return formOf({
    type,
    name: "",
    active: true,
    strict: false,
    keyInAddress: false,
    apiUrl: "",
    alertmanagerUrl: "",
    sample: "",
  });
}

/** Returns the form filled with an integration's values. */
export function filledForm(integration: Integration): IntegrationForm {
  const { payloadExample } = integration;
  return formOf({
    type: integration.type,
    name: integration.name,
    active: integration.active,
    strict: integration.strict,
    keyInAddress: integration.keyInAddress,
    apiUrl: integration.apiUrl ?? "",
    alertmanagerUrl: integration.alertmanagerUrl ?? "",
    sample: payloadText(payloadExample) ?? "",
  });
}

/** Returns the digest by which the form identifies the sample that it showed, which may be large (decision 0246). */
export function sampleMark(sample: string): string {
  return digest(textOf(sample)).toString("base64url");
}

const DEFAULT_NAMES: ReadonlyMap<string, string> = new Map([
  ["generic", "Default endpoint"],
  ["prometheus", "Prometheus"],
  ["external_tool", "External alerting tool"],
]);

function formOf(typed: Omit<IntegrationForm, "fields" | "faultField">): IntegrationForm {
  const takesAddress = typed.type !== "generic" && typed.type !== "http";
  const takesPayloads = typed.type !== "external_tool";
  return {
    ...typed,
    fields: () => ({
      // An HTTP endpoint is identified by its name, so it has no default (spec: Configuration 3).
      name: typed.name.trim() || (DEFAULT_NAMES.get(typed.type) ?? ""),
      active: typed.active,
      // What the form of a new integration hides once its type is chosen may still have been typed before, and cannot be mended.
      strict: takesPayloads && typed.strict,
      keyInAddress: takesPayloads && typed.keyInAddress,
      apiUrl: (takesAddress && typed.apiUrl.trim()) || null,
      alertmanagerUrl: typed.alertmanagerUrl.trim() || null,
      payloadExample: takesPayloads && typed.sample.trim() !== "" ? readSample(typed.sample) : null,
    }),
    faultField: (problem) => (problem.kind === "invalid" ? "payload_example" : "type"),
  };
}

/** Returns the fields of every integration; `before` is an existing one. */
export function integrationFields(form: IntegrationForm, faults: FormFaults, before?: Integration): Html {
  const isNew = before === undefined;
  const isLeftOut = before !== undefined && payloadText(before.payloadExample) === undefined;
  const takesPayloads = form.type !== "external_tool";
  return html`${textField({
    name: "name",
    label: "Name",
    value: form.name,
    autocomplete: "off",
    maxlength: 255,
    note: form.type === "http" ? undefined : "optional",
    error: faultWords("Name", faults.name),
  })}
<div class="full">${switchField("active", "Active", { checked: form.active, hint: takesPayloads ? "accept alerts at its address" : "show the link, and keep every other source off" })}</div>
${
  (isNew || form.type === "external_tool" || form.type === "prometheus") &&
  textField({
    name: "api_url",
    label: form.type === "external_tool" ? "Base API URL" : "API URL",
    // A browser shows no fault of a type "url" while the field is hidden, and does not send the form.
    inputmode: "url",
    value: form.apiUrl,
    full: true,
    spellcheck: false,
    note: isNew ? "for metrics instances and external tools" : undefined,
    placeholder: "https://metrics.example.org",
    error: faultWords(form.type === "external_tool" ? "Base API URL" : "API URL", faults.api_url),
  })
}${
  (isNew || takesPayloads) &&
  html`<div class="full">${switchField("strict", "Strict", { checked: form.strict, hint: "refuse payloads without a title instead of naming the alert “New: Alert”" })}</div>
<div class="full">${switchField("key_in_address", "Key in the address", { checked: form.keyInAddress, hint: "for senders that can’t set a header or a user name; addresses end up in logs along the way" })}</div>
${textArea({
  name: "payload_example",
  label: "Sample payload",
  note: isLeftOut ? LEFT_OUT : "optional, for a test alert",
  rows: 7,
  code: true,
  full: true,
  value: form.sample,
  error: faultWords("Sample payload", faults.payload_example),
})}`
}`;
}
