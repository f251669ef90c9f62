/** Tries reading rules on past receipts: which reports would have been one alert under them. */
import { Problem } from "../platform/problem.ts";
import { inflate } from "./body.ts";
import { readDelivery } from "./read-delivery.ts";
import { readReceipt } from "./read-receipt.ts";
import type { ReadingRules } from "./reading-rules.ts";
import type { Receipt } from "./receipt.ts";
import type { AlertReport } from "./report.ts";

/** Reports that are one alert under the tried rules. */
export interface TrialGroup {
  title: string;
  severity: AlertReport["severity"];
  fingerprint: string | null;
  /** How many reports it joins, and how many alerts they are under the current rules. */
  reports: number;
  today: number;
  /** The newest of its receipts. */
  receiptId: string;
}

export interface Trial {
  /** How many receipts were tried, and how many alerts they are under the current rules. */
  receipts: number;
  today: number;
  groups: TrialGroup[];
  refused: { receiptId: string; error: string }[];
}

/**
 * Reads receipts by these rules and by the current ones; nothing is written.
 * @throws Problem unavailable: too many others are being read
 */
export async function tryRules(receipts: readonly Receipt[], rules: ReadingRules): Promise<Trial> {
  const groups = new Map<string, TrialGroup & { identities: Set<string> }>();
  const identities = new Set<string>();
  const refused: Trial["refused"] = [];
  for (const receipt of receipts) {
    const before = (await readReceipt(receipt))?.reports ?? [];
    for (const report of before) identities.add(identityOf(report));
    const reports = await readBy(receipt, rules);
    if (reports instanceof Problem) refused.push({ receiptId: receipt.id, error: reports.message });
    else for (const [index, report] of reports.entries()) join(groups, receipt, report, before[index]);
  }
  const made = [...groups.values()].map(({ identities: joined, ...group }) => ({
    ...group,
    today: joined.size,
  }));
  return {
    receipts: receipts.length,
    today: identities.size,
    groups: made.sort((a, b) => b.today - a.today || b.reports - a.reports),
    refused,
  };
}

function join(
  groups: Map<string, TrialGroup & { identities: Set<string> }>,
  receipt: Receipt,
  report: AlertReport,
  before: AlertReport | undefined,
): void {
  const identity = identityOf(report);
  const group = groups.get(identity) ?? {
    title: report.title,
    severity: report.severity,
    fingerprint: report.fingerprint.shown,
    reports: 0,
    today: 0,
    receiptId: receipt.id,
    identities: new Set<string>(),
  };
  group.reports++;
  if (before) group.identities.add(identityOf(before));
  groups.set(identity, group);
}

function identityOf({ fingerprint }: AlertReport): string {
  return fingerprint.hash.toString("hex");
}

async function readBy(receipt: Receipt, rules: ReadingRules): Promise<AlertReport[] | Problem> {
  try {
    const body = await inflate(receipt.raw, receipt.headers["content-encoding"]);
    return readDelivery(body, rules, receipt).reports;
  } catch (error) {
    if (error instanceof Problem && error.kind !== "unavailable") return error;
    throw error;
  }
}
