/** Repeats a statement that works in batches, since a single statement for all rows would exceed the time limit. */

/**
 * Stops at the first batch that is not full, or after `mostPortions`; returns the number of rows in all.
 * @param doSome processes at most so many rows, and returns their number
 * @param options.portion the size of a batch; without it `doSome` decides, and returns 0 only if nothing is left
 */
export async function inPortions(
  doSome: (most: number) => Promise<number>,
  { portion = 1, mostPortions = Number.POSITIVE_INFINITY }: { portion?: number; mostPortions?: number } = {},
): Promise<number> {
  let total = 0;
  for (let done = 0; done < mostPortions; done++) {
    const some = await doSome(portion);
    total += some;
    if (some < portion) break;
  }
  return total;
}
