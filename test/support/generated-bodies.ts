/** Generators of bodies and queries: JSON, forms and forms with files, as documented or with something wrong. */
import fc from "fast-check";
import { hostile, hostileText, jsonOf } from "./generated-hostile.ts";
import { fitting, type Shape, spoiled } from "./generated-values.ts";
import { PICTURE } from "./picture.ts";

/** Percent-encodes as far as there is an encoding: what is no text becomes bytes that are no UTF-8. */
export function escaped(text: string): string {
  return [...text]
    .map((one) => (/[\ud800-\udfff]/.test(one) && one.length === 1 ? "%ED%A0%80" : encodeURIComponent(one)))
    .join("");
}

const RAW = ["%", "%zz", "%ff", "%ED%A0%80", "%00", "%c0%af", "a=b=c", "&&", "+", "%2B", "x".repeat(3000)];
const BRACKETS = ["[]", "[a]", "[a][b][]", "[0]", "[", "]", "[__proto__]", "%5B%5D", "%5Bx%5D", "."];

/** The schemas of fields or parameters by name. */
export type Shapes = Readonly<Record<string, Shape>>;

/** The same schema for text, which cannot say null. */
function withoutNull(shape: Shape): Shape {
  const [one, ...others] = shape.anyOf?.filter(({ type }) => type !== "null") ?? [shape];
  return one === undefined || others.length > 0 ? shape : one;
}

/** One pair of a query or form, encoded. */
function pair(name: string, shape: Shape, odd: boolean): fc.Arbitrary<string> {
  const good = fitting(withoutNull(shape)).map((value) =>
    Array.isArray(value)
      ? value.map((one) => `${name}[]=${escaped(String(one))}`).join("&")
      : `${name}=${escaped(typeof value === "string" ? value : jsonOf(value))}`,
  );
  if (!odd) return good;
  const bad = fc.oneof(
    fc.constantFrom(...RAW),
    hostileText.map((text) => escaped(text.slice(0, 4000))),
  );
  return fc.oneof(
    {
      weight: 3,
      arbitrary: fc
        .tuple(fc.constantFrom("", "", ...BRACKETS), bad)
        .map(([bracket, value]) => `${name}${bracket}=${value}`),
    },
    { weight: 1, arbitrary: good.map((text) => text.replaceAll("[]=", "=").replaceAll("&", ",")) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(name, `${name}=`, `${name}=1&${name}=2`, `${name}&${name}[]=1&${name}[a]=2`),
    },
  );
}

/** Some pairs of the declared names, all of the needed ones; if `odd`, also of others and with hostile values. */
export function pairs(shapes: Shapes, odd: boolean, needed: readonly string[] = []): fc.Arbitrary<string> {
  const others = ["page", "per_page", "access_token", "__proto__", "sudo", "constructor", "a[b][c]"];
  const each = Object.entries(shapes).map(([name, shape]) => [name, pair(name, shape, false)] as const);
  const must = each.filter(([name]) => needed.includes(name)).map(([, one]) => one);
  const may = each.filter(([name]) => !needed.includes(name)).map(([, one]) => one);
  const bad = [...Object.entries(shapes), ...others.map((name) => [name, { type: "string" }] as const)].map(
    ([name, shape]) => pair(name, shape, true),
  );
  const some = odd
    ? fc.array(fc.oneof(...bad, ...may), { minLength: 1, maxLength: 4 })
    : fc.subarray(may, { maxLength: Math.min(2, may.length) }).chain((chosen) => fc.tuple(...chosen));
  return fc.tuple(fc.tuple(...must), some).map((all) => all.flat().join("&"));
}

/** The part of a request that says something in the body. */
export interface Body {
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
}
const typed = (type: string, body: string | Uint8Array): Body => ({
  headers: { "content-type": type },
  body,
});

const JSON_TYPES = [
  ...["application/json; charset=utf-8", "application/json;charset=latin1", "Application/JSON"],
  ...["application/x+json", "application/json; charset", "application/json;"],
];
const OTHER_TYPES = [
  ...["text/plain", "application/xml", "application/octet-stream", "x", "", "multipart/form-data"],
  ...["application/json, text/plain", "application/x-www-form-urlencoded; charset=utf-16", "\u00ff/\u00ff"],
  ...["text/json"],
];
const BROKEN = [
  ...["", "{", "[", "null", "5", '"x"', "[]", "{}x", "\ufeff{}", "{'a':1}", '{"a":"\u0001"}', '{"a":1,}'],
  ...["[".repeat(20_000), "\0", "=", "&", "%", "a=%ff", "a[b][c]=1&a=2"],
];

