/** Generators of requests to a documented operation: good, bad and hostile in address, query, headers and body. */
import fc from "fast-check";
import { type Json, type Operation, whole } from "./described.ts";
import { asBrokenJson, type Body, bodyOf, escaped, pairs, type Shapes } from "./generated-bodies.ts";
import { hostile, hostileText } from "./generated-hostile.ts";

/** A request as it is sent. */
export interface Generated {
  method: string;
  /** The request target, encoded. */
  target: string;
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
}

/** Segments that name nothing, percent-encoded or not at all. */
const SEGMENTS = [
  ...["0", "-1", "-0", "99999999999999999999", "9007199254740993", "2147483648", "9223372036854775808"],
  ...["1e3", "0x1", "1.0", "NaN"],
  ...["%00", "1%00", "%", "%zz", "%ff", "%ED%A0%80", "%F0%9F%98%80", "%2F", "%252F", "..%2F..", "%2e%2e"],
  ...[".", "%20", "+1", "%0d%0a"],
  ...["ship%2Fhull", "ship%2fhull", "ship/hull", "SHIP%2FHULL", "no-such", "1'%20or%201=1", ";", "a;b=c"],
  ...["~", "*", "null", "undefined"],
  ...["self", "all", "x".repeat(300), "9".repeat(1200), "%F0%9F%98%80".repeat(100), "a%2F".repeat(50)],
  ...["f".repeat(40), "@", "a@b.example"],
];
const segment = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...SEGMENTS) },
  { weight: 1, arbitrary: hostileText.map((text) => escaped(text.slice(0, 500)) || "%20") },
);

/** How the gaps of an address are filled: of the things that there are, or with anything. */
export type Known = (gap: string, which: number) => string;

/** Addresses of the operation's path, of things that exist and, if `odd`, of anything. */
function address(path: string, known: Known, odd: boolean): fc.Arbitrary<string> {
  const gaps = [...path.matchAll(/\{\w+\}/g)].map(({ 0: gap, index }) => path.slice(0, index + gap.length));
  const each = odd ? fc.option(segment, { nil: undefined, freq: 1 }) : fc.constant(undefined);
  return fc.tuple(fc.nat(7), ...gaps.map(() => each)).map(([which, ...odds]) => {
    let n = 0;
    return path.replace(/\{\w+\}/g, () => odds[n++] ?? known(gaps[n - 1] ?? "", which));
  });
}

const HEADERS: Readonly<Record<string, readonly string[]>> = {
  accept: [
    "*/*",
    "text/html",
    "application/json",
    "text/csv",
    "text/event-stream",
    "application/xml",
    "",
    "q",
    "a/b;q=2",
    ",".repeat(500),
  ],
  "idempotency-key": [
    "",
    "a",
    " ",
    "\u00ff",
    "k".repeat(255),
    "k".repeat(256),
    "k".repeat(5000),
    '"a"',
    "a, b",
  ],
  "if-none-match": ["*", '"x"', "W/", 'W/"x", "y"', "x", ",".repeat(300), '"\u00e9"'],
  "last-event-id": ["0", "-1", "1.1", "x", "9".repeat(40), ""],
  "content-encoding": ["gzip", "identity", "br", "x", "gzip, gzip"],
  "x-request-id": ["x".repeat(1000), "\u00ff"],
  "accept-language": ["xx", "*", ",,,;q="],
  "x-http-method-override": ["DELETE", "TRACE"],
  "x-forwarded-for": ["::1", "x", "1.2.3.4, 5", "a".repeat(4000)],
  origin: ["null", "https://evil.example", "x"],
  cookie: ["a", "=", "_gatehouse_session=x; _gatehouse_session=y", ";".repeat(200), "__proto__=1", "%"],
  dpop: ["x", "a.b.c", "e30.e30.", ""],
  range: ["bytes=0-0", "x"],
  expect: ["100-continue"],
  "private-token": ["x", "", "\u00ff"],
};

/** An unusual header. */
export const oddHeader: fc.Arbitrary<Record<string, string>> = fc
  .constantFrom(...Object.entries(HEADERS))
  .chain(([name, values]) => fc.constantFrom(...values).map((value) => ({ [name]: value })));

/** What may be unusual in a request: mostly one part alone, so that the others let it come to that. */
const MOODS: readonly (readonly string[])[] = [
  [],
  [],
  ["query"],
  ["body"],
  ["body"],
  ["address"],
  ["headers"],
  ["method"],
  ["address", "query", "body", "headers"],
];

/** Of more, Node.js itself refuses the headers. */
const LONGEST_ADDRESS = 10_000;
const METHODS = ["HEAD", "OPTIONS", "GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "QUERY"];

/** Requests to an operation, without credentials. */
export function requestsTo(
  { name, method, told }: Operation,
  document: Json,
  known: Known,
): fc.Arbitrary<Generated> {
  const path = name.slice(method.length + 1);
  const asked: Json[] = (told.parameters ?? []).filter((one: Json) => one.in === "query");
  const shapes: Shapes = Object.fromEntries(asked.map((one) => [one.name, whole(one.schema, document)]));
  const needed = asked.filter((one) => one.required).map((one) => one.name);
  const content = Object.entries<Json>(told.requestBody?.content ?? {}).map(
    ([type, { schema }]) => [type, whole(schema ?? {}, document)] as const,
  );
  const none = fc.constant<Body>({ headers: {} });
  const good = content.map(([type, shape]) => bodyOf(type, shape, false));
  const bad = content.map(([type, shape]) => bodyOf(type, shape, true));
  // The others of this path have their own turn, after everything that needs what they remove.
  const others = METHODS.filter((verb) => !(verb.toLowerCase() in document.paths[path]));
  const ways = MOODS.map((odd) => {
    const either = <T>(part: string, usual: fc.Arbitrary<T>, unusual: fc.Arbitrary<T>) =>
      odd.includes(part) ? unusual : usual;
    return fc.tuple(
      either("method", fc.constant(method), fc.constantFrom(...others)),
      either("address", address(path, known, false), address(path, known, true)),
      either("query", pairs(shapes, false, needed), pairs(shapes, true, needed)),
      either("headers", fc.constant({}), oddHeader),
      either(
        "body",
        good.length > 0 ? fc.oneof(...good) : none,
        fc.oneof(...bad, none, asBrokenJson(hostile)),
      ),
    );
  });
  return fc.oneof(...ways).map(([verb, at, query, more, sent]) => ({
    method: verb,
    target: (query === "" ? at : `${at}?${query}`).slice(0, LONGEST_ADDRESS),
    ...sent,
    headers: { ...sent.headers, ...more },
  }));
}
