/** Turns on two-factor sign-in for a person of the world, as an authenticator app would. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { Secret, TOTP } from "otpauth";
import { PASSWORD, type Person, type World } from "./world.ts";

/** The TOTP code of a secret, offset by some steps of 30 seconds. */
export function codeOf(secret: string, steps = 0): string {
  const timestamp = Date.now() + steps * 30_000;
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp });
}

/** The code of the previous step, which stays valid for some seconds at least. */
async function earlierCodeOf(secret: string): Promise<string> {
  const left = 30_000 - (Date.now() % 30_000);
  // A timer may fire slightly early, which would give the code of the wrong step.
  if (left < 5000) await sleep(left + 100);
  return codeOf(secret, -1);
}

/** Turns it on through the API with the code of the previous step; returns the key and the recovery codes. */
export async function turnOnTwoFactor(world: World, person: Person) {
  const started = await world.call("/api/v4/user/two_factor", { as: person, json: { password: PASSWORD } });
  const { secret } = started.json as { secret: string };
  for (;;) {
    const json = { code: await earlierCodeOf(secret) };
    const confirmed = await world.call("/api/v4/user/two_factor/confirm", { as: person, json });
    // On a busy machine the code may arrive too late; try again.
    if (confirmed.status !== 201 && json.code !== codeOf(secret, -1)) continue;
    assert.equal(confirmed.status, 201, confirmed.text);
    return { secret, codes: confirmed.json.recovery_codes as string[] };
  }
}
