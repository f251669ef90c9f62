/** Changes, switches, re-keys and removes integrations (spec: States 4, 5; Configuration 3). */
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { digest, newSecret } from "../platform/secret.ts";
import type { Project } from "../projects/project.ts";
import { checkExclusivity, checkFields, checkPlan } from "./create-integration.ts";
import { type Integration, keyContext } from "./integration.ts";
import { setSignature } from "./set-signature.ts";
import {
  findIntegration,
  type IntegrationFields,
  lockSettings,
  replaceKey,
  updateIntegration,
} from "./store-integrations.ts";

/**
 * Returns the integration as it is after the change; what is not named stays.
 * @throws Problem not_found; FieldProblem invalid; Problem unprocessable when it may not be switched on
 */
export function changeIntegration(
  platform: Platform,
  project: Project,
  id: number,
  change: Partial<IntegrationFields>,
): Promise<Integration> {
  return platform.db.transaction(async (tx) => {
    await lockSettings(tx, project.id);
    const before = await findIntegration(tx, project.id, id);
    if (!before) throw noIntegration();
    const { name, active, strict, apiUrl, alertmanagerUrl, payloadExample } = before;
    const { mapping, valueTables, groupBy, ignore } = before;
    const kept = { name, active, strict, apiUrl, alertmanagerUrl, payloadExample };
    const fields = { ...kept, mapping, valueTables, groupBy, ignore, ...change };
    checkFields(before.type, fields);
    if (fields.active && !before.active) {
      checkPlan(project, before.type);
      await checkExclusivity(tx, project.id, before.type, true, id);
    }
    const changed = await updateIntegration(tx, project.id, id, fields);
    return setSignature(platform, tx, changed, change);
  });
}

/**
 * Gives an integration a new key; the one before works for `graceSeconds` more (at most a week).
 * @throws Problem not_found
 */
export async function rotateKey(
  platform: Platform,
  project: Pick<Project, "id">,
  id: number,
  graceSeconds: number,
): Promise<Integration> {
  const before = await findIntegration(platform.db, project.id, id);
  if (!before) throw noIntegration();
  const key = newSecret("authorizationKey");
  const rotated = await replaceKey(platform.db, project.id, id, {
    digest: digest(key),
    sealed: platform.keys.seal(key, keyContext(`${project.id}/${before.identifier}`)),
    graceSeconds,
  });
  if (!rotated) throw noIntegration();
  return rotated;
}

/** The authorization key of an integration, to show to Maintainers while it is on (contract §4). */
export function openKey({ keys }: Platform, integration: Integration): string | undefined {
  if (!integration.active || integration.type === "external_tool") return undefined;
  return keys.open(integration.keySealed, keyContext(`${integration.projectId}/${integration.identifier}`));
}

/** The refusal of an integration that is absent or another project's. */
export function noIntegration(): Problem {
  return new Problem("not_found", "404 Integration Not Found");
}
