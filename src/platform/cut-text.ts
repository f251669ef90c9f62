/** Truncates text without leaving half a surrogate pair, which PostgreSQL's JSON refuses. */

/** Returns at most the first `most` UTF-16 units; one less if the cut would split a surrogate pair. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(most - 1));
  return text.slice(0, isHalf ? most - 1 : most);
}
