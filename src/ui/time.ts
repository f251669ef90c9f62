/** Times in words, with the exact time in UTC as their title. */
import { type Html, html } from "./html.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const longMonths = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

/** A time relative to now ("2 min ago"); the title is exact to the second in UTC. */
export function timeAgo(at: Date, now: Date): Html {
  return timeTag(at, agoWords(at, now));
}

/** A date and time: "18 Nov 2026, 07:18 UTC". */
export function timeExact(at: Date): Html {
  return timeTag(at, exactWords(at));
}

/** A date: "18 Nov 2026" (UTC). */
export function timeDay(at: Date): Html {
  return timeTag(at, dayWords(at));
}

/** A time element with the given text, which the script replaces where exact times are wanted: all of it must be about the time. */
export function timeTag(at: Date, words: Html | string): Html {
  return html`<time datetime="${at.toISOString().slice(0, 19)}Z" title="${secondWords(at)} UTC">${words}</time>`;
}

/** The words of timeAgo; a future time gives "in 3 days". */
export function agoWords(at: Date, now: Date): string {
  const past = now.getTime() - at.getTime();
  const span = Math.abs(past);
  if (span < minute) return past >= 0 ? "just now" : "in a moment";
  const words = spanWords(span);
  if (past < 0) return span < 300 * day ? `in ${words}` : dayWords(at);
  if (span < day) return `${words} ago`;
  if (span < 7 * day) return words === "1 day" && daysBetween(at, now) === 1 ? "Yesterday" : `${words} ago`;
  const sameYear = at.getUTCFullYear() === now.getUTCFullYear();
  return sameYear ? `${at.getUTCDate()} ${months[at.getUTCMonth()]}` : dayWords(at);
}

/** A duration: "2 h 14 min". */
export function durationWords(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} days`;
}

/** The words of timeExact. */
export function exactWords(at: Date): string {
  return `${dayWords(at)}, ${clockWords(at)} UTC`;
}

/** "18 Nov 2026" (UTC). */
export function dayWords(at: Date): string {
  return `${at.getUTCDate()} ${months[at.getUTCMonth()]} ${at.getUTCFullYear()}`;
}

/** "Today, 18 November", "Yesterday, 17 November", or "3 October 2025" (UTC): the headings of a feed. */
export function dayHeading(at: Date, now: Date): string {
  const days = daysBetween(at, now);
  const date = `${at.getUTCDate()} ${longMonths[at.getUTCMonth()]}`;
  if (days === 0) return `Today, ${date}`;
  if (days === 1) return `Yesterday, ${date}`;
  return `${date} ${at.getUTCFullYear()}`;
}

/** How many times the date changed in between (UTC). */
function daysBetween(at: Date, now: Date): number {
  return Math.floor(now.getTime() / day) - Math.floor(at.getTime() / day);
}

/** The displayed name of a time zone: "UTC", "America/New York". */
export function zoneWords(zone: string): string {
  return zone === "Etc/UTC" ? "UTC" : zone.replaceAll("_", " ");
}

/** "18 Nov 2026, 09:30:12" (UTC). */
export function secondWords(at: Date): string {
  return `${dayWords(at)}, ${at.toISOString().slice(11, 19)}`;
}

/** "07:18" (UTC). */
export function clockWords(at: Date): string {
  return at.toISOString().slice(11, 16);
}

/** "18 Nov" for a day written as YYYY-MM-DD. */
export function shortDay(date: string): string {
  return `${Number(date.slice(8, 10))} ${months[Number(date.slice(5, 7)) - 1]}`;
}

function spanWords(span: number): string {
  if (span < hour) return `${Math.floor(span / minute)} min`;
  if (span < day) return `${Math.floor(span / hour)} h`;
  const days = Math.floor(span / day);
  return days === 1 ? "1 day" : `${days} days`;
}
