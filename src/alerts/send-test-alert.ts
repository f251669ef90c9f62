/** Sends a test alert, which is read like a real one (spec: POST alert endpoint 5, 6; Errors 3; decisions 0036 and 0070). */
import type { Db } from "../platform/db.ts";
import { checkSpace } from "../platform/free-space.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { type Buckets, createBuckets, secondsNow } from "../platform/rate-limit.ts";
import { sourceOf } from "./alert.ts";
import { activityLine } from "./effects.ts";
import { FINGERPRINT_VERSION } from "./fingerprint.ts";
import { readDelivery } from "./read-delivery.ts";
import type { ReadingRules } from "./reading-rules.ts";
import { newReceiptId } from "./receipt.ts";
import { newAlertRow } from "./record-firings.ts";
import type { AlertReport, Reading } from "./report.ts";
import { lockAlerts } from "./store-batch.ts";
import { type AlertDraft, recordDrafts, type Touched } from "./store-drafts.ts";
import { insertReceipts } from "./store-history.ts";
import type { Endpoint } from "./store-integrations.ts";

export interface TestAlert {
  alertIid: number;
  reading: Reading;
}

/** Each may have a mebibyte, is kept for a day and is stored in a transaction of its own. */
const PER_MINUTE = 30;

/** By the database of an installation. */
const limits = new WeakMap<Db, Buckets>();

/**
 * Opens one alert marked as a test: no incident, not counted, removed after a day. `nowMilliseconds` is only the time in the
 * receipt's id.
 * @throws Problem unprocessable, with line and column for bad JSON, and for an integration that is off; too_many: the project
 *   has sent `PER_MINUTE` in this minute; unavailable: the disk of the database is nearly full
 */
export async function sendTestAlert(
  platform: Platform,
  endpoint: Endpoint,
  payload: string,
  nowMilliseconds: number,
): Promise<TestAlert> {
  if (!endpoint.active)
    throw new Problem("unprocessable", "The integration is not active. Switch it on first.");
  throttle(platform, endpoint.projectId);
  await checkSpace(platform);
  const reading = readForTest(payload, endpoint);
  const [report] = reading.reports;
  if (!report) throw new Problem("unprocessable", "The payload holds no alert.");
  const alertIid = await platform.db.transaction(async (tx) => {
    await lockAlerts(tx, [endpoint.projectId]);
    const [alert] = await recordDrafts(tx, [testRow(endpoint, report)]);
    const { id: alertId, iid } = alert as Touched;
    const receiptId = newReceiptId(nowMilliseconds);
    const receipt = {
      id: receiptId,
      projectId: endpoint.projectId,
      integrationId: endpoint.id,
      keyHint: "",
      headers: {},
      raw: Buffer.from(payload),
      status: 200,
      decision: "test",
      warnings: reading.warnings.slice(0, 50),
      alertIids: [iid],
    };
    await insertReceipts(tx, [receipt], {
      occurrences: [
        { alert_id: alertId, receipt_id: receiptId, item: 0, kind: "firing", hosts: report.hosts },
      ],
      activity: [
        activityLine(alertId, "fired", `logged a test alert from **${sourceOf(null, endpoint.name)}**`),
      ],
    });
    return iid;
  });
  return { alertIid, reading };
}

function throttle({ db, config }: Platform, projectId: number): void {
  if (!config.rateLimits) return;
  const buckets = limits.get(db) ?? createBuckets(PER_MINUTE);
  limits.set(db, buckets);
  const [key, now] = [`${projectId}`, secondsNow()];
  const { waitSeconds } = buckets.look(key, now);
  if (waitSeconds > 0) {
    const words = `A project sends at most ${PER_MINUTE} test alerts a minute. Try again in ${waitSeconds} s.`;
    throw new Problem("too_many", words, { retryAfterSeconds: waitSeconds });
  }
  buckets.take(key, now);
}

function readForTest(payload: string, rules: ReadingRules): Reading {
  try {
    return readDelivery(payload, rules);
  } catch (error) {
    // All errors of a test are answered 422 with a message (spec: Errors 3).
    if (error instanceof Problem) throw new Problem("unprocessable", error.message);
    throw error;
  }
}

function testRow(endpoint: Endpoint, report: AlertReport): AlertDraft {
  return {
    ...newAlertRow(report),
    projectId: endpoint.projectId,
    incidentBody: null,
    incidentEnd: "",
    sharedIncidentId: null,
    templateId: null,
    untitled: false,
    authorId: null,
    integrationId: endpoint.id,
    loggedBy: null,
    hash: report.fingerprint.hash.toString("hex"),
    version: FINGERPRINT_VERSION,
    grouped: false,
    events: 1,
    deliveries: 1,
    starts: [],
    startSources: [],
    sources: [],
    startGiven: report.startedAt?.toISOString() ?? null,
    believedUntil: null,
    hosts: report.hosts,
    payload: undefined,
    test: true,
    endedAt: null,
    silenceId: null,
  };
}
