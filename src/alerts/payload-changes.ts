/** What differs between two payloads of an alert, place by place. */
import { createHash } from "node:crypto";

export interface PayloadChange {
  path: string;
  /** Undefined where there was nothing. */
  before: string | undefined;
  after: string | undefined;
}

/** Places that are compared, so that a huge payload costs no more than a large one. */
const MAX_LEAVES = 5000;

/** The places at which the second payload differs from the first, in the order of the second. */
export function payloadChanges(before: unknown, after: unknown): PayloadChange[] {
  const old = leavesOf(before);
  const now = leavesOf(after);
  const changed = [...now]
    .filter(([path, text]) => old.get(path) !== text)
    .map(([path, text]) => ({ path, before: old.get(path), after: text }));
  const gone = [...old]
    .filter(([path]) => !now.has(path))
    .map(([path, text]) => ({ path, before: text, after: undefined }));
  return [...changed, ...gone];
}

function leavesOf(payload: unknown): Map<string, string> {
  const leaves = new Map<string, string>();
  const waiting: [string, unknown][] = [["", payload]];
  for (let next = waiting.pop(); next && leaves.size < MAX_LEAVES; next = waiting.pop()) {
    const [path, value] = next;
    const inner = typeof value === "object" && value !== null ? Object.entries(value) : [];
    if (inner.length === 0) leaves.set(path, JSON.stringify(value) ?? "null");
    // Last in, first out: pushed in reverse they come in order. Each holds a leaf at least, so that no more are ever reached.
    else
      for (const [name, item] of inner.slice(0, MAX_LEAVES).reverse())
        waiting.push([path === "" ? stepText(name) : `${path}.${stepText(name)}`, item]);
  }
  return leaves;
}

const LONG = 100;

/**
 * A name as it stands in a path: of a long one its beginning, and a digest that tells it from others. Thousands of leaves below
 * a name of 100,000 letters would have as many paths of that length, which a map compares with each other.
 */
function stepText(name: string): string {
  if (name.length <= LONG) return name;
  const digest = createHash("sha256").update(name).digest("hex");
  return `${name.slice(0, LONG - 10)}…${digest.slice(0, 9)}`;
}
