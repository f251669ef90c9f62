/** Large texts in the forms of pages: what a form could not send back is left out of it (decision 0303). */
import { indentedJson } from "../ui/indented-json.ts";

/**
 * In UTF-16 units. Percent-encoding makes up to nine bytes of one, and a form may have a mebibyte together with all its other
 * fields.
 */
const MAX_IN_FORM = 100_000;

/** Whether a form that contains the text can be sent. */
export function fitsForm(text: string): boolean {
  return text.length <= MAX_IN_FORM;
}

/** A payload as the text of a form, indented if that fits; empty for none, and undefined if it fits no form. */
export function payloadText(payload: unknown): string | undefined {
  if (payload === null) return "";
  const json = JSON.stringify(payload);
  return indentedJson(json, MAX_IN_FORM) ?? (fitsForm(json) ? json : undefined);
}

/** Beside the empty field of a text that is left out. */
export const LEFT_OUT = "too large for this form; empty: stays as it is";
