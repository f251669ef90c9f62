/** Whether a text is one of a fixed list of words, for which a plain `includes` accepts only those words. */

/** Whether `word` is one of `words`. */
export function isOneOf<const Word extends string>(words: readonly Word[], word: string): word is Word {
  return words.some((one) => one === word);
}
