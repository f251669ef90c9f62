/** Waiting for a condition. */

/**
 * Polls `look` until it returns something, frequently at first and for at most five minutes, which busy machines may need.
 */
export async function until<T>(look: () => Promise<T | undefined | false>): Promise<T> {
  for (let tries = 0; tries < 3020; tries++) {
    const found = await look();
    if (found) return found;
    await new Promise((done) => setTimeout(done, tries < 20 ? 5 : 100));
  }
  throw new Error("it did not happen within five minutes");
}
