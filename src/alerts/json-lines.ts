/** Bodies of one JSON value a line (NDJSON, JSON Lines), as streams of events and log shippers send them (decision 0187). */
import { Problem } from "../platform/problem.ts";
import { type CleanPayload, readJsonText, textOfBody } from "./payload.ts";
import type { Reading } from "./report.ts";

/** As many as a list may hold. */
const MAX_LINES = 1000;

/** What lines hold: the values of those that can be read, where each of all stood, and what is wrong with the others. */
export interface Lines {
  values: unknown[];
  /** Of each value its line, from 1, and its place among all that are not blank, from 0. */
  places: { line: number; index: number }[];
  broken: { line: number; index: number; problem: Problem }[];
  warnings: string[];
}

/** Whether a media type is one of those that name JSON by lines; none of them is registered. */
export function isJsonLines(contentType: string | undefined): boolean {
  const type = contentType?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return /^(application|text)\/(x-)?(ndjson|jsonl|json-?lines)$/.test(type);
}

/**
 * Reads each line by itself; blank ones say nothing.
 * @throws Problem invalid: not UTF-8, too many lines, or none that can be read
 */
export function readJsonLines(bytes: Uint8Array): Lines {
  const lines: Lines = { values: [], places: [], broken: [], warnings: [] };
  const texts = textOfBody(bytes).split("\n");
  let index = 0;
  for (const [at, text] of texts.entries()) {
    if (text.trim() === "") continue;
    if (index >= MAX_LINES) throw new Problem("invalid", `A body may hold at most ${MAX_LINES} lines.`);
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
  throw lines.broken[0]?.problem ?? new Problem("invalid", "The body is empty; send a JSON object a line.");
}

function readLine(text: string, line: number): CleanPayload | Problem {
  try {
    return readJsonText(text, line);
  } catch (problem) {
    if (problem instanceof Problem) return problem;
    throw problem;
  }
}

/** The reading of a list of the values, told by lines: what was refused of it, and the lines that are no JSON, in their order. */
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
