/** Creates, changes and removes hooks, and rotates their secrets (decision 0109). */
import { checkName } from "../accounts/name.ts";
import { dropWaiting, redirectWaiting } from "../outbox/change-waiting.ts";
import { OUTBOX_SEAL } from "../outbox/message.ts";
import { targetFault } from "../outbox/safe-request.ts";
import { newWebhookSecret } from "../outbox/signature.ts";
import { isLongerThan } from "../platform/character-count.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import { holdMaintainer } from "../projects/hold-role.ts";
import {
  type Hook,
  type HookChange,
  type HookFields,
  LONGEST_HOOK_URL,
  MAX_HOOKS,
  purposeOf,
} from "./hook.ts";
import { deleteHook, holdHook, insertHook, lockHooksOf, updateHook, updateSecret } from "./store-hooks.ts";

/** Creates a hook and returns its secret, which is never returned again. @throws FieldProblem url, name; Problem unprocessable */
export async function createHook(
  platform: Platform,
  { projectId, makerId }: { projectId: number; makerId: number },
  fields: HookFields,
): Promise<{ hook: Hook; secret: string }> {
  const secret = newWebhookSecret();
  const secretSealed = platform.keys.seal(secret, OUTBOX_SEAL);
  const { url, ...rest } = fields;
  // A hook without a name is named after its host.
  if (fields.name) checkName(fields.name);
  const address = addressOf(platform, url);
  const name = fields.name || address.host;
  const kept = { ...rest, ...address, name, projectId, secretSealed, createdBy: makerId };
  const hook = await platform.db.transaction(async (tx) => {
    await holdMaintainer(tx, makerId, projectId);
    await lockHooksOf(tx, projectId);
    return insertHook(tx, kept, MAX_HOOKS);
  });
  if (!hook) throw new Problem("unprocessable", `A project has at most ${MAX_HOOKS} hooks`);
  return { hook, secret };
}

/**
 * What waits for a hook that is disabled is not sent, and a new address holds for it too.
 * @throws FieldProblem url, name; Problem not_found: it was deleted meanwhile; as `holdMaintainer`
 */
export async function changeHook(
  platform: Platform,
  makerId: number,
  hook: Hook,
  change: HookChange,
): Promise<Hook> {
  const { url, ...fields } = change;
  if (fields.name) checkName(fields.name, undefined, hook.name);
  const address = url === undefined ? undefined : addressOf(platform, url);
  return platform.db.transaction(async (tx) => {
    await holdMaintainer(tx, makerId, hook.projectId);
    const changed = await updateHook(tx, hook.id, { ...fields, ...address });
    if (!changed) throw new Problem("not_found", "404 Hook Not Found");
    const { urlSealed: sealed, host } = changed;
    if (fields.active === false) await dropWaiting(tx, purposeOf(changed));
    else if (address) await redirectWaiting(tx, purposeOf(changed), { url: { sealed, host } });
    return changed;
  });
}

/** Removes a hook, and what waits for it. */
export function removeHook({ db }: Pick<Platform, "db">, makerId: number, hook: Hook): Promise<void> {
  return db.transaction(async (tx) => {
    await holdMaintainer(tx, makerId, hook.projectId);
    // Before what waits, so that nobody enqueues for it meanwhile.
    await deleteHook(tx, hook.id);
    await dropWaiting(tx, purposeOf(hook));
  });
}

/**
 * Gives the hook a new secret. For a day its messages are signed with the old one too, so that the receiver can change over; both
 * sign what waits.
 * @throws Problem not_found: it was deleted meanwhile
 */
export function rotateHookSecret(
  { db, keys }: Platform,
  makerId: number,
  { id, projectId }: Hook,
): Promise<string> {
  const secret = newWebhookSecret();
  return db.transaction(async (tx) => {
    await holdMaintainer(tx, makerId, projectId);
    const hook = await holdHook(tx, id);
    if (!hook) throw new Problem("not_found", "404 Hook Not Found");
    const [old = ""] = keys.openIfOurs(hook.secretSealed, OUTBOX_SEAL)?.split(" ") ?? [];
    const sealed = keys.seal(`${secret} ${old}`.trim(), OUTBOX_SEAL);
    await updateSecret(tx, id, sealed);
    await redirectWaiting(tx, purposeOf(hook), { secret: sealed });
    return secret;
  });
}

/** The address of a hook, which its Maintainers may see; empty if it was sealed with another master key. */
export function urlOfHook({ keys }: Pick<Platform, "keys">, hook: Hook): string {
  return keys.openIfOurs(hook.urlSealed, OUTBOX_SEAL) ?? "";
}

/** @throws FieldProblem url */
function addressOf({ keys, config }: Platform, url: string) {
  const isLong = isLongerThan(url, LONGEST_HOOK_URL);
  const fault = isLong ? `is too long (maximum is ${LONGEST_HOOK_URL} characters)` : targetFault(url, config);
  if (fault) throw new FieldProblem({ url: [fault] });
  return { urlSealed: keys.seal(url, OUTBOX_SEAL), host: new URL(url).host };
}
