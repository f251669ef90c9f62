/** Seals again, with the master key that seals now, whatever an earlier one had sealed. */
import type { Db } from "../platform/db.ts";
import type { Keys } from "../platform/secret.ts";
import { findSomeSealed, replaceSealed, SEALED_COLUMNS, type SealedColumn } from "./store-sealed.ts";

/** How many sealed values there are, and how they stood. */
export interface Sealed {
  values: number;
  /** Of an earlier key; `reseal` has sealed them again. */
  earlier: number;
  /** Of a key that is not here. */
  unreadable: number;
}

const PORTION = 500;

/**
 * Goes through all of it, a value at a time, while the service reads and writes; one that somebody else replaces meanwhile
 * stays as they wrote it. Stopped in the middle, it is begun anew, and finds what is left.
 */
export function reseal(db: Db, keys: Keys): Promise<Sealed> {
  return eachSealed(db, keys, (column, found) =>
    replaceSealed(db.pooled, column, found, keys.seal(keys.open(found.sealed, found.context), found.context)),
  );
}

/** The same without writing anything. */
export function countSealed(db: Db, keys: Keys): Promise<Sealed> {
  return eachSealed(db, keys, async () => {});
}

type Found = Awaited<ReturnType<typeof findSomeSealed>>[number];

async function eachSealed(
  db: Db,
  keys: Keys,
  ofEarlierKey: (column: SealedColumn, found: Found) => Promise<unknown>,
): Promise<Sealed> {
  const sum: Sealed = { values: 0, earlier: 0, unreadable: 0 };
  for (const column of SEALED_COLUMNS) {
    let after: string | undefined;
    do {
      const some = await findSomeSealed(db.pooled, column, after, PORTION);
      for (const found of some) {
        const key = keys.keyOf(found.sealed, found.context);
        if (key < 0) sum.unreadable++;
        if (key <= 0) continue;
        sum.earlier++;
        await ofEarlierKey(column, found);
      }
      sum.values += some.length;
      after = some.length < PORTION ? undefined : some.at(-1)?.key;
    } while (after !== undefined);
  }
  return sum;
}
