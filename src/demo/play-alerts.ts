/** Sends the demo's alerts through the receiver, step by step, and backdates what each step writes. */
import { FROM_CONSOLE } from "../accounts/audit.ts";
import { addNote } from "../alerts/add-note.ts";
import { authenticateIntegration } from "../alerts/authenticate-integration.ts";
import { changeAlert } from "../alerts/change-alert.ts";
import { createIntegration } from "../alerts/create-integration.ts";
import { originOf } from "../alerts/delivery.ts";
import { endpointAddressOf } from "../alerts/endpoint-address.ts";
import { endpointPath, keyContext } from "../alerts/integration.ts";
import { readDelivery } from "../alerts/read-delivery.ts";
import { keyHint, newReceiptId } from "../alerts/receipt.ts";
import { recordBatch } from "../alerts/record-batch.ts";
import type { Platform } from "../platform/platform.ts";
import { visibleProject } from "../projects/access.ts";
import { type AlertStep, alertSteps } from "./alert-steps.ts";
import type { Random } from "./random.ts";
import type { SettledCast, SettledProject } from "./settle-cast.ts";
import { moveAlertsOfNow } from "./store.ts";
import type { SourceName } from "./troubles.ts";

/** An integration through which a demo project gets alerts. */
export interface Source {
  name: SourceName;
  projectPath: string;
  /** The path of the endpoint, below the service's address. */
  path: string;
  key: string;
}

const SOURCES = [
  { name: "generic", type: "generic", title: "Default endpoint", agent: "Lookout/5.2" },
  { name: "yard", type: "http", title: "Yard sensors", agent: "Yardwatch/1.9" },
  { name: "lookout", type: "prometheus", title: "Lookout EU-1", agent: "Alertmanager/0.28.1" },
] as const;

/** The fields of an integration that needs nothing special. */
const PLAIN = { strict: false, apiUrl: null, alertmanagerUrl: null, payloadExample: null } as const;

/** Creates the integrations: every project's generic endpoint, and three more in the first project, one of them inactive. */
export async function openSources(platform: Platform, cast: SettledCast): Promise<Source[]> {
  const sources: Source[] = [];
  for (const { fullPath, ownerId } of cast.projects) {
    const project = await visibleProject(platform.db, { id: ownerId, isAdmin: false }, fullPath);
    const withYard = fullPath === cast.projects[0]?.fullPath;
    for (const { name, type, title } of withYard ? SOURCES : SOURCES.slice(0, 1)) {
      const apiUrl = type === "prometheus" ? "https://metrics.harbourlight.example" : null;
      const fields = { ...PLAIN, name: title, active: true, apiUrl };
      const integration = await createIntegration(platform, FROM_CONSOLE, project, type, fields);
      const key = platform.keys.open(
        integration.keySealed,
        keyContext(`${project.id}/${integration.identifier}`),
      );
      sources.push({ name, projectPath: fullPath, path: endpointPath(integration, fullPath) ?? "", key });
    }
    if (withYard) {
      const fields = { ...PLAIN, name: "Customs gateway", active: false };
      await createIntegration(platform, FROM_CONSOLE, project, "http", fields);
    }
  }
  return sources;
}

/** Runs all steps up to `now`. @returns the number of delivered requests */
export async function playAlerts(
  platform: Platform,
  cast: SettledCast,
  sources: readonly Source[],
  random: Random,
  now: Date,
): Promise<number> {
  const iids = new Map<string, number>();
  let deliveries = 0;
  for (const step of alertSteps(random, now.getTime())) {
    const project = cast.projects.find(({ fullPath }) => fullPath === step.project) as SettledProject;
    if (step.kind === "deliver") {
      const source = sources.find(
        ({ name, projectPath }) => name === step.source && projectPath === step.project,
      );
      const iid = await deliver(platform, source as Source, step);
      if (iid !== undefined) iids.set(step.key, iid);
      deliveries++;
    } else {
      await respond({ platform, cast, project }, iids.get(step.key) ?? 0, step);
    }
    await moveAlertsOfNow(platform.db, project.id, new Date(step.at));
  }
  return deliveries;
}

/** Delivers one request as if it had come to the integration's address. @returns the iid of its alert */
async function deliver(
  platform: Platform,
  source: Source,
  step: Extract<AlertStep, { kind: "deliver" }>,
): Promise<number | undefined> {
  const address = endpointAddressOf(source.path);
  if (!address) throw new Error(`no endpoint at ${source.path}`);
  const endpoint = await authenticateIntegration(platform, address, source.key);
  const raw = Buffer.from(JSON.stringify(step.payload));
  const agent = SOURCES.find(({ name }) => name === source.name)?.agent ?? "";
  const [outcome] = await recordBatch(platform, [
    {
      ...originOf(endpoint),
      receiptId: newReceiptId(step.at),
      keyHint: keyHint(source.key),
      headers: { "content-type": "application/json", "user-agent": agent },
      raw,
      reading: readDelivery(raw, endpoint),
      idempotencyHash: undefined,
    },
  ]);
  return outcome?.alerts[0]?.iid;
}

/** Runs what a person does about an alert. */
async function respond(
  { platform, cast, project }: { platform: Platform; cast: SettledCast; project: SettledProject },
  iid: number,
  step: Exclude<AlertStep, { kind: "deliver" }>,
): Promise<void> {
  const actorId = cast.idOf(step.by);
  if (step.kind === "handle") {
    const assigneeIds = step.assigned ? [actorId] : undefined;
    await changeAlert(platform, actorId, project, iid, { status: step.status, assigneeIds });
  } else if (step.on === "alert") {
    await changeAlert(platform, actorId, project, iid, { comment: step.body });
  } else {
    const { incidentId, incidentIid, title } = await changeAlert(platform, actorId, project, iid, {});
    if (incidentId === null || incidentIid === null) throw new Error(`alert ${iid} has no incident`);
    const incident = { id: incidentId, iid: incidentIid, projectId: project.id, title };
    await addNote(platform, actorId, incident, step.body);
  }
}
