/** The load of a measurement and its result: plain data that is sent between two processes. */

/** A value that differs between requests; it replaces `{name}` in path, headers and body. */
export interface Varied {
  /** `random` picks a new value each time; `sequence` counts up, so that each value is sent once. */
  kind: "random" | "sequence";
  from: number;
  /** Exclusive; a sequence ends there. */
  to: number;
}

/** One kind of request. */
export interface Shape {
  method: "GET" | "POST";
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  varied?: Readonly<Record<string, Varied>>;
  /** The only status that counts as success. */
  expect: number;
}

/** A kind of request with its target, concurrency and duration. */
export interface Load extends Shape {
  port: number;
  connections: number;
  warmUpSeconds: number;
  seconds: number;
  /** Open loop with this rate; absent: each connection sends its next request after the response. */
  ratePerSecond?: number;
  /** The most requests, including the warm-up. */
  limit?: number;
}

export interface LoadResult {
  perSecond: number;
  answers: number;
  /** Including the warm-up: the number of used values of a sequence. */
  sent: number;
  failed: number;
  firstFailure: string | undefined;
  p50Ms: number;
  p99Ms: number;
  /** Processor cores used by the sender itself. */
  senderCores: number;
}

type Piece = string | { name: string; varied: Varied };
interface Compiled {
  head: Piece[];
  body: Piece[] | undefined;
}

const compiled = new WeakMap<Shape, Compiled>();

/** Returns the bytes of request number `index`, HTTP/1.1 with keep-alive. Values are ASCII, so a character is a byte. */
export function renderRequest(shape: Shape & { port: number }, index: number): string {
  let pieces = compiled.get(shape);
  if (!pieces) {
    pieces = compile(shape);
    compiled.set(shape, pieces);
  }
  const values: Record<string, number> = {};
  const head = fill(pieces.head, values, index);
  if (!pieces.body) return `${head}\r\n`;
  const body = fill(pieces.body, values, index);
  return `${head}content-length: ${body.length}\r\n\r\n${body}`;
}

/** Returns the same request for `fetch`, to check its response once. */
export function sampleOf(shape: Shape, index: number): { path: string; init: RequestInit } {
  const request = renderRequest({ ...shape, port: 0 }, index);
  const [head = "", body] = request.split("\r\n\r\n");
  const [line = "", , ...headers] = head.split("\r\n").filter(Boolean);
  const pairs = headers
    .map((header) => header.split(": ") as [string, string])
    .filter(([name]) => name !== "content-length");
  return {
    path: line.split(" ")[1] ?? "/",
    init: { method: shape.method, headers: pairs, ...(shape.body === undefined ? {} : { body: body ?? "" }) },
  };
}

function compile(shape: Shape & { port: number }): Compiled {
  const headers = Object.entries(shape.headers ?? {}).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `${shape.method} ${shape.path} HTTP/1.1\r\nhost: 127.0.0.1:${shape.port}\r\n${headers.join("")}`;
  return {
    head: pieces(head, shape),
    body: shape.body === undefined ? undefined : pieces(shape.body, shape),
  };
}

function pieces(text: string, { varied = {} }: Shape): Piece[] {
  return text.split(/\{(\w+)\}/).map((part, at): Piece => {
    if (at % 2 === 0) return part;
    const value = varied[part];
    if (!value) throw new Error(`the request says {${part}}, which does not vary`);
    return { name: part, varied: value };
  });
}

function fill(parts: readonly Piece[], values: Record<string, number>, index: number): string {
  let text = "";
  for (const part of parts) {
    if (typeof part === "string") text += part;
    else text += values[part.name] ??= pickValue(part.varied, index);
  }
  return text;
}

function pickValue({ kind, from, to }: Varied, index: number): number {
  return kind === "sequence" ? from + index : from + Math.floor(Math.random() * (to - from));
}

/** Returns the value below which the given share of a sorted list lies; NaN for an empty one. */
export function percentile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
