/** Text as chats write it, without its markup; and the facts that stand in its lines. */

/** Longer texts are read so far. */
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

/** Text without links, emphasis, tags and entities, cut to what is read of a message. */
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

/** The first line that holds a letter or a digit, without an address before what it says. */
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

/** `Host: db-1` and `- instance = db-1` as pairs of a name in small letters and a value. */
export function factsIn(text: string): [string, string][] {
  return text.split("\n", MAX_LINES).flatMap((line): [string, string][] => {
    const found = /^[\s>•-]{0,8}([A-Za-z][\w ./-]{0,30}?) ?(?::| =) (\S.{0,500})$/.exec(line);
    return found ? [[(found[1] ?? "").toLowerCase(), (found[2] ?? "").trim()]] : [];
  });
}
