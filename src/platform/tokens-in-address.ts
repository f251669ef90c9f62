/** The parameters of an address that may carry a token (spec: Authentication 5; reference oauth A6, A8). */

export const TOKENS_IN_ADDRESS = ["access_token", "private_token", "bearer_token"] as const;

/** What stands under their names, in this order: text, a list where one is repeated, undefined where one is not there. */
export function tokensInAddress(query: unknown): unknown[] {
  const given = (query ?? {}) as Readonly<Record<string, unknown>>;
  return TOKENS_IN_ADDRESS.map((name) => given[name]);
}
