/** What an answer tells whoever asked. */

interface Answered {
  status: number;
  headers: Headers;
  text: string;
}

const EACH_TIME = /^(date|x-request-id|set-cookie|content-length)$/;

/**
 * Status, headers and words of an answer, and the words of the page to which it led, without what is another one every time and
 * without what was asked for (`asked`), which is echoed; a number of few digits, as of a person, stands everywhere and is left.
 */
export function told({ status, headers, text }: Answered, asked: string, next?: Answered): string {
  const bare = (words: string) =>
    words
      .replaceAll(asked.length > 2 ? asked : "\0", "ASKED")
      .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID")
      .replaceAll(/value="[\w-]{43}"/g, "");
  const kept = [...headers]
    .filter(([name]) => !EACH_TIME.test(name))
    .map(([name, value]) => [name, bare(value)]);
  return JSON.stringify([status, kept, bare(text), next && bare(next.text)]);
}
