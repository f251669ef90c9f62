/** The parts of a form: fields with label, hint and error, and the summary of errors. */
import { SHOWN_FIELD, type Shown } from "../platform/form-shown.ts";
import { linkButton } from "./button.ts";
import { attrs, type Html, html } from "./html.ts";
import { icon } from "./icon.ts";

/** Members of every field; the id defaults to the name; the error is shown at the field, and the value is kept. */
export type Field = {
  name: string;
  label: string;
  id?: string;
  hint?: Html | string | undefined;
  error?: string | undefined;
  /** The id of a message elsewhere that is about this field among others. */
  blamed?: string | undefined;
  /** Text beside the label: "optional", or what to choose. */
  note?: string | undefined;
  /** A link beside the label, "Forgot it?". */
  aside?: Html | undefined;
  /** Spans both columns of a `form two`. */
  full?: boolean;
  required?: boolean;
  autofocus?: boolean;
};

/** A one-line field. */
export type TextField = Field & {
  value?: string | undefined;
  type?: "text" | "email" | "url" | "search" | "date" | "number" | "tel";
  autocomplete?: string;
  placeholder?: string;
  inputmode?: "numeric" | "email" | "url" | "text";
  pattern?: string;
  maxlength?: number;
  min?: string;
  max?: string;
  readonly?: boolean;
  /** False for names, addresses and codes. */
  spellcheck?: boolean;
  /** The field from which the script derives this one until somebody types into it. */
  follows?: string;
  /** Large spaced digits, for one-time codes. */
  code?: boolean;
};

/**
 * The CSRF token of the forms on a page. Undefined if nothing may be changed: the page then renders no forms, and leaves out
 * links to them (decision 0153).
 */
export type FormToken = string | undefined;

/** A form that posts, with its fields and the buttons below them. */
export type PostForm = {
  /** Without a fragment: if a page has a target, browsers do not focus the error summary. */
  action: string;
  csrfToken: FormToken;
  /** For buttons that stand outside it. */
  id?: string;
  /** The fields in two columns. */
  two?: boolean;
  /** The id of the preview that the script updates while somebody types. */
  live?: string;
  /** The address of the cancel link beside the buttons. */
  cancel?: string | false;
  /** The script shows the form as a dialog of the page with the link (`questionLink`). */
  asked?: boolean;
};

/** The form; if nothing may be changed, a disabled fieldset that shows the values. */
export function postForm(
  { action, csrfToken, id, two, live, cancel, asked }: PostForm,
  fields: Html,
  buttons: Html,
): Html {
  const look = two ? "form two" : "form";
  if (csrfToken === undefined) return html`<fieldset class="${look}" disabled>${fields}</fieldset>`;
  return html`<form class="${look}" method="post" action="${action}"${attrs({ id, "data-live": live, "data-asked": asked })}>${csrfField(csrfToken)}${fields}
<div class="btn-row full">${buttons}${cancel && linkButton("Cancel", cancel)}</div></form>`;
}

/** The heading of a form that changes something. */
export function changeHeading(csrfToken: FormToken): string {
  return csrfToken === undefined ? "Settings" : "Change it";
}

/** The hidden CSRF field of every POST form; the server compares it with the session. */
export function csrfField(token: string): Html {
  return hiddenField("csrf_token", token);
}

/** The values shown by the page, so that the server can tell what the user edited. */
export function shownField(shown: Shown): Html {
  return hiddenField(SHOWN_FIELD, JSON.stringify(shown));
}

/** A hidden field. */
export function hiddenField(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}">`;
}

/**
 * A hidden, unsent field with the username, for password managers: without it they would store a new password under the wrong
 * name.
 */
export function accountField(username: string): Html {
  return html`<input type="text" value="${username}" autocomplete="username" hidden readonly>`;
}

/** A text field. */
export function textField(field: TextField): Html {
  const {
    type = "text",
    name,
    value,
    autocomplete,
    placeholder,
    inputmode,
    pattern,
    maxlength,
    min,
    max,
  } = field;
  const spellcheck = field.spellcheck === false ? "false" : undefined;
  const autocapitalize = field.spellcheck === false ? "none" : undefined;
  const own = { name, type, value, autocomplete, placeholder, inputmode, pattern, maxlength, min, max };
  const more = { readonly: field.readonly, spellcheck, autocapitalize, "data-follows": field.follows };
  const input = html`<input class="input${field.code ? " otp" : ""}"${attrs({ ...own, ...more, ...shared(field) })}>`;
  return frame(field, input);
}

/** A password field with a button to show it; the typed value is never sent back. */
export function passwordField(field: Field & { autocomplete: "current-password" | "new-password" }): Html {
  const id = idOf(field);
  const own = { name: field.name, type: "password", autocomplete: field.autocomplete };
  return frame(
    field,
    html`<div class="join"><input class="input"${attrs({ ...own, ...shared(field) })}><button class="btn icon js" type="button" data-reveal="${id}" aria-pressed="false" aria-label="Show password">${icon("eye")}</button></div>`,
  );
}

