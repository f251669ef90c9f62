/** Describes a browser or program by its User-Agent, so that people can tell their devices apart. */

// The first match wins: Edge and Opera also claim to be Chrome, and Chrome claims to be Safari.
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

/** Longer lines are cut: browsers stay far below this, and one pattern backtracks at each digit. */
const MAX_READ = 255;

/** "Firefox on Linux" for a User-Agent; nothing is decided by it, since its sender may claim anything. */
export function deviceWords(userAgent: string): string {
  const line = userAgent.slice(0, MAX_READ);
  const program = PROGRAMS.find(([pattern]) => pattern.test(line))?.[1];
  const system = SYSTEMS.find(([pattern]) => pattern.test(line))?.[1];
  if (program && system) return `${program} on ${system}`;
  return program ?? (system ? `A program on ${system}` : "Unknown program");
}
