/** Requests about integrations, and their record on the API (contract §3; contract-alerts, integrations). */
import type { Described } from "../platform/answers.ts";
import { given, ifGiven } from "../platform/given.ts";
import { pageParameters } from "../platform/pagination.ts";
import Type, { type Static } from "../platform/schema.ts";
import { ProjectParameters } from "../projects/wire-parameters.ts";
import { endpointPath, INTEGRATION_TYPES, type Integration, type IntegrationType } from "./integration.ts";
import { readSample } from "./payload.ts";
import type { Mapping } from "./reading-rules.ts";
import { SIGNATURES } from "./signature.ts";
import type { IntegrationFields } from "./store-integrations.ts";
import type { INTEGRATION } from "./wire-answers-integrations.ts";

const address = (description: string) =>
  Type.Optional(Type.Union([Type.String(), Type.Null()], { description }));

const paths = (description: string) => Type.Optional(Type.Array(Type.String(), { description }));

const fields = {
  name: Type.Optional(
    Type.String({
      maxLength: 255,
      description: "name of the integration; default for new integrations: named after the type",
    }),
  ),
  active: Type.Optional(
    Type.Boolean({
      description:
        "whether the integration accepts alerts, or, for external_tool, whether its link is shown; default for new integrations: true",
    }),
  ),
  strict: Type.Optional(
    Type.Boolean({
      description:
        "true: refuse payloads without a title (422), unless they are in the format of a known tool, chat or event, which may have none",
    }),
  ),
  key_in_address: Type.Optional(
    Type.Boolean({ description: "true: also accept the key in the query parameter authorization_key" }),
  ),
  api_url: address(
    "address of the external tool to link to, http or https; required for external_tool; the service never calls it",
  ),
  alertmanager_url: address(
    "address of the Alertmanager that sends the alerts, http or https; the service never calls it",
  ),
  payload_example: Type.Optional(
    Type.Unknown({ description: "sample payload, as JSON or as text that contains JSON" }),
  ),
  mapping: Type.Optional(
    Type.Union(
      [Type.Null(), Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]))],
      {
        description:
          "where to find each field of the alert in the payload: a path, or several paths, of which the first that has a value is used",
      },
    ),
  ),
  value_tables: Type.Optional(
    Type.Union([Type.Null(), Type.Record(Type.String(), Type.Record(Type.String(), Type.String()))], {
      description:
        'translations of the sender\'s values by field (severity, service, …), such as {"severity": {"p1": "critical"}}',
    }),
  ),
  group_by: paths(
    "paths such as labels.host, whose values identify an alert if the payload has no fingerprint",
  ),
  ignore: paths(
    "paths such as labels.host, whose values are ignored when whole payloads are compared to identify an alert",
  ),
  signature: Type.Optional(
    Type.Union([Type.Null(), Type.Enum([...SIGNATURES])], {
      description:
        "signature scheme that requests must use, with the key or in place of it; null: no signature is required",
    }),
  ),
  signature_header: Type.Optional(
    Type.Union([Type.Null(), Type.String()], {
      description: "name of the header with the signature, if it is not the default header of the scheme",
    }),
  ),
  signature_secret: Type.Optional(
    Type.String({ description: "secret that requests are signed with; never returned" }),
  ),
};

export const NewIntegrationBody = Type.Object({
  type: Type.Enum([...INTEGRATION_TYPES], {
    description:
      "type of the integration: external_tool is only a link, the other types are endpoints; a project has at most one generic endpoint and one external_tool",
  }),
  ...fields,
});
export type NewIntegrationBody = Static<typeof NewIntegrationBody>;

export const IntegrationBody = Type.Object(fields);
export type IntegrationBody = Static<typeof IntegrationBody>;

export const IntegrationsQuery = Type.Object({ ...pageParameters });
export const IntegrationParameters = Type.Object({
  ...ProjectParameters.properties,
  integration_id: Type.String({ description: "number of the integration" }),
});
export type IntegrationParameters = Static<typeof IntegrationParameters>;

