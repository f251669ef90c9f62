/** Choices in a form: checkboxes, radio buttons, and switches. */
import { fieldError } from "./form.ts";
import { attrs, type Html, html } from "./html.ts";

/** A choice: the label in bold, a hint below it, and possibly a badge beside the label. */
export type Choice = {
  value: string;
  label: string;
  hint?: Html | string | undefined;
  badge?: Html | undefined;
  checked?: boolean | undefined;
  disabled?: boolean;
  /** The heading of its group; choices of a group must be consecutive. */
  group?: string;
};

/** A single checkbox. */
export function checkbox(name: string, choice: Choice): Html {
  return row("checkbox", name, choice);
}

/** A set of checkboxes (`many`) or radio buttons under one legend; error and hint belong to the whole set. */
export type ChoiceSet = {
  name: string;
  legend: string;
  many: boolean;
  choices: readonly Choice[];
  note?: string | undefined;
  hint?: Html | string | undefined;
  error?: string | undefined;
};

/** A set of choices as a fieldset; the error summary can link to its name. */
export function choiceSet(set: ChoiceSet): Html {
  const described = [set.error && `${set.name}-err`, set.hint && `${set.name}-hint`]
    .filter(Boolean)
    .join(" ");
  const note = set.note && html` <span class="opt">${set.note}</span>`;
  return html`<fieldset class="field full" id="${set.name}" tabindex="-1"${attrs({ "aria-describedby": described || undefined })}><legend class="label">${set.legend}${note}</legend>
${boxesOf(set)}${set.error && fieldError(set.name, set.error)}${set.hint && html`<p class="hint" id="${set.name}-hint">${set.hint}</p>`}</fieldset>`;
}

/** Lists the choices below each other; short ones without hints beside each other, in groups if they have any. */
function boxesOf({ name, many, choices }: ChoiceSet): Html {
  const rows = (some: readonly Choice[]) =>
    some.map((choice) => row(many ? "checkbox" : "radio", name, choice));
  const groups = Map.groupBy(choices, ({ group }) => group);
  if (groups.size > 1) {
    const parts = [...groups].map(
      ([group, some]) =>
        html`<div role="group"${attrs({ "aria-label": group })}><p class="check-head" aria-hidden="true">${group}</p>${rows(some)}</div>`,
    );
    return html`<div class="check-groups mt-s">${parts}</div>`;
  }
  const isShort = choices.length > 3 && choices.every(({ hint, badge }) => !hint && !badge);
  return html`<div class="${isShort ? "checks short mt-s" : "checks mt-s"}">${rows(choices)}</div>`;
}

/** A switch: a checkbox with the role of a switch, submitted with its form like any checkbox. */
export function switchField(
  name: string,
  label: string,
  options: { checked?: boolean; disabled?: boolean; hint?: string; value?: string; hidden?: boolean } = {},
): Html {
  const { checked, disabled, hint, value = "true" } = options;
  return html`<label class="switch-row"><input class="switch" type="checkbox" role="switch"${attrs({ name, value, checked, disabled })}><span>${options.hidden ? html`<span class="sr">${label}</span>` : html`<strong>${label}</strong>`}${hint && html` <span class="quiet-text">${hint}</span>`}</span></label>`;
}

function row(type: "checkbox" | "radio", name: string, choice: Choice): Html {
  const { value, checked, disabled } = choice;
  return html`<label class="check"><input${attrs({ type, name, value, checked, disabled })}><b>${choice.label}${choice.badge && html` ${choice.badge}`}</b>${choice.hint && html`<small>${choice.hint}</small>`}</label>`;
}
