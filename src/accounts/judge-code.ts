/** Judges a code of a second factor, and limits the tries of one account over all doors together. */
import type { Queries } from "../platform/db.ts";
import {
  deleteSignInFailure,
  deleteSignInFailures,
  findWaitBefore,
  insertSignInFailure,
} from "./store-sign-in-failures.ts";

/** Not judged is what came too soon; it is not counted either. */
export type JudgedCode = { accepted: true } | { accepted: false; isJudged: boolean; waitSeconds: number };

/**
 * The try is written down before it is judged, so that many at once cannot outrun the throttle; the network does not matter,
 * because who stands here knows the password (reference reliability S59, S60).
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
