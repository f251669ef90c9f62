/** Reproducible random choices: two runs of the demo differ only in times and secrets. */

export interface Random {
  /** From 0 up to, but not including, 1. */
  next(): number;
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number;
  /** True with this probability. */
  chance(part: number): boolean;
  /** An element of a non-empty list. */
  pick<T>(list: readonly T[]): T;
  /** Lower-case hexadecimal characters. */
  hex(length: number): string;
}

/** Generates choices from the seed alone (Marsaglia's xorshift, 32 bits). Not for secrets. */
export function createRandom(seed: number): Random {
  let state = seed | 0 || 1;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  const between = (low: number, high: number) => low + Math.floor(next() * (high - low + 1));
  return {
    next,
    between,
    chance: (part) => next() < part,
    pick: <T>(list: readonly T[]) => list[between(0, list.length - 1)] as T,
    hex: (length) => Array.from({ length }, () => between(0, 15).toString(16)).join(""),
  };
}
