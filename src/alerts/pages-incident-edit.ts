/** Edits the title, severity and description of an incident on its page (decision 0277). */
import type { FastifyRequest } from "fastify";
import { changedIn, type Shown, shownIn } from "../platform/form-shown.ts";
import { formText, textOf } from "../platform/form-text.ts";
import type { FieldProblem } from "../platform/problem.ts";
import { digest } from "../platform/secret.ts";
import { submitButton } from "../ui/button.ts";
import {
  errorSummary,
  type FormToken,
  hiddenField,
  postForm,
  selectField,
  shownField,
  textArea,
  textField,
} from "../ui/form.ts";
import { attrs, type Html, html } from "../ui/html.ts";
import type { IncidentEdit } from "./change-incident.ts";
import type { Incident } from "./incident.ts";
import { faultWords } from "./pages-frame.ts";
import { fitsForm, LEFT_OUT } from "./pages-large-texts.ts";
import { SEVERITY_OPTIONS, severityOf } from "./severity.ts";

type Editable = Pick<Incident, "title" | "severity" | "description">;

/** The values typed, the values shown before, and the errors. */
export type RefusedEdit = Editable & { shown: Shown; faults: FieldProblem["fields"] };

/** Parses the form and what it changes; a shown description, which may be long, is kept as a digest (decision 0246). */
export function editIn(request: FastifyRequest): { typed: Editable; shown: Shown; edit: IncidentEdit } {
  const severity = severityOf(formText(request, "severity"));
  const typed = {
    title: formText(request, "title"),
    severity: severity ?? "unknown",
    description: formText(request, "description"),
  };
  const shown = shownIn(request);
  const changed = changedIn(shownOf(typed), shown);
  return {
    typed,
    shown,
    edit: {
      title: changed.title === undefined ? undefined : typed.title,
      severity: changed.severity === undefined ? undefined : severity,
      description: changed.description === undefined ? undefined : typed.description,
    },
  };
}

function shownOf({ title, severity, description }: Editable): Editable {
  return { title, severity, description: digest(textOf(description)).toString("base64url") };
}

/** Returns the form, collapsed unless it was refused. */
export function editForm(
  action: string,
  incident: Editable,
  csrfToken: FormToken,
  refused: RefusedEdit | undefined,
): Html {
  const isLeftOut = !fitsForm(incident.description);
  const formed = isLeftOut ? { ...incident, description: "" } : incident;
  const { title, severity, description } = refused ?? formed;
  const fault = (name: keyof Editable, label: string) => faultWords(label, refused?.faults[name]);
  const summary = errorSummary([
    { id: "title", label: "Title", error: fault("title", "Title") },
    { id: "description", label: "Description", error: fault("description", "Description") },
  ]);
  const fields = html`${hiddenField("action", "edit")}${shownField(refused?.shown ?? shownOf(formed))}${summary}
${textField({ name: "title", label: "Title", value: title, maxlength: 255, autocomplete: "off", error: fault("title", "Title") })}
${selectField({ name: "severity", label: "Severity", value: severity, options: SEVERITY_OPTIONS })}
${textArea({ name: "description", label: "Description", note: isLeftOut ? LEFT_OUT : "Markdown", rows: 14, value: description, error: fault("description", "Description") })}`;
  const button = submitButton("Save changes", { tone: "primary" });
  return html`<details class="more mt"${attrs({ open: refused !== undefined })}><summary>Edit title, severity and description</summary><div class="mt-s">${postForm({ action, csrfToken }, fields, button)}</div></details>`;
}
