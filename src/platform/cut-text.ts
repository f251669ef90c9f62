/** Cuts text to a length without leaving half a character behind, which PostgreSQL's JSON does not take. */

/** At most the first so many UTF-16 units; one less where the cut would go through a character of two. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(most - 1));
  return text.slice(0, isHalf ? most - 1 : most);
}
