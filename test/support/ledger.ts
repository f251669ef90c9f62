/** What senders were told, and whether what is stored agrees with it (reference reliability B: the checkers set and counter). */

interface StoredAlert {
  title: string;
  /** How often it was counted. */
  events: number;
}

/** Alerts by title: how many were accepted, and how many have no answer that says whether they were stored. */
export class AlertLedger {
  readonly accepted = new Map<string, number>();
  readonly unknown = new Map<string, number>();

  accept(title: string): void {
    this.accepted.set(title, (this.accepted.get(title) ?? 0) + 1);
  }

  doubt(title: string): void {
    this.unknown.set(title, (this.unknown.get(title) ?? 0) + 1);
  }

  /** How many were accepted, over all titles. */
  get total(): number {
    return [...this.accepted.values()].reduce((sum, count) => sum + count, 0);
  }

  /** What the stored alerts contradict: each accepted one is counted once, and nothing is there that was not sent. */
  contradictions(stored: readonly StoredAlert[]): string[] {
    const counts = new Map(stored.map(({ title, events }) => [title, events]));
    const found = twice(stored.map(({ title }) => title));
    for (const title of new Set([...this.accepted.keys(), ...counts.keys()])) {
      const least = this.accepted.get(title) ?? 0;
      const most = least + (this.unknown.get(title) ?? 0);
      const events = counts.get(title) ?? 0;
      const bounds = least === most ? `${least}` : `${least} to ${most}`;
      if (events < least || events > most)
        found.push(`${title}: counted ${events} times instead of ${bounds}`);
    }
    return found;
  }
}

/** Events by the id in the answer, and the titles of those without one. */
export class EventLedger {
  readonly accepted = new Map<number, string>();
  readonly unknown = new Set<string>();

  /** What the stored events contradict: each title once, the accepted ones under their ids, and none that was not sent. */
  contradictions(stored: readonly { id: number; title: string }[]): string[] {
    const titles = new Map(stored.map(({ id, title }) => [id, title]));
    const known = new Set(this.accepted.values());
    const lost = [...this.accepted].filter(([id, title]) => titles.get(id) !== title);
    const strange = stored.filter(({ title }) => !known.has(title) && !this.unknown.has(title));
    return [
      ...twice(stored.map(({ title }) => title)),
      ...lost.map(([id, title]) => `${title}: accepted as ${id}, and not stored so`),
      ...strange.map(({ title }) => `${title}: stored, and never sent`),
    ];
  }
}

function twice(titles: readonly string[]): string[] {
  const again = titles.filter((title, at) => titles.indexOf(title) !== at);
  return [...new Set(again)].map((title) => `${title}: stored more than once`);
}
