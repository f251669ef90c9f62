/** Judges a code of a second factor, and limits the tries of one account over all doors together. */
import type { Queries } from "../platform/db.ts";
import {
  deleteSignInFailure,
  deleteSignInFailures,
  findWaitBefore,
  insertSignInFailure,
} from "./store-sign-in-failures.ts";

/** `isJudged` is false for a code that was throttled, which is not counted either. */
export type JudgedCode = { accepted: true } | { accepted: false; isJudged: boolean; waitSeconds: number };

/**
 * Records the attempt before the code is checked, so that concurrent attempts cannot outrun the throttle; it ignores the network,
 * because the attacker knows the password already (reference reliability S59, S60).
 */
export async function judgeCode(
  db: Queries,
  userId: number,
  isRight: () => Promise<boolean>,
): Promise<JudgedCode> {
  const login = `second factor ${userId}`;
  const attempt = await insertSignInFailure(db, login, ANYWHERE);
  const waitSeconds = await findWaitBefore(db, login, ANYWHERE, attempt);
  if (waitSeconds > 0) {
    await deleteSignInFailure(db, attempt);
    return { accepted: false, isJudged: false, waitSeconds };
  }
  if (!(await isRight())) {
    const next = await findWaitBefore(db, login, ANYWHERE, attempt + 1);
    return { accepted: false, isJudged: true, waitSeconds: next };
  }
  await deleteSignInFailures(db, login, ANYWHERE);
  return { accepted: true };
}

const ANYWHERE = "anywhere";
