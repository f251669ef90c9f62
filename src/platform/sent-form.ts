/** A form that was sent and not acted on yet. */
export interface SentForm {
  action: string;
  /** All fields but the CSRF token, in order. */
  fields: readonly (readonly [name: string, value: string])[];
}
