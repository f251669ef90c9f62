/** What a page offers: its forms and where each of their buttons sends them, and its links. */

/** A form that posts, or one of the other addresses that its buttons send it to. */
export interface Offered {
  /** As the page writes it, without its fragment. */
  action: string;
  /** Its hidden fields and chosen values, without the token. */
  fields: Readonly<Record<string, string>>;
}

const unescaped = (text: string) =>
  text.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&lt;", "<").replaceAll("&amp;", "&");

const attribute = (tag: string, name: string): string | undefined => {
  const found = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];
  return found === undefined ? undefined : unescaped(found);
};

const withoutFragment = (address: string) => address.replace(/#.*$/, "");

/** Everything on a page that posts: forms by their action, and buttons that name another one. */
export function offeredBy(page: string): Offered[] {
  return [...page.matchAll(/<form\b[^>]*>[\s\S]*?<\/form>/g)].flatMap(([form]) => {
    const [head = ""] = /^<form\b[^>]*>/.exec(form) ?? [];
    if (attribute(head, "method") !== "post") return [];
    const fields = Object.fromEntries(
      [...form.matchAll(/<input type="hidden"[^>]*>/g)]
        .map(([tag]) => [attribute(tag, "name") ?? "", attribute(tag, "value") ?? ""])
        .filter(([name]) => name !== "csrf_token"),
    );
    const others = [...form.matchAll(/\sformaction="([^"]*)"/g)].map(([, address = ""]) =>
      unescaped(address),
    );
    return [attribute(head, "action") ?? "", ...others].map((address) => ({
      action: withoutFragment(address),
      fields,
    }));
  });
}

/** Controls that would send something and stand in no form of the page. */
export function strayControls(page: string): string[] {
  const ids = new Set([...page.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id));
  const outside = page.replace(/<form\b[^>]*>[\s\S]*?<\/form>/g, "");
  return [...outside.matchAll(/<(?:button|input|select|textarea)\b[^>]*>/g)]
    .map(([tag]) => tag)
    .filter(
      (tag) =>
        /\stype="submit"/.test(tag) ||
        /\sformaction=/.test(tag) ||
        (attribute(tag, "form") !== undefined && !ids.has(attribute(tag, "form"))),
    );
}

/** The addresses of a page's links, as they are written. */
export function linksOf(page: string): string[] {
  return [...page.matchAll(/<a\b[^>]*\shref="([^"]*)"/g)].map(([, address = ""]) => unescaped(address));
}
