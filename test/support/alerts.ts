/** Builders for alert tests: integrations, and functions that send payloads to them. */
import { FROM_CONSOLE } from "../../src/accounts/audit.ts";
import { createIntegration } from "../../src/alerts/create-integration.ts";
import type { Delivery } from "../../src/alerts/delivery.ts";
import { endpointPath, type IntegrationType, keyContext } from "../../src/alerts/integration.ts";
import { readDelivery } from "../../src/alerts/read-delivery.ts";
import { newReceiptId } from "../../src/alerts/receipt.ts";
import type { IntegrationFields } from "../../src/alerts/store-integrations.ts";
import { visibleProject } from "../../src/projects/access.ts";
import type { Reply, World } from "./world.ts";

export interface Source {
  id: number;
  /** The path of the integration's endpoint. */
  path: string;
  key: string;
  /** Sends JSON, authenticated with the key. */
  send(payload: unknown, headers?: Record<string, string>): Promise<Reply>;
  /** Sends a raw body, authenticated with the key. */
  sendBytes(body: string, headers?: Readonly<Record<string, unknown>>): Promise<Reply>;
  /** Sends a form, authenticated with the key. */
  sendForm(fields: object): Promise<Reply>;
}

/** An active integration of a project. */
export async function aSource(
  world: World,
  type: Exclude<IntegrationType, "external_tool"> = "generic",
  fields: Partial<IntegrationFields> = {},
  project = "acme/rocket",
): Promise<Source> {
  const { platform } = world;
  const found = await visibleProject(platform.db, { id: world.ids.ada, isAdmin: true }, project);
  const made = await createIntegration(platform, FROM_CONSOLE, found, type, {
    name: `Test ${type}`,
    active: true,
    strict: false,
    apiUrl: null,
    alertmanagerUrl: null,
    payloadExample: null,
    ...fields,
  });
  const key = platform.keys.open(made.keySealed, keyContext(`${found.id}/${made.identifier}`));
  const path = endpointPath(made, found.fullPath) ?? "";
  return {
    id: made.id,
    path,
    key,
    send: (payload, headers = {}) =>
      world.call(path, { json: payload, headers: { authorization: `Bearer ${key}`, ...headers } }),
    sendBytes: (body, headers = {}) =>
      world.call(path, {
        body,
        headers: { authorization: `Bearer ${key}`, ...headers } as Record<string, string>,
      }),
    sendForm: (fields) =>
      world.call(path, {
        body: new URLSearchParams(fields as Record<string, string>).toString(),
        headers: { authorization: `Bearer ${key}`, "content-type": "application/x-www-form-urlencoded" },
      }),
  };
}

/** A delivery that was received and is not yet recorded. */
export function aDelivery(payload: unknown, change: Partial<Delivery> = {}): Delivery {
  const raw = Buffer.from(JSON.stringify(payload));
  return {
    ...{ projectId: 1, projectPath: "acme/rocket", integrationId: 1, integrationName: "Test" },
    ...{ groupsByPayload: true, createsIncidents: true, keyHint: "", headers: {}, raw },
    receiptId: newReceiptId(Date.now()),
    reading: readDelivery(raw, { strict: false }),
    idempotencyHash: undefined,
    ...change,
  };
}

/** A project that receives deliveries: acme/rocket, or the public acme/open. */
export type Place = "rocket" | "open";

/** Builds deliveries to two projects with integrations, for tests that pass them to a batch directly. */
export async function deliveriesToTwo(world: World) {
  const sources = {
    rocket: await aSource(world),
    open: await aSource(world, "generic", {}, world.open.fullPath),
  };
  return (payload: unknown, place: Place = "rocket", change: Partial<Delivery> = {}): Delivery => {
    const { id: projectId, fullPath: projectPath } = world[place];
    const integrationId = sources[place].id;
    return aDelivery(payload, { projectId, projectPath, integrationId, reaches: true, ...change });
  };
}

/** Functions that read the results of deliveries to acme/rocket; the world is evaluated when a test calls them. */
export function readsAlerts(world: () => World) {
  const ask = async (as: "max" | "dev", path: string) =>
    (await world().call(`/api/v4/projects/acme%2Frocket/${path}`, { as })).json;
  const receiptOf = (reply: Pick<Reply, "headers">) =>
    ask("max", `alert_receipts/${reply.headers.get("x-alert-receipt")}`);
  const alertOf = (iid: number) => ask("dev", `alert_management_alerts/${iid}`);
  /** The first alert that the delivery touched. */
  const alertIn = async (reply: Pick<Reply, "headers">) => alertOf((await receiptOf(reply)).alert_iids[0]);
  return { receiptOf, alertOf, alertIn };
}
