/** The contribution calendar: a year of days as a table, one column per week. */
import { wholeNumber } from "./count.ts";
import { attrs, type Html, html } from "./html.ts";
import { shortDay, zoneWords } from "./time.ts";

/** A day (YYYY-MM-DD) and its number of contributions. */
export type CalendarDay = { date: string; count: number };

const weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const DAY_MS = 86_400_000;

/**
 * A card with the year up to `today` (YYYY-MM-DD): days missing from the list count as zero, others link to their events.
 * The sentence above the table has the number of active days, the busiest day, and the time zone of the days.
 */
export function contributionCalendar(
  days: readonly CalendarDay[],
  today: string,
  zone: string,
  hrefFor?: (date: string) => string,
): Html {
  const counts = new Map(days.map((day) => [day.date, day.count]));
  const weeks = weeksUpTo(today);
  const shown = weeks.flat().filter((date) => date !== undefined);
  const total = shown.reduce((sum, date) => sum + (counts.get(date) ?? 0), 0);
  const rows = weekdays.map((name, index) => {
    const label = index % 2 === 0 ? name : html`<span class="sr">${name}</span>`;
    const cells = weeks.map((week) => dayCell(week[index], counts, today, hrefFor));
    return html`<tr><th scope="row">${label}</th>${cells}</tr>
`;
  });
  return html`<section class="card" aria-labelledby="calendar-heading"><header><div><h2 id="calendar-heading">${wholeNumber(total)} ${plural(total, "contribution")} in the last year</h2><p>${sentence(shown, counts)} Days are those of ${zoneWords(zone)}.</p></div>${legend()}</header>
<div class="body tight"><div class="heat-scroll" role="region" aria-label="Contribution calendar" tabindex="0"><table class="heat"><caption class="sr">Contributions per day, one column per week, newest last</caption><thead><tr><th scope="col"><span class="sr">Day</span></th>${monthHeads(weeks)}</tr></thead><tbody>
${rows}</tbody></table></div></div></section>`;
}

/** The weeks from Monday to Sunday of the year that ends today; days outside of it are undefined. */
export function weeksUpTo(today: string): (string | undefined)[][] {
  const last = Date.parse(`${today}T00:00:00Z`);
  const first = last - 364 * DAY_MS;
  const monday = first - ((new Date(first).getUTCDay() + 6) % 7) * DAY_MS;
  const weeks: (string | undefined)[][] = [];
  for (let start = monday; start <= last; start += 7 * DAY_MS) {
    weeks.push(
      weekdays.map((_, index) => {
        const day = start + index * DAY_MS;
        return day < first || day > last ? undefined : new Date(day).toISOString().slice(0, 10);
      }),
    );
  }
  return weeks;
}

/** The step of the colour ramp: none, 1 to 2, 3 to 5, 6 to 9, 10 and more. */
export function levelOf(count: number): 0 | 1 | 2 | 3 | 4 {
  if (count >= 10) return 4;
  if (count >= 6) return 3;
  if (count >= 3) return 2;
  return count >= 1 ? 1 : 0;
}

function dayCell(
  date: string | undefined,
  counts: Map<string, number>,
  today: string,
  hrefFor: ((date: string) => string) | undefined,
): Html {
  if (date === undefined) return html`<td></td>`;
  const count = counts.get(date) ?? 0;
  const level = levelOf(count);
  const classes = [level > 0 && `l${level}`, date === today && "today"].filter(Boolean).join(" ");
  const title = `${count === 0 ? "None" : count} on ${shortDay(date)}`;
  const own = { class: classes || undefined };
  // The title is also the link's name: a year has up to 371 of them, and each word is on the page that often.
  if (count > 0 && hrefFor)
    return html`<td${attrs(own)}><a href="${hrefFor(date)}" title="${title}"></a></td>`;
  return html`<td${attrs({ ...own, title })}>${count}</td>`;
}

function monthHeads(weeks: readonly (string | undefined)[][]): Html[] {
  const spans: { month: string; weeks: number }[] = [];
  for (const week of weeks) {
    const month = shortDay(week.find((date) => date !== undefined) ?? "").split(" ")[1] ?? "";
    const last = spans.at(-1);
    if (last?.month === month) last.weeks++;
    else spans.push({ month, weeks: 1 });
  }
  // A month's name needs three columns; the incomplete first and last months are named for screen readers only.
  return spans.map(
    ({ month, weeks: count }) =>
      html`<th scope="colgroup" colspan="${count}">${count < 3 ? html`<span class="sr">${month}</span>` : month}</th>`,
  );
}

function sentence(dates: readonly string[], counts: Map<string, number>): string {
  const active = dates.filter((date) => (counts.get(date) ?? 0) > 0);
  if (active.length === 0) return "No active days yet.";
  const busiest = active.reduce((best, date) =>
    (counts.get(date) ?? 0) > (counts.get(best) ?? 0) ? date : best,
  );
  return `${active.length} active ${plural(active.length, "day")}. Busiest was ${shortDay(busiest)} with ${counts.get(busiest)}.`;
}

function legend(): Html {
  return html`<span class="legend" aria-hidden="true"><span>Fewer</span><i></i><i class="l1"></i><i class="l2"></i><i class="l3"></i><i class="l4"></i><span>More</span></span>`;
}

function plural(count: number, word: string): string {
  return count === 1 ? word : `${word}s`;
}
