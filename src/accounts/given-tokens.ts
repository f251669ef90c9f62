/** Tokens that an operator gave the first administrator: looked up whatever they look like (contract §1; decision 0174). */
import type { Db } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { digest, maySecretBe } from "../platform/secret.ts";
import { listPersonalDigests } from "./store.ts";

/** The name of a token that was given. */
export const GIVEN_TOKEN = "first start";

/** Their digests in hexadecimal. */
const given = new WeakMap<Db, ReadonlySet<string>>();

/** Once, before the service answers. */
export async function learnGivenTokens({ db }: Platform): Promise<void> {
  const digests = await listPersonalDigests(db, GIVEN_TOKEN);
  given.set(db, new Set(digests.map((one) => one.digest)));
}

/** False for what cannot be a token of anybody, so that it needs no lookup (reference reliability S52). */
export function mayBeToken({ db }: Platform, secret: string): boolean {
  return (
    maySecretBe("accessToken", secret) ||
    maySecretBe("personalAccessToken", secret) ||
    (given.get(db)?.has(digest(secret).toString("hex")) ?? false)
  );
}
