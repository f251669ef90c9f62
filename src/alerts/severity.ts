/** The six severities, and the words of other tools that map to them. */

/** Most severe first (spec: Alert payload severity). */
export const SEVERITIES = ["critical", "high", "medium", "low", "info", "unknown"] as const;
export type Severity = (typeof SEVERITIES)[number];

/** The choices of a field, most severe first. */
export const SEVERITY_OPTIONS = SEVERITIES.map((value) => ({
  value,
  label: value.charAt(0).toUpperCase() + value.slice(1),
}));

/** Returns the severity of that name in any case, or undefined. */
export function severityOf(word: unknown): Severity | undefined {
  if (typeof word !== "string") return undefined;
  const folded = word.trim().toLowerCase();
  return SEVERITIES.find((severity) => severity === folded);
}

/** Whether the first is more severe than the second. */
export function isWorse(one: Severity, other: Severity): boolean {
  return SEVERITIES.indexOf(one) < SEVERITIES.indexOf(other);
}

const OTHER_WORDS: Readonly<Record<Severity, string>> = {
  critical: "s1 p1 emergency emerg fatal crit disaster failure blocker",
  high: "s2 p2 major page severe",
  medium: "s3 p3 error err alert average moderate",
  low: "s4 p4 warn warning minor",
  info: "s5 p5 debug information informational notice none okay ok",
  unknown: "",
};

const byOtherWord = new Map(
  SEVERITIES.flatMap((severity) => OTHER_WORDS[severity].split(" ").map((word) => [word, severity] as const)),
);

/** Like `severityOf`, and also maps the words that monitoring tools put into a severity label. */
export function severityOfLabel(word: unknown): Severity | undefined {
  return (
    severityOf(word) ?? (typeof word === "string" ? byOtherWord.get(word.trim().toLowerCase()) : undefined)
  );
}
