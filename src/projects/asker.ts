/** Whoever asks for a project: the user behind a token, or the viewer of a page. */

/** Whoever asks: a token's user, a page's viewer, or undefined for nobody. */
export interface Asker {
  id: number;
  isAdmin: boolean;
  /** About to change something: what rests refuses them (decision 0153). */
  changes?: boolean;
}

/** Who has changed something and reads what came of it, also where everything rests meanwhile. */
export function readerOf({ id, isAdmin }: Asker): Asker {
  return { id, isAdmin };
}
