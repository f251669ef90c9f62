/** Repeats a statement that does a portion of some work, since all of it at once would exceed the time limit. */

/**
 * Until a portion comes out smaller than it might be, or so many were done; returns how much was done in all.
 * @param doSome does at most so much, and returns how much it was
 * @param options.portion none: `doSome` knows how much it does, and does nothing only when nothing is left
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