/** A value as JSON. */
export function asJson(value: fc.Arbitrary<unknown>): fc.Arbitrary<Body> {
  return value.map((one) => typed("application/json", jsonOf(one)));
}

/** The encoding of a value as JSON, damaged or under another media type. */
export function asBrokenJson(value: fc.Arbitrary<unknown>): fc.Arbitrary<Body> {
  const text = value.map(jsonOf);
  const cut = fc
    .tuple(text, fc.nat(), fc.constantFrom("", "\0", "}", ",", "\u00e9"))
    .map(([json, at, more]) => json.slice(0, at % (json.length + 1)) + more);
  const bytes = fc.tuple(text, fc.nat(), fc.constantFrom(0xff, 0xc0, 0xed, 0)).map(([json, at, byte]) => {
    const all = Buffer.from(json);
    if (all.length > 0) all[at % all.length] = byte;
    return all;
  });
  return fc.oneof(
    fc.tuple(fc.constantFrom(...JSON_TYPES), text).map(([type, json]) => typed(type, json)),
    fc.oneof(cut, bytes, fc.constantFrom(...BROKEN)).map((json) => typed("application/json", json)),
    fc
      .tuple(fc.constantFrom(...OTHER_TYPES), fc.oneof(fc.constantFrom(...BROKEN), text))
      .map(([type, json]) => typed(type, json)),
  );
}

/** The fields of a form, encoded. */
function asForm(shape: Shape, odd: boolean): fc.Arbitrary<Body> {
  return pairs(shape.properties ?? {}, odd, shape.required).map((text) =>
    typed("application/x-www-form-urlencoded", text),
  );
}

/** A form with a file: with a picture or anything else, and sometimes with a damaged structure. */
function asMultipart(shape: Shape): fc.Arbitrary<Body> {
  const field = fc.tuple(
    fc.constantFrom(...Object.keys(shape.properties ?? {}), "x", "file", ""),
    fc.oneof(hostileText, fc.constant("https://a.example/")),
  );
  const file = fc.oneof(
    { weight: 3, arbitrary: fc.constant(PICTURE) },
    fc.uint8Array({ maxLength: 60 }).map((all) => Buffer.from(all)),
  );
  const name = fc.constantFrom(
    "chart.png",
    "",
    "a\0.png",
    "../x.png",
    "x.svg",
    'q"uote.png',
    "é".repeat(300),
    "\\",
  );
  const types = [
    "multipart/form-data; boundary=b",
    'multipart/form-data; boundary="b"',
    "multipart/form-data",
    "multipart/form-data; boundary=",
    "multipart/mixed; boundary=b",
    "multipart/form-data; boundary=c",
  ];
  return fc
    .tuple(
      fc.array(field, { maxLength: 3 }),
      file,
      name,
      fc.constantFrom(types[0], types[0], types[0], ...types),
      fc.constantFrom("\r\n", "\r\n", "\r\n", "\n"),
      fc.constantFrom("--", "--", "--", ""),
    )
    .map(([fields, content, filename, type, line, end]) => {
      const texts = fields.map(
        ([key, value]) =>
          `--b${line}content-disposition: form-data; name="${key}"${line}${line}${value}${line}`,
      );
      const head = `--b${line}content-disposition: form-data; name="file"; filename="${filename}"${line}content-type: image/png${line}${line}`;
      const body = Buffer.concat([
        Buffer.from(texts.join("") + head),
        content,
        Buffer.from(`${line}--b${end}${line}`),
      ]);
      return typed(type ?? "", body);
    });
}

/** Bodies of a documented media type: as documented, or with something wrong. */
export function bodyOf(type: string, shape: Shape, odd: boolean): fc.Arbitrary<Body> {
  if (type === "multipart/form-data") return asMultipart(shape);
  if (type === "application/x-www-form-urlencoded") return asForm(shape, odd);
  const value = odd
    ? fc.oneof({ weight: 6, arbitrary: spoiled(shape) }, { weight: 1, arbitrary: hostile })
    : fitting(shape);
  if (type === "application/x-ndjson")
    return fc.array(value.map(jsonOf), { maxLength: 5 }).map((all) => typed(type, all.join("\n")));
  if (type !== "application/json") return value.map((one) => typed(type, jsonOf(one)));
  const forms = { weight: 1, arbitrary: asForm(shape, odd) };
  return odd
    ? fc.oneof({ weight: 6, arbitrary: asJson(value) }, { weight: 2, arbitrary: asBrokenJson(value) }, forms)
    : fc.oneof({ weight: 5, arbitrary: asJson(value) }, forms);
}
