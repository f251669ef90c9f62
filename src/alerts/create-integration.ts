/** Creates an integration in a project (spec: Configuration 2, 3, 4, 5; States 4). */
import type { Act } from "../accounts/audit.ts";
import { nameFault } from "../accounts/name.ts";
import type { Queries } from "../platform/db.ts";
import { violatedConstraint } from "../platform/db-errors.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import { digest, newIdentifier, newSecret } from "../platform/secret.ts";
import { holdMaintainer } from "../projects/hold-role.ts";
import type { Project } from "../projects/project.ts";
import {
  addressFault,
  GENERIC_IDENTIFIER,
  type Integration,
  type IntegrationType,
  isInPlan,
  keyContext,
} from "./integration.ts";
import { mappingFault, pathsFault } from "./reading-rules.ts";
import { recordChange } from "./record-change.ts";
import { setSignature, signatureFaults } from "./set-signature.ts";
import { findActiveOthers, type IntegrationFields, insertIntegration } from "./store-integrations.ts";
import { lockSettings } from "./store-settings.ts";
import { valueTablesFault } from "./value-tables.ts";

/**
 * Returns the new integration with a key of its own.
 * @throws FieldProblem invalid; Problem unprocessable: the plan does not have the type, a linked external tool excludes it, or
 *   the project has its generic endpoint already
 */
export function createIntegration(
  platform: Platform,
  act: Act,
  project: Project,
  type: IntegrationType,
  fields: IntegrationFields,
): Promise<Integration> {
  checkPlan(project, type);
  checkFields(type, fields);
  const key = newSecret("authorizationKey");
  const identifier = type === "generic" ? GENERIC_IDENTIFIER : newIdentifier(16);
  return platform.db.transaction(async (tx) => {
    await holdMaintainer(tx, act.actorId, project.id);
    await checkExclusivity(tx, project.id, { type, active: fields.active });
    try {
      const made = await insertIntegration(tx, {
        ...fields,
        projectId: project.id,
        type,
        identifier,
        keyDigest: digest(key),
        keySealed: platform.keys.seal(key, keyContext(`${project.id}/${identifier}`)),
      });
      const signed = await setSignature(platform, tx, made, fields);
      await recordChange(tx, act, "integration_created", project.fullPath, { name: made.name, type });
      return signed;
    } catch (error) {
      const taken = violatedConstraint(error);
      if (
        taken === "alert_integrations_one_generic" ||
        taken === "alert_integrations_project_id_identifier_key"
      ) {
        throw new Problem(
          "unprocessable",
          "This project has a generic endpoint already. Use HTTP endpoints for more.",
        );
      }
      if (taken === "alert_integrations_one_external_tool") {
        throw new Problem("unprocessable", "This project has a link to an external alerting tool already.");
      }
      throw error;
    }
  });
}

/** @throws Problem unprocessable when the project's plan does not have this type (spec: Authentication 11) */
export function checkPlan(project: Pick<Project, "plan">, type: IntegrationType): void {
  if (isInPlan(project, type)) return;
  const words = type === "http" ? "Several HTTP endpoints are" : "The link to an external alerting tool is";
  throw new Problem("unprocessable", `${words} not part of the free plan. The generic endpoint is.`);
}

/**
 * @param before its current name, if it has one
 * @throws FieldProblem invalid, by field
 */
export function checkFields(type: IntegrationType, fields: IntegrationFields, before?: string): void {
  const faults: Record<string, string[]> = {};
  const wrongName = nameFault(fields.name, 255, before);
  if (wrongName) faults.name = [wrongName];
  if (fields.apiUrl === null && type === "external_tool") faults.api_url = ["can't be blank"];
  const wrongApi = fields.apiUrl === null ? undefined : addressFault(fields.apiUrl);
  if (wrongApi) faults.api_url = [wrongApi];
  const wrongManager = fields.alertmanagerUrl === null ? undefined : addressFault(fields.alertmanagerUrl);
  if (wrongManager) faults.alertmanager_url = [wrongManager];
  const wrongMapping = fields.mapping ? mappingFault(fields.mapping) : undefined;
  if (wrongMapping) faults.mapping = [wrongMapping];
  const wrongTables = fields.valueTables ? valueTablesFault(fields.valueTables) : undefined;
  if (wrongTables) faults.value_tables = [wrongTables];
  const wrongGrouping = pathsFault(fields.groupBy ?? []);
  if (wrongGrouping) faults.group_by = [wrongGrouping];
  const wrongIgnore = pathsFault(fields.ignore ?? []);
  if (wrongIgnore) faults.ignore = [wrongIgnore];
  Object.assign(faults, signatureFaults(fields));
  if (Object.keys(faults).length > 0) throw new FieldProblem(faults);
}

/** What is about to be created or switched on. */
interface Exclusive {
  type: IntegrationType | "heartbeat";
  active: boolean;
  /** The id of an integration that exists. */
  ownId?: number | null;
}

/**
 * While an external tool is linked, no other integration or heartbeat may be active, and it can be linked only if none is
 * (spec: Configuration 5). Locks the project's settings, so that two concurrent changes cannot both pass.
 * @throws Problem unprocessable
 */
export async function checkExclusivity(
  tx: Queries,
  projectId: number,
  { type, active, ownId = null }: Exclusive,
): Promise<void> {
  await lockSettings(tx, projectId);
  if (!active) return;
  const { tools, services } = await findActiveOthers(tx, projectId, ownId);
  if (type === "external_tool" && services > 0) {
    throw new Problem(
      "unprocessable",
      "Other alert services are active. Switch them off before you link an external alerting tool.",
    );
  }
  if (type !== "external_tool" && tools > 0) {
    throw new Problem(
      "unprocessable",
      "An external alerting tool is linked. While it is on, no other alert service can be; switch it off first.",
    );
  }
}
