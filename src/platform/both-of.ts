/** Two steps of a transaction whose statements are sent without waiting for each other. */

/**
 * Waits for both, even if one fails, so that no statement is sent after the transaction has ended. Throws the error of
 * `first` before that of `second`.
 */
export async function bothOf<T>(first: Promise<unknown>, second: Promise<T>): Promise<T> {
  const [one, two] = await Promise.allSettled([first, second]);
  if (one.status === "rejected") throw one.reason;
  if (two.status === "rejected") throw two.reason;
  return two.value;
}
