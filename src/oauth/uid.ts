/** An Application ID, which requests send as `client_id`. */

/** Whether a value has the form of an Application ID: 64 hexadecimal digits. */
export function isUid(given: unknown): given is string {
  return typeof given === "string" && /^[0-9a-f]{64}$/.test(given);
}
