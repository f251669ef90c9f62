/** `/profile/about`: the optional profile fields, shown on a person's page and in the API (decision 0157). */
import type { Shown } from "../platform/form-shown.ts";
import type { FieldProblem } from "../platform/problem.ts";
import { submitButton } from "../ui/button.ts";
import { card } from "../ui/card.ts";
import { csrfField, errorSummary, faultOf, shownField, textArea, textField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { ABOUT_FIELDS, ABOUT_NAMES, type About, type AboutField } from "./about.ts";

/** The address that the form is sent to. */
export const ABOUT = "/profile/about";

/** The card with the fields. */
export function moreCard(
  csrfToken: string,
  about: About,
  shown: Shown | undefined,
  faults: FieldProblem["fields"],
): Html {
  const errorOf = (field: AboutField) => faultOf(faults, ABOUT_FIELDS[field].wire, ABOUT_FIELDS[field].label);
  const of = (field: AboutField) => ({
    name: ABOUT_FIELDS[field].wire,
    label: ABOUT_FIELDS[field].label,
    value: about[field],
    error: errorOf(field),
  });
  const short = (field: AboutField) =>
    textField({ ...of(field), autocomplete: AUTOCOMPLETE[field] ?? "off", maxlength: 255 });
  const summary = errorSummary(
    ABOUT_NAMES.map((field) => ({ id: of(field).name, label: of(field).label, error: errorOf(field) })),
  );
  const fields = ABOUT_NAMES.filter((field) => field !== "bio").map(short);
  const first = Object.fromEntries(ABOUT_NAMES.map((field) => [field, about[field] ?? ""]));
  return card({
    id: "more",
    heading: "More about you",
    lead: "All optional. Shown on your public profile and in the API.",
    body: html`<form class="form two" action="${ABOUT}" method="post">${csrfField(csrfToken)}${shownField(shown ?? first)}${summary}
${textArea({ ...of("bio"), rows: 3, full: true, hint: "At most 255 characters." })}
${fields}
<div class="btn-row full">${submitButton("Save changes", { tone: "primary" })}</div></form>`,
  });
}

const AUTOCOMPLETE: Partial<Record<AboutField, string>> = {
  jobTitle: "organization-title",
  organization: "organization",
  websiteUrl: "url",
};
