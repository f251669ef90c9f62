/** Forms that bear a file (RFC 7578), for the few doors that take one. */
import type { Busboy, BusboyInstance } from "@fastify/busboy";
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

const LIMITS = { fieldNameSize: 100, fieldSize: 16 * 1024, fields: 20, files: 1, parts: 21, headerPairs: 20 };

const SLICE = 64 * 1024;

/** Lets the routes of a group take such forms; the limit of the body is each route's own `bodyLimit`. */
export function takesFiles(app: FastifyInstance): void {
  app.addContentTypeParser(
    /^multipart\/form-data\s*(?:;|$)/i,
    { parseAs: "buffer" },
    (request: FastifyRequest, body: Buffer) => readMultipart(body, request.headers["content-type"] ?? ""),
  );
}

/**
 * The fields of a form, and its file as an `UploadedFile`.
 * @throws ParameterProblem: it is none, has more than 20 fields or than one file, or a field is longer than 16 KiB
 */
export async function readMultipart(body: Buffer, contentType: string): Promise<Record<string, unknown>> {
  // Read in when the first comes: most processes never meet one.
  const library = await import("@fastify/busboy");
  const form: Record<string, unknown> = Object.create(null);
  let fault: string | undefined;
  const refuse = (words: string) => () => {
    fault ??= words;
  };
  const broken = refuse("The form is not valid multipart/form-data");
  const reader = readerOf(contentType, library.Busboy);
  reader.on("field", (name, value, nameCut, valueCut) => {
    if (nameCut || valueCut) refuse("A field of the form is longer than 16 KiB")();
    form[name] = value;
  });
  reader.on("file", (name, stream, filename) => {
    const parts: Buffer[] = [];
    // A form that ends within a file is told here too, later than the form itself; unheard it would end the process.
    stream.on("error", broken);
    stream.on("data", (part: Buffer) => parts.push(part));
    stream.on("end", () => {
      form[name] = new UploadedFile(filename ?? "", Buffer.concat(parts));
    });
  });
  for (const limit of ["partsLimit", "fieldsLimit", "filesLimit"] as const) {
    reader.on(limit, refuse("The form has more than 20 fields, or more than one file"));
  }
  const over = new Promise<void>((resolve) => {
    reader.on("error", () => resolve(broken()));
    reader.on("finish", resolve);
  });
  // Others are served between two slices, and behind a fault nothing is looked at: it may be a million fields.
  for (let at = 0; at < body.length && fault === undefined; at += SLICE) {
    reader.write(body.subarray(at, at + SLICE));
    await new Promise(setImmediate);
  }
  if (fault === undefined) {
    reader.end();
    await over;
  } else reader.destroy();
  if (fault !== undefined) throw new ParameterProblem([fault]);
  return asForm(form);
}

/** @throws ParameterProblem: no boundary */
function readerOf(contentType: string, Reader: typeof Busboy): BusboyInstance {
  try {
    return new Reader({ headers: { "content-type": contentType }, limits: LIMITS });
  } catch {
    throw new ParameterProblem(["The form is not valid multipart/form-data"]);
  }
}
