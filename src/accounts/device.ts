/** What a browser or program calls itself, in words for its owner: enough to know one's own devices apart. */

// The first that fits counts: Edge and Opera call themselves Chrome too, and Chrome calls itself Safari.
const PROGRAMS: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Headless)?(?:Chrome|Chromium|CriOS)\//, "Chrome"],
  [/\bVersion\/[\d.]+.*\bSafari\//, "Safari"],
  [/^curl\//, "curl"],
];

const SYSTEMS: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac(?:intosh| OS X)\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
];

/** Of a longer line no more is looked at: browsers stay far below it, and one pattern tries again at each digit. */
const MAX_READ = 255;

/** "Firefox on Linux" for a User-Agent line; whoever sends it may claim anything, so nothing is decided by it. */
export function deviceWords(userAgent: string): string {
  const line = userAgent.slice(0, MAX_READ);
  const program = PROGRAMS.find(([pattern]) => pattern.test(line))?.[1];
  const system = SYSTEMS.find(([pattern]) => pattern.test(line))?.[1];
  if (program && system) return `${program} on ${system}`;
  return program ?? (system ? `A program on ${system}` : "Unknown program");
}
