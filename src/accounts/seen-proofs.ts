/** Remembers in this process which proofs of possession were used, for as long as each would be valid (RFC 9449 §11.1). */
import { digest } from "../platform/secret.ts";

/** Some 20 MB; more than a process can verify within that time. */
const MOST = 200_000;

export interface SeenProofs {
  /** Records a proof. If there is no room for it, it must not be accepted. */
  see(name: string, nowSeconds: number): "first" | "again" | "no room";
}

/** @param seconds how long a proof is remembered at least; at most twice as long */
export function createSeenProofs(seconds: number, most = MOST): SeenProofs {
  let young = new Set<string>();
  let old = new Set<string>();
  let since = Number.NEGATIVE_INFINITY;
  return {
    see(name, nowSeconds) {
      const passed = nowSeconds - since;
      if (passed >= seconds) {
        old = passed < 2 * seconds ? young : new Set();
        young = new Set();
        since = nowSeconds;
      }
      // Half a digest is enough to tell proofs apart, and takes a quarter of the memory that a name may take.
      const key = digest(name).toString("latin1", 0, 16);
      if (young.has(key) || old.has(key)) return "again";
      if (young.size + old.size >= most) return "no room";
      young.add(key);
      return "first";
    },
  };
}
