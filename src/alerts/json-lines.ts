/** Reads bodies of one JSON value per line (NDJSON, JSON Lines), as event streams and log shippers send them (decision 0187). */
import { Problem } from "../platform/problem.ts";
import { type CleanPayload, readJsonText, textOfBody } from "./payload.ts";
import type { Reading } from "./report.ts";

/** The same limit as for a list. */
const MAX_LINES = 1000;

/** The values of the readable lines with their places, and the errors of the others. */
export interface Lines {
  values: unknown[];
  /** For each value: its line, from 1, and its index among all lines that are not blank, from 0. */
  places: { line: number; index: number }[];
  broken: { line: number; index: number; problem: Problem }[];
  warnings: string[];
}

/** Whether a media type is one of those in use for JSON lines; none of them is registered. */
export function isJsonLines(contentType: string | undefined): boolean {
  const type = contentType?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return /^(application|text)\/(x-)?(ndjson|jsonl|json-?lines)$/.test(type);
}

/**
 * Reads each line by itself; blank lines are skipped.
 * @throws Problem invalid: not UTF-8, too many lines, or none that can be read
 */
export function readJsonLines(bytes: Uint8Array): Lines {
  const lines: Lines = { values: [], places: [], broken: [], warnings: [] };
  const texts = textOfBody(bytes).split("\n");
  let index = 0;
  for (const [at, text] of texts.entries()) {
    if (text.trim() === "") continue;
    if (index >= MAX_LINES) throw new Problem("invalid", `A body may contain at most ${MAX_LINES} lines.`);
    const line = at + 1;
    const read = readLine(text, line);
    if (read instanceof Problem) lines.broken.push({ line, index, problem: read });
    else {
      lines.values.push(read.value);
      lines.places.push({ line, index });
      lines.warnings.push(...read.warnings.map((warning) => `Line ${line}: ${warning}`));
    }
    index++;
  }
  if (lines.values.length > 0) return lines;
  throw (
    lines.broken[0]?.problem ?? new Problem("invalid", "The body is empty; send one JSON object per line.")
  );
}

function readLine(text: string, line: number): CleanPayload | Problem {
  try {
    return readJsonText(text, line);
  } catch (problem) {
    if (problem instanceof Problem) return problem;
    throw problem;
  }
}

/**
 * Changes the reading of a list of values to name lines: its refused items together with the lines that are no JSON, in order.
 */
export function byLines(reading: Reading, { places, broken, warnings }: Lines): Reading {
  const told = reading.warnings.map((warning) =>
    warning.replace(/^Payload (\d+): /, (_all, place) => `Line ${places[Number(place) - 1]?.line}: `),
  );
  const refused = [
    ...(reading.refused ?? []).map(({ index, error }) => {
      const place = places[index];
      return { index: place?.index ?? index, error: `Line ${place?.line}: ${error}` };
    }),
    ...broken.map(({ index, line, problem }) => ({ index, error: `Line ${line}: ${problem.message}` })),
  ];
  return {
    ...reading,
    warnings: [
      ...warnings,
      ...told,
      ...broken.map(({ line, problem }) => `Line ${line}: ${problem.message}`),
    ],
    ...(refused.length > 0 ? { refused: refused.sort((one, other) => one.index - other.index) } : {}),
  };
}
