/** Tokens that an operator set for the first administrator: looked up whatever their form (contract §1; decision 0174). */
import type { Db } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { digest, maySecretBe } from "../platform/secret.ts";
import { listPersonalDigests } from "./store.ts";

/** The name of such a token. */
export const GIVEN_TOKEN = "first start";

/** Digests of such tokens, in hexadecimal. */
const given = new WeakMap<Db, ReadonlySet<string>>();

/** Loads the digests; called once, before the service answers. */
export async function learnGivenTokens({ db }: Platform): Promise<void> {
  const digests = await listPersonalDigests(db, GIVEN_TOKEN);
  given.set(db, new Set(digests.map((one) => one.digest)));
}

/** Returns false for a string that cannot be a token, so that it needs no lookup (reference reliability S52). */
export function mayBeToken({ db }: Platform, secret: string): boolean {
  return (
    maySecretBe("accessToken", secret) ||
    maySecretBe("personalAccessToken", secret) ||
    (given.get(db)?.has(digest(secret).toString("hex")) ?? false)
  );
}
