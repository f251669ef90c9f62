/** An image of a metric on an alert or an incident, as in the GitLab v4 API (decisions 0201, 0204). */
import { cutText } from "../platform/cut-text.ts";
import { UploadedFile } from "../platform/multipart.ts";
import { checkFaults } from "../platform/problem.ts";
import { instant, integer, nullable, type RowOf, row, text } from "../platform/row.ts";
import { isWebAddress } from "../platform/web-address.ts";
import type { Role } from "../projects/role.ts";

export const METRIC_IMAGE_BYTES = 5 * 1024 * 1024;
/** The image, and some room for the rest of the form. */
export const METRIC_FORM_BYTES = METRIC_IMAGE_BYTES + 1024 * 1024;
/** Per alert or incident. */
export const MAX_METRIC_IMAGES = 20;
const MAX_URL = 255;
const MAX_URL_TEXT = 128;

/** The records that may have images, with the role that may see them; Developers add and remove images. */
export const READERS = { alert: "developer", incident: "reporter" } as const satisfies Record<string, Role>;
export type PicturedKind = keyof typeof READERS;

/** An alert or incident with images. */
export interface Pictured {
  kind: PicturedKind;
  id: number;
  iid: number;
}

export const MetricImageRow = row({
  id: integer,
  filename: text,
  url: nullable(text),
  urlText: nullable(text),
  createdAt: instant,
});
export type MetricImage = RowOf<typeof MetricImageRow>;

/** The link to where the metric can be seen, and its text; null: none. */
export interface MetricImageWords {
  url?: string | null | undefined;
  urlText?: string | null | undefined;
}

export interface NewMetricImage extends MetricImageWords {
  filename: string;
  mediaType: MediaType;
  bytes: Buffer;
}

type MediaType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

/** Formats that browsers show and that cannot contain scripts, by their first bytes in hexadecimal. */
const KINDS: readonly [MediaType, RegExp][] = [
  ["image/png", /^89504e470d0a1a0a/],
  ["image/jpeg", /^ffd8ff/],
  ["image/gif", /^474946383[79]61/],
  ["image/webp", /^52494646.{8}57454250/],
];

/**
 * Checks an uploaded image and returns it as it is stored.
 * @throws FieldProblem: no file, empty, too large, or not of a supported format; the link or its text is invalid
 */
export function newMetricImage(file: unknown, words: MetricImageWords): NewMetricImage {
  const given = file instanceof UploadedFile ? file : undefined;
  const head = given?.bytes.toString("hex", 0, 12) ?? "";
  const mediaType = KINDS.find(([, start]) => start.test(head))?.[0];
  checkFaults({ file: fileFault(given, mediaType), ...faultsOf(words) });
  const { filename, bytes } = given as UploadedFile;
  return { ...plainWords(words), filename: plainName(filename), mediaType: mediaType as MediaType, bytes };
}

/** Checks the changed link and text of an image. @throws FieldProblem */
export function newWords(words: MetricImageWords): MetricImageWords {
  checkFaults(faultsOf(words));
  return plainWords(words);
}

/** Returns the path of the image file on the site. */
export function metricImagePath(
  projectPath: string,
  { kind, iid }: Pick<Pictured, "kind" | "iid">,
  { id }: MetricImage,
): string {
  return `/${projectPath}/-/${kind}s/${iid}/metric_images/${id}`;
}

function fileFault(file: UploadedFile | undefined, mediaType: MediaType | undefined): string | undefined {
  if (!file) return "is missing: send it as a file of a multipart/form-data form";
  if (file.bytes.length === 0) return "is empty";
  if (file.bytes.length > METRIC_IMAGE_BYTES) return "is too large (maximum is 5 MiB)";
  return mediaType ? undefined : "is not a PNG, JPEG, GIF or WebP image";
}

function faultsOf({ url, urlText }: MetricImageWords) {
  const isLink = !url || (url.length <= MAX_URL && isWebAddress(url));
  return {
    url: isLink ? undefined : `is not an http or https URL of at most ${MAX_URL} characters`,
    url_text:
      (urlText?.length ?? 0) > MAX_URL_TEXT
        ? `is too long (maximum is ${MAX_URL_TEXT} characters)`
        : undefined,
  };
}

/** Stores empty values as null, and leaves out absent ones. */
function plainWords({ url, urlText }: MetricImageWords): MetricImageWords {
  return {
    ...(url === undefined ? {} : { url: url || null }),
    ...(urlText === undefined ? {} : { urlText: urlText || null }),
  };
}

/** Returns a file name without directories, control characters, and characters that change the direction of text. */
function plainName(given: string): string {
  const last = given.split(/[/\\]/).at(-1) ?? "";
  const plain = last
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, "")
    .trim();
  return cutText(plain, 255) || "image";
}
