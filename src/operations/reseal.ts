/** Encrypts values of earlier master keys again with the current one. */
import type { Db } from "../platform/db.ts";
import type { Keys } from "../platform/secret.ts";
import { findSomeSealed, replaceSealed, SEALED_COLUMNS, type SealedColumn } from "./store-sealed.ts";

/** The number of encrypted values, and their state before. */
export interface Sealed {
  values: number;
  /** Encrypted with an earlier key; `reseal` has encrypted them again. */
  earlier: number;
  /** Encrypted with a key that is missing. */
  unreadable: number;
}

const PORTION = 500;

/**
 * Processes all values one by one, while the service reads and writes; a value that is replaced concurrently keeps the new
 * content. After an interruption it can be started again, and finds what is left.
 */
export function reseal(db: Db, keys: Keys): Promise<Sealed> {
  return eachSealed(db, keys, (column, found) =>
    replaceSealed(db.pooled, column, found, keys.seal(keys.open(found.sealed, found.context), found.context)),
  );
}

/** Counts the same without writing anything. */
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
