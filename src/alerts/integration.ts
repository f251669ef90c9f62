/** An integration: one source that may create alerts in a project, its address, and the checks of its fields. */
import {
  boolean,
  bytes,
  instant,
  integer,
  jsonb,
  list,
  nullable,
  oneOf,
  type RowOf,
  row,
  text,
} from "../platform/row.ts";
import type { Mapping } from "./reading-rules.ts";
import { SIGNATURES } from "./signature.ts";
import type { ValueTables } from "./value-tables.ts";

/** The four types (spec: Alert integration 1). */
export const INTEGRATION_TYPES = ["generic", "http", "prometheus", "external_tool"] as const;
export type IntegrationType = (typeof INTEGRATION_TYPES)[number];

/** Whether a project's plan includes this type (spec: Authentication 11). */
export function isInPlan({ plan }: { plan: string }, type: IntegrationType): boolean {
  return plan === "premium" || type === "generic" || type === "prometheus";
}

/** The names of the types on pages and in messages. */
export const TYPE_WORDS: Readonly<Record<IntegrationType, string>> = {
  generic: "Generic",
  http: "HTTP endpoint",
  prometheus: "External metrics instance",
  external_tool: "External alerting tool",
};

export const IntegrationRow = row({
  id: integer,
  projectId: integer,
  type: oneOf(INTEGRATION_TYPES),
  name: text,
  identifier: text,
  active: boolean,
  keySealed: bytes,
  oldKeyUntil: nullable(instant),
  /** How its requests are signed; null if they need no signature. */
  signature: nullable(oneOf(SIGNATURES)),
  signatureHeader: nullable(text),
  strict: boolean,
  /** Whether its key may be sent in the address (decision 0142). */
  keyInAddress: boolean,
  apiUrl: nullable(text),
  alertmanagerUrl: nullable(text),
  payloadExample: jsonb<unknown>(),
  mapping: jsonb<Mapping | null>(),
  valueTables: jsonb<ValueTables | null>(),
  groupBy: list(text),
  ignore: list(text),
  lastReceivedAt: nullable(instant),
  createdAt: instant,
  updatedAt: instant,
});
export type Integration = RowOf<typeof IntegrationRow>;

/** After how many days without a request an active integration counts as silent (reference ux §2, item 7; §6, integrations). */
const SILENT_DAYS = 30;

/** Returns for how many days an active integration has received nothing, if these are enough to be noticed. */
export function silentDays(
  {
    active,
    type,
    lastReceivedAt,
    createdAt,
  }: Pick<Integration, "active" | "type" | "lastReceivedAt" | "createdAt">,
  now: Date,
): number | undefined {
  if (!active || type === "external_tool") return undefined;
  const days = Math.floor((now.getTime() - (lastReceivedAt ?? createdAt).getTime()) / 86_400_000);
  return days >= SILENT_DAYS ? days : undefined;
}

/** Returns the context under which an authorization key is sealed. */
export function keyContext(integrationIdentity: string): string {
  return `alert_integrations:${integrationIdentity}`;
}

/** Returns the context under which the secret of its signatures is sealed. */
export function signatureContext(integrationIdentity: string): string {
  return `alert_integrations signature:${integrationIdentity}`;
}

/** The identifier of the generic endpoint, whose address contains none. */
export const GENERIC_IDENTIFIER = "legacy";

/** Returns the path of an integration's address (reference alerts A1); undefined for an external tool. */
export function endpointPath(
  integration: Pick<Integration, "type" | "name" | "identifier">,
  projectPath: string,
): string | undefined {
  switch (integration.type) {
    case "generic":
      return `/${projectPath}/alerts/notify.json`;
    case "http":
      return `/${projectPath}/alerts/notify/${slugOf(integration.name)}/${integration.identifier}.json`;
    case "prometheus":
      return `/${projectPath}/prometheus/alerts/notify.json`;
    case "external_tool":
      return undefined;
  }
}

/** The query parameter that may hold a key (decision 0142). */
export const KEY_PARAMETER = "authorization_key";

/** Returns a name as part of an address, only for readability: the identifier is what counts. */
export function slugOf(name: string): string {
  const slug = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 60);
  return slug || "http-endpoint";
}

/** Returns what is wrong with an address in an integration (http or https), or undefined. */
export function addressFault(address: string): string | undefined {
  if (address.length > 2000) return "is too long (maximum is 2000 characters)";
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === "") return "must be an http or https URL";
  return url.username || url.password ? "cannot contain a user or password" : undefined;
}
