/** Forms that bear a file (RFC 7578), for the few doors that take one. */
import { randomBytes } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { asForm } from "./http.ts";
import { ParameterProblem } from "./problem.ts";

/** A file that a form bore; of its type nothing is told but what its bytes tell. */
export class UploadedFile {
  readonly filename: string;
  readonly bytes: Buffer;
  constructor(filename: string, bytes: Buffer) {
    this.filename = filename;
    this.bytes = bytes;
  }
}

const MOST_PARTS = 21;
const MOST_HEADER_BYTES = 4 * 1024;
const MOST_FIELD_LENGTH = 16 * 1024;
const BROKEN = "The form is not valid multipart/form-data";

/**
 * Lets the routes of a group take such forms, of at most so many bytes. No `bodyLimit` of a route, which would count for
 * JSON and other forms too: six megabytes of empty lists take a second to read.
 */
export function takesFiles(app: FastifyInstance, mostBytes: number): void {
  app.addContentTypeParser(
    /^multipart\/form-data\s*(?:;|$)/i,
    { parseAs: "buffer", bodyLimit: mostBytes },
    (request: FastifyRequest, body: Buffer) => readMultipart(body, request.headers["content-type"] ?? ""),
  );
}

/**
 * The fields of a form, and its file as an `UploadedFile`.
 * @throws ParameterProblem: it is none, has more than 20 fields or than one file, or a field is longer than 16 KiB
 */
export async function readMultipart(body: Buffer, contentType: string): Promise<Record<string, unknown>> {
  const parts = partsIn(body, boundaryIn(contentType));
  // The runtime's parser takes no boundary below 27 characters, and some clients write shorter ones.
  const own = `gatehouse-${randomBytes(16).toString("hex")}`;
  const pieces = parts.flatMap((part) => [Buffer.from(`--${own}`), part, Buffer.from("\r\n")]);
  const rewritten = Buffer.concat([...pieces, Buffer.from(`--${own}--\r\n`)]);
  const headers = { "content-type": `multipart/form-data; boundary=${own}` };
  const given = await new Response(rewritten, { headers }).formData().catch(() => {
    throw fault(BROKEN);
  });
  const form: Record<string, unknown> = Object.create(null);
  let files = 0;
  for (const [name, value] of given) {
    if (typeof value === "string") {
      if (value.length > MOST_FIELD_LENGTH) throw fault("A field of the form is longer than 16 KiB");
      form[name] = value;
    } else {
      if (++files > 1) throw fault("The form has more than one file");
      form[name] = new UploadedFile(value.name, Buffer.from(await value.arrayBuffer()));
    }
  }
  return asForm(form);
}

/** What stands between the parts (RFC 2046 §5.1.1). @throws ParameterProblem: none is told, or one of other characters */
function boundaryIn(contentType: string): string {
  const [, quoted, bare] =
    /;\s*boundary=(?:"([\w'()+,./:=? -]{1,70})"|([\w'()+,./:=?-]{1,70}))\s*(?:;|$)/i.exec(contentType) ?? [];
  const boundary = quoted ?? bare;
  if (boundary === undefined) throw fault(BROKEN);
  return boundary;
}

/**
 * Each part with its headers, from the end of its first line on. They are counted before they are read: the parser does it in one
 * go, so that a body of a million parts, or of as many headers, would hold everybody up.
 */
function partsIn(body: Buffer, boundary: string): Buffer[] {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const startsAtOnce = body.indexOf(delimiter.subarray(2)) === 0;
  const parts: Buffer[] = [];
  let at = startsAtOnce ? -2 : body.indexOf(delimiter);
  while (startsAtOnce || at >= 0) {
    const start = at + delimiter.length;
    if (body.toString("latin1", start, start + 2) === "--") return parts;
    if (parts.length === MOST_PARTS) throw fault("The form has more than 20 fields, or more than one file");
    at = body.indexOf(delimiter, start);
    if (at < 0) break;
    const lineEnd = body.indexOf("\r\n", start);
    const part = body.subarray(lineEnd, at);
    const headersEnd = part.subarray(0, MOST_HEADER_BYTES).indexOf("\r\n\r\n");
    if (!/^[ \t]*$/.test(body.toString("latin1", start, lineEnd)) || headersEnd < 0) break;
    parts.push(part);
  }
  throw fault(BROKEN);
}

function fault(words: string): ParameterProblem {
  return new ParameterProblem([words]);
}
