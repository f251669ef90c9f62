/** Changes, enables, disables and removes integrations, and rotates their keys (spec: States 4, 5; Configuration 3). */
import type { Act } from "../accounts/audit.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { digest, newSecret } from "../platform/secret.ts";
import { holdMaintainer } from "../projects/hold-role.ts";
import type { Project } from "../projects/project.ts";
import { changedNames } from "./changed-names.ts";
import { checkExclusivity, checkFields, checkPlan } from "./create-integration.ts";
import { type Integration, keyContext } from "./integration.ts";
import { recordChange } from "./record-change.ts";
import { followRename } from "./save-silence.ts";
import { setSignature } from "./set-signature.ts";
import {
  deleteIntegration,
  findIntegration,
  type IntegrationFields,
  replaceKey,
  updateIntegration,
} from "./store-integrations.ts";
import { lockSettings } from "./store-settings.ts";

const RULES = ["strict", "mapping", "valueTables", "groupBy", "ignore"] as const;
const OTHERS = [
  "name",
  "active",
  "keyInAddress",
  "apiUrl",
  "alertmanagerUrl",
  "payloadExample",
  "signature",
  "signatureHeader",
] as const;

/**
 * Changes an integration and returns it; fields that are absent stay.
 * @param given the changes, or a function that computes them from the locked row
 * @throws Problem not_found; FieldProblem invalid; Problem unprocessable when it may not be activated
 */
export function changeIntegration(
  platform: Platform,
  act: Act,
  project: Project,
  id: number,
  given: Partial<IntegrationFields> | ((before: Integration) => Partial<IntegrationFields>),
): Promise<Integration> {
  return platform.db.transaction(async (tx) => {
    await holdMaintainer(tx, act.actorId, project.id);
    await lockSettings(tx, project.id);
    const before = await findIntegration(tx, project.id, id);
    if (!before) throw noIntegration();
    const change = typeof given === "function" ? given(before) : given;
    const { name, active, strict, apiUrl, alertmanagerUrl, payloadExample } = before;
    const { mapping, valueTables, groupBy, ignore } = before;
    const kept = { name, active, strict, apiUrl, alertmanagerUrl, payloadExample };
    const fields = { ...kept, mapping, valueTables, groupBy, ignore, ...change };
    // Unchanged value tables may predate today's checks; they must not block other changes.
    checkFields(before.type, { ...fields, valueTables: change.valueTables ?? null }, name);
    if (fields.active && !before.active) {
      checkPlan(project, before.type);
      await checkExclusivity(tx, project.id, { type: before.type, active: true, ownId: id });
    }
    const changed = await updateIntegration(tx, project.id, id, fields);
    if (!changed) throw noIntegration();
    const after = await setSignature(platform, tx, changed, change);
    const rules = changedNames(before, after, RULES);
    const others = [changedNames(before, after, OTHERS), change.signatureSecret && "signature_secret"];
    const told = { integration_changed: others.filter(Boolean).join(", "), reading_rules_changed: rules };
    for (const action of ["integration_changed", "reading_rules_changed"] as const) {
      const details = { name: after.name, changed: told[action] };
      if (told[action] !== "") await recordChange(tx, act, action, project.fullPath, details);
    }
    if (after.name !== name) await followRename(tx, act, project, { id, from: name, to: after.name });
    return after;
  });
}

/**
 * Gives an integration a new key; the previous one works for `graceSeconds` more (at most a week).
 * @throws Problem not_found; Problem unprocessable: an external tool's integration has no key
 */
export function rotateKey(
  platform: Platform,
  act: Act,
  project: Pick<Project, "id" | "fullPath">,
  id: number,
  graceSeconds: number,
): Promise<Integration> {
  return platform.db.transaction(async (tx) => {
    await holdMaintainer(tx, act.actorId, project.id);
    const before = await findIntegration(tx, project.id, id);
    if (!before) throw noIntegration();
    if (before.type === "external_tool") {
      throw new Problem("unprocessable", "The link to an external alerting tool has no key.");
    }
    const key = newSecret("authorizationKey");
    const rotated = await replaceKey(tx, project.id, id, {
      digest: digest(key),
      sealed: platform.keys.seal(key, keyContext(`${project.id}/${before.identifier}`)),
      graceSeconds,
    });
    if (!rotated) throw noIntegration();
    const details = { name: rotated.name, grace_seconds: graceSeconds };
    await recordChange(tx, act, "integration_key_renewed", project.fullPath, details);
    return rotated;
  });
}

/** Removes an integration; its address and key stop working at once. @throws Problem not_found */
export async function removeIntegration(
  { db }: Platform,
  act: Act,
  project: Pick<Project, "id" | "fullPath">,
  id: number,
): Promise<void> {
  await db.transaction(async (tx) => {
    await holdMaintainer(tx, act.actorId, project.id);
    const before = await findIntegration(tx, project.id, id);
    if (!before || (await deleteIntegration(tx, project.id, id)) === 0) throw noIntegration();
    const { name, type } = before;
    await recordChange(tx, act, "integration_removed", project.fullPath, { name, type });
  });
}

/**
 * Returns the authorization key of an active integration, for Maintainers (contract §4); undefined also if it was sealed with
 * another master key.
 */
export function openKey({ keys }: Platform, integration: Integration): string | undefined {
  if (!integration.active || integration.type === "external_tool") return undefined;
  return keys.openIfOurs(
    integration.keySealed,
    keyContext(`${integration.projectId}/${integration.identifier}`),
  );
}

/** Returns the error for an integration that does not exist or belongs to another project. */
export function noIntegration(): Problem {
  return new Problem("not_found", "404 Integration Not Found");
}
