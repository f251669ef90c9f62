/** The query parameters that may contain a token (spec: Authentication 5; reference oauth A6, A8). */

export const TOKENS_IN_ADDRESS = ["access_token", "private_token", "bearer_token"] as const;

/** Returns their values in this order: text, a list if repeated, undefined if absent. */
export function tokensInAddress(query: unknown): unknown[] {
  const given = (query ?? {}) as Readonly<Record<string, unknown>>;
  return TOKENS_IN_ADDRESS.map((name) => given[name]);
}
