/** Compares two payloads of an alert, leaf by leaf. */
import { createHash } from "node:crypto";

export interface PayloadChange {
  path: string;
  /** Undefined if the path did not exist. */
  before: string | undefined;
  after: string | undefined;
}

/** How many leaves are compared, which bounds the cost of huge payloads. */
const MAX_LEAVES = 5000;

/** Returns the paths at which the second payload differs from the first, in the order of the second. */
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
    // A stack: pushed in reverse, they are popped in order. Each holds at least one leaf, so that no more are ever needed.
    else
      for (const [name, item] of inner.slice(0, MAX_LEAVES).reverse())
        waiting.push([path === "" ? stepText(name) : `${path}.${stepText(name)}`, item]);
  }
  return leaves;
}

const LONG = 100;

/**
 * Returns a name as part of a path; a long one is cut and gets a digest that keeps it unique. Otherwise thousands of leaves
 * below a name of 100,000 characters would each have a path of that length, as keys of a map.
 */
function stepText(name: string): string {
  if (name.length <= LONG) return name;
  const digest = createHash("sha256").update(name).digest("hex");
  return `${name.slice(0, LONG - 10)}…${digest.slice(0, 9)}`;
}
