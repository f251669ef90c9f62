/** The card with the form of an existing integration. */
import type { Shown } from "../platform/form-shown.ts";
import { submitButton } from "../ui/button.ts";
import { card } from "../ui/card.ts";
import { errorSummary, postForm, shownField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import type { Integration } from "./integration.ts";
import type { Visit } from "./pages-frame.ts";
import {
  type FormFaults,
  filledForm,
  type IntegrationForm,
  integrationFields,
  sampleMark,
} from "./pages-integration-form.ts";

/** The values typed into the form, the values shown before, and the errors. */
export interface RefusedEdit {
  form?: IntegrationForm;
  faults?: FormFaults;
  shown?: Shown;
}

/** Returns what the form showed when it was loaded (decision 0246). */
function shownOf(one: Integration): Shown {
  const { name, active, strict, keyInAddress, apiUrl } = one;
  return { name, active, strict, keyInAddress, apiUrl, sample: sampleMark(filledForm(one).sample) };
}

export function settingsCard(
  { home, browser }: Pick<Visit, "home" | "browser">,
  one: Integration,
  { form = filledForm(one), faults = {}, shown = shownOf(one) }: RefusedEdit = {},
): Html {
  const summary = errorSummary(
    [
      { id: "name", label: "Name" },
      { id: "api_url", label: "API URL" },
      { id: "payload_example", label: "Sample payload" },
    ].map((field) => ({ ...field, error: faults[field.id]?.[0] })),
  );
  const other = faults.type?.[0] && html`<p class="err full" role="alert">${faults.type[0]}</p>`;
  const test =
    one.type !== "external_tool" &&
    submitButton("Save and send test alert", { icon: "send", name: "next", value: "test" });
  return card({
    id: "edit",
    heading: "Settings",
    body: postForm(
      {
        action: `${home}/-/settings/operations/integrations/${one.id}`,
        csrfToken: browser.csrfToken,
        two: true,
      },
      html`${shownField(shown)}${summary}${other}${integrationFields(form, faults, one)}`,
      html`${submitButton("Save changes", { tone: "primary" })}${test}`,
    ),
  });
}