export const RotateBody = Type.Optional(
  Type.Object({
    grace_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 604_800,
        default: 3600,
        description: "seconds for which the old key remains valid; default: 3600",
      }),
    ),
  }),
);
export type RotateBody = Static<typeof RotateBody>;

export const TestBody = Type.Object({
  payload: Type.Unknown({ description: "payload to send, as an object or as text that contains JSON" }),
});
export type TestBody = Static<typeof TestBody>;

/** Default names of integrations by type. */
const DEFAULT_NAMES: Readonly<Record<IntegrationType, string>> = {
  generic: "Default endpoint",
  http: "HTTP endpoint",
  prometheus: "Prometheus",
  external_tool: "External alerting tool",
};

/** The fields of a new integration, which is active by default. */
export function newFieldsOf(body: NewIntegrationBody): IntegrationFields {
  return {
    name: DEFAULT_NAMES[body.type],
    active: true,
    strict: false,
    apiUrl: null,
    alertmanagerUrl: null,
    payloadExample: null,
    ...changedFieldsOf(body),
  };
}

/**
 * The fields that a body names.
 * @throws Problem invalid, with line and column, for a sample payload that is not JSON
 */
export function changedFieldsOf(body: IntegrationBody): Partial<IntegrationFields> {
  return given({
    name: body.name?.trim(),
    active: body.active,
    strict: body.strict,
    keyInAddress: body.key_in_address,
    apiUrl: ifGiven(body.api_url, emptyToNull),
    alertmanagerUrl: ifGiven(body.alertmanager_url, emptyToNull),
    payloadExample: ifGiven(body.payload_example, exampleOf),
    mapping: ifGiven(body.mapping, mappingOf),
    valueTables: ifGiven(body.value_tables, (tables) =>
      tables && Object.keys(tables).length > 0 ? tables : null,
    ),
    groupBy: body.group_by,
    ignore: body.ignore,
    signature: body.signature,
    signatureHeader: ifGiven(body.signature_header, (header) => header?.trim().toLowerCase() || null),
    signatureSecret: body.signature_secret?.trim(),
  });
}

function mappingOf(mapping: NonNullable<IntegrationBody["mapping"]> | null): Mapping | null {
  if (mapping === null) return null;
  const fields = Object.entries(mapping).map(
    ([field, at]) => [field, typeof at === "string" ? [at] : at] as const,
  );
  return fields.length === 0 ? null : Object.fromEntries(fields);
}

function emptyToNull(text: string | null): string | null {
  return text === null || text.trim() === "" ? null : text.trim();
}

function exampleOf(example: unknown): unknown {
  if (example === null || example === "") return null;
  return readSample(typeof example === "string" ? example : JSON.stringify(example));
}

/** An integration as the API shows it to Maintainers; `key` is undefined while it is inactive. */
export function integrationRecord(
  integration: Integration,
  key: string | undefined,
  projectPath: string,
  publicUrl: string,
): Described<typeof INTEGRATION> {
  const path = endpointPath(integration, projectPath);
  return {
    id: integration.id,
    name: integration.name,
    type: integration.type,
    active: integration.active,
    url: path === undefined ? null : publicUrl + path,
    authorization_key: key ?? null,
    old_key_expires_at: integration.oldKeyUntil?.toISOString() ?? null,
    api_url: integration.apiUrl,
    alertmanager_url: integration.alertmanagerUrl,
    payload_example: integration.payloadExample,
    strict: integration.strict,
    key_in_address: integration.keyInAddress,
    mapping: integration.mapping,
    value_tables: integration.valueTables,
    group_by: integration.groupBy,
    ignore: integration.ignore,
    signature: integration.signature,
    signature_header: integration.signatureHeader,
    last_received_at: integration.lastReceivedAt?.toISOString() ?? null,
    created_at: integration.createdAt.toISOString(),
    updated_at: integration.updatedAt.toISOString(),
  };
}
