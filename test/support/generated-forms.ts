/** Generators of what browsers send: addresses with queries, and forms as pages offer them, with parts changed. */
import fc from "fast-check";
import { asBrokenJson, escaped } from "./generated-bodies.ts";
import { hostile, hostileText } from "./generated-hostile.ts";
import { type Generated, oddHeader } from "./generated-requests.ts";

/** What a page lets its reader send: the fields of a form, or the query of a link. */
export interface Offer {
  method: string;
  /** Without query. */
  address: string;
  fields: readonly (readonly [name: string, value: string])[];
}

const unescaped = (text: string) =>
  text
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
const attribute = (tag: string, name: string) => {
  const found = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];
  return found === undefined ? undefined : unescaped(found);
};

/** Everything on a page that can be sent: forms by their buttons' addresses, and links with a query. */
export function offersOf(page: string, at: string): Offer[] {
  const forms = [...page.matchAll(/<form\b[^>]*>[\s\S]*?<\/form>/g)].flatMap(([form]) => {
    const [head = ""] = /^<form\b[^>]*>/.exec(form) ?? [];
    const others = [...form.matchAll(/\sformaction="([^"]*)"/g)].map(([, address = ""]) =>
      unescaped(address),
    );
    const method = attribute(head, "method")?.toUpperCase() ?? "GET";
    return [attribute(head, "action") ?? at, ...others].map((address) =>
      offer(method, address, fieldsOf(form)),
    );
  });
  const links = [...page.matchAll(/<a\b[^>]*\shref="([^"]*)"/g)].map(([, address = ""]) =>
    offer("GET", unescaped(address), []),
  );
  return [...forms, ...links.filter(({ address, fields }) => address.startsWith("/") && fields.length > 0)];
}

function offer(method: string, action: string, fields: Offer["fields"]): Offer {
  const [address = "", query = ""] = action.replace(/#.*$/, "").split("?");
  return { method, address, fields: [...new URLSearchParams(query), ...fields] };
}

/** The fields of a form with the values that it shows. */
function fieldsOf(form: string): [string, string][] {
  const inputs = [...form.matchAll(/<(?:input|button)\b[^>]*>/g)].map(([tag]) => [
    attribute(tag, "name"),
    attribute(tag, "value") ?? "1",
  ]);
  const areas = [...form.matchAll(/(<textarea\b[^>]*>)([^<]*)/g)].map(([, tag = "", text = ""]) => [
    attribute(tag, "name"),
    unescaped(text),
  ]);
  const selects = [...form.matchAll(/(<select\b[^>]*>)([\s\S]*?)<\/select>/g)].map(
    ([, tag = "", options = ""]) => {
      const chosen = /<option\b[^>]*\sselected[^>]*>/.exec(options) ?? /<option\b[^>]*>/.exec(options);
      return [attribute(tag, "name"), attribute(chosen?.[0] ?? "", "value") ?? ""];
    },
  );
  return [...inputs, ...areas, ...selects].filter(
    (one): one is [string, string] => Boolean(one[0]) && one[0] !== "csrf_token",
  );
}

const NAMES = [
  ...["page", "per_page", "id", "search", "sort", "_method", "__proto__", "constructor", "a[b][]"],
  ...["csrf_token", "confirm", "password", "next"],
];
const SEGMENTS = [
  ...["0", "-1", "99999999999999999999", "%00", "%ff", "%ED%A0%80", "..", "%2F", "x".repeat(300), "new"],
  ...["1e3", "%F0%9F%98%80", "all", "1%27"],
];
const RAW = ["%", "%zz", "%ff", "%ED%A0%80", "%00", "+", "x".repeat(3000)];

const encoded = (fields: Offer["fields"]) =>
  fields.map(([name, value]) => `${escaped(name)}=${escaped(value)}`).join("&");

/** The offered request with none to three fields changed, dropped, doubled or added, and at times another address. */
export function requestsFor({ method, address, fields }: Offer, csrf: string): fc.Arbitrary<Generated> {
  const text = fc.oneof(
    { weight: 3, arbitrary: hostileText },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        "1",
        "2",
        "true",
        "on",
        "a",
        "https://a.example.org/",
        "a@b.example",
        "2999-01-01",
        "acme/rocket",
      ),
    },
  );
  const change = fc.record({
    at: fc.nat(),
    how: fc.constantFrom("set", "set", "set", "drop", "double", "list", "add", "raw"),
    name: fc.constantFrom(...NAMES),
    text,
    raw: fc.constantFrom(...RAW),
  });
  // Node.js itself refuses an address that is longer than all headers may be.
  const limit = method === "GET" ? 500 : 70_000;
  const query = fc
    .array(change, { maxLength: 3 })
    .map((changes) => changes.reduce((so, one) => changed(so, one, limit), encoded(fields)));
  const path = fc.oneof(
    { weight: 6, arbitrary: fc.constant(address) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.nat(), fc.constantFrom(...SEGMENTS))
        .map(([at, odd]) => withSegment(address, at, odd)),
    },
  );
  const headers = fc.oneof({ weight: 8, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: oddHeader });
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const sent = fc
    .tuple(path, query, headers)
    .map(([target, pairs, more]) =>
      method === "GET"
        ? { method, target: pairs === "" ? target : `${target}?${pairs}`, headers: more }
        : { method, target, headers: { ...form, ...more }, body: `csrf_token=${csrf}&${pairs}` },
    );
  if (method === "GET") return sent;
  const other = asBrokenJson(hostile).map((body) => ({ method, target: address, ...body }));
  return fc.oneof({ weight: 20, arbitrary: sent }, { weight: 1, arbitrary: other });
}

interface Change {
  at: number;
  how: string;
  name: string;
  text: string;
  raw: string;
}

function changed(query: string, { at, how, name, text, raw }: Change, limit: number): string {
  const pairs = query === "" ? [] : query.split("&");
  const n = pairs.length === 0 ? 0 : at % pairs.length;
  const [key = name] = pairs[n]?.split("=") ?? [];
  const value = escaped(text.slice(0, limit));
  const to: Record<string, string[]> = {
    set: [`${key}=${value}`],
    raw: [`${key}=${raw}`],
    drop: [],
    double: [pairs[n] ?? name, `${key}=${value}`],
    list: [`${key}[]=${value}`, `${key}[a]=1`],
    add: [pairs[n] ?? name, `${escaped(name)}=${value}`],
  };
  return [...pairs.slice(0, n), ...(to[how] ?? []), ...pairs.slice(n + 1)].join("&");
}

function withSegment(address: string, at: number, odd: string): string {
  const parts = address.split("/");
  parts[1 + (at % Math.max(1, parts.length - 1))] = odd;
  return parts.join("/");
}
