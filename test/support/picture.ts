/** Forms with a file, and a minimal picture. */
import assert from "node:assert/strict";

/** One dark pixel, as PNG. */
export const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNgYGAAAAAEAAH2FzhVAAAAAElFTkSuQmCC",
  "base64",
);

/** A form with the picture, another file, or none; the media type of the file is wrong. */
export function formOf(fields: Record<string, string>, file?: Uint8Array, name = "chart.png"): FormData {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.set(field, value);
  if (file) form.set("file", new Blob([new Uint8Array(file)], { type: "image/svg+xml" }), name);
  return form;
}

/**
 * The API's record of a picture that was uploaded as `p99.png` with a link to its chart. @param page the page of its alert
 * or incident
 */
export function recordOf({ id, created_at }: { id: unknown; created_at: unknown }, page: string) {
  assert.match(String(created_at), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  const file_path = `${page}/metric_images/${id}`;
  return { id, created_at, filename: "p99.png", file_path, url: CHART, url_text: null };
}

/** The link of the metric image. */
export const CHART = "https://charts.example.org/p99";

/** The encoded form with its headers. */
export async function coded(form: FormData): Promise<{ body: Uint8Array; headers: Record<string, string> }> {
  const reply = new Response(form);
  const type = reply.headers.get("content-type") ?? "";
  return { body: new Uint8Array(await reply.arrayBuffer()), headers: { "content-type": type } };
}