/** A field of several lines; `code` for payloads and lists of addresses. */
export function textArea(
  field: Field & {
    value?: string | undefined;
    rows?: number;
    code?: boolean;
    placeholder?: string;
    key?: string;
  },
): Html {
  const spellcheck = field.code ? "false" : undefined;
  const own = {
    name: field.name,
    rows: field.rows ?? 4,
    placeholder: field.placeholder,
    spellcheck,
    "data-key": field.key,
  };
  // HTML drops a line break right after the tag, so one is added to be dropped.
  return frame(
    field,
    html`<textarea class="input${field.code ? " code" : ""}"${attrs({ ...own, ...shared(field) })}>
${field.value}</textarea>`,
  );
}

/** A file input; its form is `multipart/form-data`. `accept` is a hint for the browser; the server checks the file itself. */
export function fileField(field: Field & { accept: string }): Html {
  const own = { name: field.name, type: "file", accept: field.accept };
  return frame(field, html`<input class="input"${attrs({ ...own, ...shared(field) })}>`);
}

/** A choice from a list. */
export function selectField(field: Field & { value?: string | undefined; options: readonly Option[] }): Html {
  const own = { name: field.name, ...shared(field) };
  return frame(
    field,
    html`<select class="input"${attrs(own)}>${options(field.options, field.value)}</select>`,
  );
}

/** A select without a visible label, for toolbars; `form` if it is outside the form. */
export function bareSelect(
  name: string,
  label: string,
  chosen: string | undefined,
  all: readonly Option[],
  form?: string,
): Html {
  return html`<select class="input" name="${name}" aria-label="${label}"${attrs({ form })}>${options(all, chosen)}</select>`;
}

/** One choice of a list; `disabled`: only to be read. */
export type Option = { value: string; label: string; disabled?: boolean };

/** The last line of a list that does not offer everything. */
export function countOption(listed: number, total: number): Option[] {
  return listed < total ? [{ value: "", label: `${listed} of ${total} are listed`, disabled: true }] : [];
}

/** Adds the chosen value with a label of its own if it is not among the options, since it may have been removed. */
export function withChosen(
  all: readonly Option[],
  chosen: string | undefined,
  label: string,
): readonly Option[] {
  const isThere = chosen === undefined || all.some(({ value }) => value === chosen);
  return isThere ? all : [...all, { value: chosen, label }];
}

function options(all: readonly Option[], chosen: string | undefined): Html[] {
  return all.map(
    ({ value, label, disabled = false }) =>
      html`<option${attrs({ value, selected: value === chosen && !disabled, disabled })}>${label}</option>`,
  );
}

/** The message at a field: "Username has already been taken."; undefined if nothing is wrong with it. */
export function faultOf(
  faults: Readonly<Record<string, readonly string[]>> | undefined,
  field: string,
  label: string,
): string | undefined {
  const words = faults?.[field];
  // Some messages of the API end in a full stop, because its clients expect them so.
  return words && words.length > 0 ? `${label} ${words.join(", ").replace(/\.$/, "")}.` : undefined;
}

/**
 * A summary of a form's errors with links to the fields; it takes the focus (WCAG 3.3.1), unless the form's action has a
 * fragment. Empty without errors.
 */
export function errorSummary(
  errors: readonly { id: string; label: string; error?: string | undefined }[],
): Html {
  const wrong = errors.filter((field) => field.error !== undefined);
  if (wrong.length === 0) return html``;
  const links = wrong.map(({ id, label }, index) => html`${index > 0 && ", "}<a href="#${id}">${label}</a>`);
  const count = wrong.length === 1 ? "One thing needs fixing" : `${wrong.length} things need fixing`;
  return html`<div class="msg bad full" role="alert" tabindex="-1" autofocus>${icon("bad")}<p>${count}: ${links}</p></div>`;
}

/** The error at a field, which refers to it by `aria-describedby`. */
export function fieldError(id: string, error: string): Html {
  return html`<p class="err" id="${id}-err">${icon("bad", 16)}${error}</p>`;
}

function frame(field: Field, control: Html): Html {
  const id = idOf(field);
  const note = field.note && html` <span class="opt">${field.note}</span>`;
  const label = field.aside
    ? html`<div class="row spread"><label class="label" for="${id}">${field.label}${note}</label>${field.aside}</div>`
    : html`<label for="${id}">${field.label}${note}</label>`;
  return html`<div class="field${field.full ? " full" : ""}">${label}${control}${field.error && fieldError(id, field.error)}${field.hint && html`<p class="hint" id="${id}-hint">${field.hint}</p>`}</div>`;
}

function shared(field: Field): Record<string, string | boolean | undefined> {
  const id = idOf(field);
  const described = [field.blamed, field.error && `${id}-err`, field.hint && `${id}-hint`]
    .filter(Boolean)
    .join(" ");
  return {
    id,
    required: field.required,
    autofocus: field.autofocus,
    "aria-invalid": field.error || field.blamed ? "true" : undefined,
    "aria-describedby": described || undefined,
  };
}

function idOf(field: Field): string {
  return field.id ?? field.name;
}
