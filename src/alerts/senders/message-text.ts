/** Strips the markup of chat messages and finds facts in their lines. */

/** The most characters of a text that are read. */
const MAX_READ = 4000;
const MAX_LINES = 60;

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  "#39": "'",
  nbsp: " ",
};

/** Returns a text without links, emphasis, tags and entities, cut to `MAX_READ`. */
export function plainText(text: string): string {
  return text
    .slice(0, MAX_READ)
    .replace(/<(?:https?|mailto):[^<>|]{0,2000}\|([^<>]{1,500})>/g, "$1")
    .replace(/<((?:https?|mailto):[^<>|]{0,2000})>/g, "$1")
    .replace(/\[([^[\]]{1,300})\]\(https?:[^()\s]{0,2000}\)/g, "$1")
    .replace(/<\/?[a-z][^<>]{0,200}>/gi, "")
    .replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_all, name: string) => ENTITIES[name] ?? "")
    .replace(/[*`]+/g, "")
    .replace(/(?<!\w)_([^_\n]{1,300})_(?!\w)/g, "$1")
    .trim();
}

/** Returns the first line with a letter or a digit, without a leading URL; empty if there is none. */
export function firstLine(text: string): string {
  return (
    text
      .split("\n", MAX_LINES)
      .map((line) =>
        line.replace(/^[\s#>]+(?:https?:\/\/\S{1,500}\s+(?=\S))?|^https?:\/\/\S{1,500}\s+(?=\S)/, "").trim(),
      )
      .find((line) => /[\p{L}\p{N}]/u.test(line)) ?? ""
  );
}

/** Returns lines such as `Host: db-1` and `- instance = db-1` as pairs of a name in lower case and a value. */
export function factsIn(text: string): [string, string][] {
  return text.split("\n", MAX_LINES).flatMap((line): [string, string][] => {
    const found = /^[\s>•-]{0,8}([A-Za-z][\w ./-]{0,30}?) ?(?::| =) (\S.{0,500})$/.exec(line);
    return found ? [[(found[1] ?? "").toLowerCase(), (found[2] ?? "").trim()]] : [];
  });
}
