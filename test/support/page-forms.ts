/** What a page offers: its forms and the targets of their buttons, and its links. */

/** A form that posts, or another address to which one of its buttons submits it. */
export interface Offered {
  /** As written on the page, without its fragment. */
  action: string;
  /** Its hidden fields and selected values, without the CSRF token. */
  fields: Readonly<Record<string, string>>;
}

const unescaped = (text: string) =>
  text.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&lt;", "<").replaceAll("&amp;", "&");

const attribute = (tag: string, name: string): string | undefined => {
  const found = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];
  return found === undefined ? undefined : unescaped(found);
};

const withoutFragment = (address: string) => address.replace(/#.*$/, "");

/** Everything on a page that posts: forms by their action, and buttons with another one. */
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

/** Controls that would be submitted, but belong to no form of the page. */
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

/** The addresses of a page's links, as written. */
export function linksOf(page: string): string[] {
  return [...page.matchAll(/<a\b[^>]*\shref="([^"]*)"/g)].map(([, address = ""]) => unescaped(address));
}
