/** Turns two-factor sign-in on for a person of the world, as their authenticator app would. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { Secret, TOTP } from "otpauth";
import { PASSWORD, type Person, type World } from "./world.ts";

/** The code of a secret, some steps of 30 seconds from now. */
export function codeOf(secret: string, steps = 0): string {
  const timestamp = Date.now() + steps * 30_000;
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp });
}

/** The code of the step before this one, which still counts for some seconds at least. */
export async function earlierCodeOf(secret: string): Promise<string> {
  const left = 30_000 - (Date.now() % 30_000);
  // A timer may wake a moment early, and the code would be of the step before the one that is meant.
  if (left < 5000) await sleep(left + 100);
  return codeOf(secret, -1);
}

/** Turns it on by API; returns the key and the recovery codes. The code of the step before is spent by it. */
export async function turnOnTwoFactor(world: World, person: Person) {
  const started = await world.call("/api/v4/user/two_factor", { as: person, json: { password: PASSWORD } });
  const { secret } = started.json as { secret: string };
  for (;;) {
    const json = { code: await earlierCodeOf(secret) };
    const confirmed = await world.call("/api/v4/user/two_factor/confirm", { as: person, json });
    // On a busy machine it may come when it no longer counts.
    if (confirmed.status !== 201 && json.code !== codeOf(secret, -1)) continue;
    assert.equal(confirmed.status, 201, confirmed.text);
    return { secret, codes: confirmed.json.recovery_codes as string[] };
  }
}
