/** What a response reveals to the client. */

interface Answered {
  status: number;
  headers: Headers;
  text: string;
}

const EACH_TIME = /^(date|x-request-id|set-cookie|content-length)$/;

/**
 * Status, headers and text of a response, and of the page that it redirected to, without values that differ each time and
 * without the echoed request (`asked`); short ids, as of people, may occur anywhere and are kept.
 */
export function told({ status, headers, text }: Answered, asked: string, next?: Answered): string {
  const bare = (words: string) =>
    words
      .replaceAll(asked.length > 2 ? asked : "\0", "ASKED")
      .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID")
      .replaceAll(/value="[\w-]{43}"/g, "")
      // Words such as "1 min ago", whose attributes have the time itself.
      .replaceAll(/(<time [^>]*>)[^<]*/g, "$1");
  const kept = [...headers]
    .filter(([name]) => !EACH_TIME.test(name))
    .map(([name, value]) => [name, bare(value)]);
  return JSON.stringify([status, kept, bare(text), next && bare(next.text)]);
}
