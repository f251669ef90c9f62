/** The fields that the forms of groups and projects share: name, path, description and visibility. */
import type { FastifyRequest } from "fastify";
import { VISIBILITIES, type Visibility } from "../accounts/namespace.ts";
import type { Shown } from "../platform/form-shown.ts";
import { formText, textOf } from "../platform/form-text.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import { choiceSet } from "../ui/choice.ts";
import { faultOf, textArea } from "../ui/form.ts";
import type { Html } from "../ui/html.ts";

export interface About {
  name: string;
  path: string;
  description: string;
  visibility: string;
}

/** A form for something that exists already. */
export interface FilledForm<Typed extends About> {
  typed: Typed;
  /** The values that its sender saw at first; undefined: the form is shown for the first time. */
  shown?: Shown;
  faults?: Faults;
}

type Faults = Readonly<Record<string, readonly string[]>>;

/** The values as typed. */
export function typedAbout(request: FastifyRequest): About {
  return {
    name: formText(request, "name").trim(),
    path: formText(request, "path").trim(),
    description: textOf(formText(request, "description")),
    visibility: formText(request, "visibility"),
  };
}

/** @throws FieldProblem when it is none of the visibilities and there is no `otherwise` */
export function typedVisibility(
  { visibility }: Pick<About, "visibility">,
  otherwise?: Visibility,
): Visibility {
  const chosen = VISIBILITIES.find((known) => known === visibility) ?? otherwise;
  if (!chosen) throw new FieldProblem({ visibility_level: ["is not one of the choices"] });
  return chosen;
}

/** The limit of the API, in characters. */
const LONGEST_DESCRIPTION = 2000;

/** @throws FieldProblem when it is longer than the API accepts */
export function checkDescription({ description }: About): void {
  if (description.length <= LONGEST_DESCRIPTION) return;
  throw new FieldProblem({ description: [`is too long (maximum is ${LONGEST_DESCRIPTION} characters)`] });
}

/** The fields of such a form in their order, each with its fault; those of `more` come before the last two. */
export function aboutErrors(faults: Faults, more: readonly { id: string; label: string }[] = []) {
  const fields = [{ id: "name", label: "Name" }, { id: "path", label: "Path" }, ...more];
  return [
    ...fields.map((field) => ({ ...field, error: faultOf(faults, field.id, field.label) })),
    { id: "description", label: "Description", error: faultOf(faults, "description", "Description") },
    { id: "visibility", label: "Visibility", error: faultOf(faults, "visibility_level", "Visibility") },
  ];
}

/** The faults of the form if the asker may not create that in the chosen place. */
export function placeFaults(error: unknown, field: string, what: string): FieldProblem["fields"] | undefined {
  if (error instanceof FieldProblem) return error.fields;
  if (!(error instanceof Problem) || (error.kind !== "not_found" && error.kind !== "forbidden"))
    return undefined;
  return { [field]: [`is not one in which you may make ${what}`] };
}

export function descriptionField({ description }: About, error: string | undefined): Html {
  return textArea({
    name: "description",
    label: "Description",
    note: "optional",
    value: description,
    error,
    full: true,
    rows: 3,
  });
}

const CHOICES = [
  { value: "private", label: "Private", hint: "Members see it, nobody else." },
  { value: "internal", label: "Internal", hint: "Everybody who is signed in sees it." },
  { value: "public", label: "Public", hint: "Everybody sees it, also without an account." },
];

/** The choice of who may see it. */
export function visibilityField({ visibility }: About, error: string | undefined, hint?: string): Html {
  const choices = CHOICES.map((choice) => ({ ...choice, checked: choice.value === visibility }));
  return choiceSet({ name: "visibility", legend: "Visibility", many: false, error, hint, choices });
}
