/** Parses multipart forms (RFC 7578): those of the API, and those with a file of the few routes that accept one. */
import { randomBytes } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { addToForm, asForm, compressed } from "./http.ts";
import { ParameterProblem } from "./problem.ts";

/** An uploaded file; its declared media type is ignored, only its bytes count. */
export class UploadedFile {
  readonly filename: string;
  readonly bytes: Buffer;
  constructor(filename: string, bytes: Buffer) {
    this.filename = filename;
    this.bytes = bytes;
  }
}

/** What a form may have: fields beside one file, and characters in each of them; and whether the file is of any use. */
interface FormLimits {
  mostFields: number;
  mostLetters: number;
  keepsFile: boolean;
}
const WITH_FILE: FormLimits = { mostFields: 20, mostLetters: 16 * 1024, keepsFile: true };
const MAX_HEADER_BYTES = 4 * 1024;
const BROKEN = "The form is not valid multipart/form-data";
const MULTIPART = /^multipart\/form-data\s*(?:;|$)/i;

/** Lets the routes of a group accept such forms of the same size as other bodies, as clients of GitLab send them (decision 0287). */
export function takesForms(app: FastifyInstance): void {
  const { bodyLimit = 0 } = app.initialConfig;
  app.addContentTypeParser(MULTIPART, { parseAs: "buffer" }, (request: FastifyRequest, body: Buffer) =>
    readMultipart(body, request.headers["content-type"] ?? "", {
      mostFields: 100,
      mostLetters: bodyLimit,
      keepsFile: false,
    }).catch(toldAsCompressed(request)),
  );
}

/**
 * Lets the routes of a group accept such forms, of at most `mostBytes`. The `bodyLimit` of a route would raise the limit for JSON
 * and other forms too: six megabytes of empty lists take a second to parse.
 */
export function takesFiles(app: FastifyInstance, mostBytes: number): void {
  app.removeContentTypeParser(MULTIPART);
  app.addContentTypeParser(
    MULTIPART,
    { parseAs: "buffer", bodyLimit: mostBytes },
    (request: FastifyRequest, body: Buffer) =>
      readMultipart(body, request.headers["content-type"] ?? "").catch(toldAsCompressed(request)),
  );
}

/** Replaces the fault of a compressed body, which is not in the form. */
function toldAsCompressed(request: FastifyRequest): (error: unknown) => never {
  return (error) => {
    throw compressed(request) ?? error;
  };
}

/**
 * Returns the fields of a form, and its file as an `UploadedFile` if it is kept; repeated names become lists.
 * @throws ParameterProblem if it is malformed, has more fields than the limits or more than one file, or a longer field
 */
export async function readMultipart(
  body: Buffer,
  contentType: string,
  { mostFields, mostLetters, keepsFile } = WITH_FILE,
): Promise<Record<string, unknown>> {
  const parts = partsIn(body, boundaryIn(contentType), mostFields);
  // The runtime's parser refuses boundaries shorter than 27 characters, which some clients send.
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
      if (value.length > mostLetters)
        throw fault(`A field of the form is longer than ${mostLetters / 1024} KiB`);
      addToForm(form, name, value);
    } else {
      if (++files > 1) throw fault("The form has more than one file");
      if (keepsFile) form[name] = new UploadedFile(value.name, Buffer.from(await value.arrayBuffer()));
    }
  }
  return asForm(form);
}

/**
 * Returns the text fields of a form at once, without its files and their limits.
 * @throws ParameterProblem if it is malformed or has more than 21 parts
 */
export function fieldsOfMultipart(body: Buffer, contentType: string): [name: string, value: string][] {
  return partsOfMultipart(body, contentType).flatMap((part): [string, string][] => {
    const headersEnd = part.indexOf("\r\n\r\n");
    const headers = part.toString("utf8", 0, headersEnd);
    const name = /^content-disposition: *form-data;(?:.*;)? *name="([^"]{1,200})"/im.exec(headers)?.[1];
    const isFile = /;\s*filename\*?=/i.test(headers);
    return name === undefined || isFile ? [] : [[name, part.toString("utf8", headersEnd + 4)]];
  });
}

/**
 * Returns the parts of a form, each with its headers and without the boundary, which clients choose anew for each request.
 * @throws ParameterProblem if it is malformed or has more than 21 parts
 */
export function partsOfMultipart(body: Buffer, contentType: string): Buffer[] {
  return partsIn(body, boundaryIn(contentType), WITH_FILE.mostFields);
}

/** Returns the boundary between the parts (RFC 2046 §5.1.1). @throws ParameterProblem if it is missing or malformed */
function boundaryIn(contentType: string): string {
  const [, quoted, bare] =
    /;\s*boundary=(?:"([\w'()+,./:=? -]{1,70})"|([\w'()+,./:=?-]{1,70}))\s*(?:;|$)/i.exec(contentType) ?? [];
  const boundary = quoted ?? bare;
  if (boundary === undefined) throw fault(BROKEN);
  return boundary;
}

/**
 * Splits the body into parts, each with its headers, from the end of its boundary line on. Limits their number and headers before
 * they are parsed: the parser is synchronous, so a million parts or headers would block the event loop.
 */
function partsIn(body: Buffer, boundary: string, mostFields: number): Buffer[] {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const startsAtOnce = body.indexOf(delimiter.subarray(2)) === 0;
  const parts: Buffer[] = [];
  let at = startsAtOnce ? -2 : body.indexOf(delimiter);
  while (startsAtOnce || at >= 0) {
    const start = at + delimiter.length;
    if (body.toString("latin1", start, start + 2) === "--") return parts;
    if (parts.length > mostFields) {
      throw fault(`The form has more than ${mostFields} fields, or more than one file`);
    }
    at = body.indexOf(delimiter, start);
    if (at < 0) break;
    const lineEnd = body.indexOf("\r\n", start);
    const part = body.subarray(lineEnd, at);
    const headersEnd = part.subarray(0, MAX_HEADER_BYTES).indexOf("\r\n\r\n");
    if (!/^[ \t]*$/.test(body.toString("latin1", start, lineEnd)) || headersEnd < 0) break;
    parts.push(part);
  }
  throw fault(BROKEN);
}

function fault(words: string): ParameterProblem {
  return new ParameterProblem([words]);
}
