/** Requests of Opsgenie's alert API: to create an alert, and to close, acknowledge, assign, comment or update an existing one. */
import { entryOf } from "../../platform/entry-of.ts";
import { isObject, type JsonObject } from "../../platform/json-object.ts";
import { FieldProblem } from "../../platform/problem.ts";
import {
  FINGERPRINT_VERSION,
  type Fingerprint,
  givenFingerprint,
  payloadFingerprint,
} from "../fingerprint.ts";
import type { AlertReport, Reading } from "../report.ts";
import { severityOfLabel } from "../severity.ts";
import {
  hostList,
  LONGEST,
  objectIn,
  ownValue,
  severityWord,
  shortText,
  textOf,
  UNTITLED,
  type Warn,
  webAddress,
} from "./member.ts";
import { factsIn } from "./message-text.ts";

/** The requests for an existing alert, and their actions here. */
export const OPSGENIE_ACTIONS: Readonly<Record<string, AlertReport["action"]>> = {
  close: "recovery",
  // Some clients can only delete an alert, not close it.
  delete: "recovery",
  acknowledge: "acknowledgement",
  unacknowledge: "unacknowledgement",
  assign: "assignment",
  notes: "note",
};

const UPDATED_MEMBERS = "message description priority tags details";

/**
 * Requests that are accepted without effect, each with the warning in its receipt. A sender whose update is refused regards its
 * alert as never created and never closes it; others report a failure (decisions 0085, 0186).
 */
export const OPSGENIE_KEPT: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    UPDATED_MEMBERS.split(" ").map((member) => [
      member,
      `What is said anew of an alert (${member}) changes nothing.`,
    ]),
  ),
  snooze: "No alert is put to sleep here: it stays open and is told as before. Silences keep alerts quiet.",
  escalate: "There are no escalations here: nobody else was told.",
  responders: "There are no teams of responders here: nobody else was told.",
  teams: "There are no teams of responders here: nobody else was told.",
  actions: "No action is run here.",
};

/** Parts of an alert that can be deleted. */
export const OPSGENIE_DELETED: ReadonlySet<string> = new Set(["tags", "details"]);

/** An existing alert, by its alias, or by the fingerprint that its id stood for at the time of the request. */
export interface Named {
  alias?: string | undefined;
  /** SHA-256 in hexadecimal. */
  hash?: string | undefined;
}

/** Reads the creation of an alert. @throws FieldProblem unprocessable, by member */
export function readOpsgenieAlert(value: unknown, userAgent: string | undefined): Reading {
  const alert = bodyOf(value);
  if (ownValue(alert, "message") === undefined) {
    throw new FieldProblem({ message: ["can not be empty"] }, "unprocessable");
  }
  const alias = textOf(ownValue(alert, "alias"));
  if (alias !== null && alias.length > 512) {
    throw new FieldProblem({ alias: ["is too long (maximum is 512 characters)"] }, "unprocessable");
  }
  const warnings: string[] = [];
  const report = reportOf("firing", alert, (text) => warnings.push(text));
  const identity = payloadFingerprint(alert);
  // Without an alias, the response returns the payload's hash, by which later requests can name the alert.
  const dedupKey = alias ?? identity.hash.toString("hex");
  const given = givenFingerprint(dedupKey) ?? identity;
  return {
    shape: "opsgenie",
    reports: [
      {
        ...report,
        fingerprint: alias === null ? { ...given, kind: "payload", shown: null } : given,
        counting: /alertmanager|grafana/i.test(userAgent ?? "") ? "once" : "each",
      },
    ],
    warnings,
    dedupKey,
  };
}

/** Reads a request for an existing alert. @throws FieldProblem unprocessable: no body, note without text, or no owner */
export function readOpsgenieAction(action: string, named: Named, value: unknown): Reading {
  const body = bodyOf(value);
  const person = personIn(action, body);
  const kept = person === undefined ? entryOf(OPSGENIE_KEPT, action) : undefined;
  if (kept) {
    const warnings = [`${kept} It is kept as this receipt.`];
    return { shape: "opsgenie", reports: [], warnings, ...dedupKeyOf(named) };
  }
  const effect = person === undefined ? (OPSGENIE_ACTIONS[action] ?? "note") : "assignment";
  if (effect === "assignment" && !person) {
    throw new FieldProblem({ owner: ["can not be empty"] }, "unprocessable");
  }
  const note = textOf(ownValue(body, "note"))?.trim();
  if (effect === "note" && !note) throw new FieldProblem({ note: ["can not be empty"] }, "unprocessable");
  const warnings: string[] = [];
  const report = reportOf(effect, body, (text) => warnings.push(text));
  return {
    shape: "opsgenie",
    reports: [
      {
        ...report,
        ...(note ? { note: note.slice(0, 10_000).toWellFormed() } : {}),
        ...(person ? { person } : {}),
        fingerprint: fingerprintOf(named),
        counting: "each",
      },
    ],
    warnings,
    ...dedupKeyOf(named),
  };
}

/** Returns the person an alert is assigned to: its new owner, or a responder of type `user`. */
function personIn(action: string, body: JsonObject): string | undefined {
  const isOwner = action === "assign";
  const who = objectIn(body, isOwner ? "owner" : "responder");
  if (!isOwner && (action !== "responders" || ownValue(who, "type") !== "user")) return undefined;
  return (
    textOf(ownValue(who, "username") ?? ownValue(who, "id"))
      ?.trim()
      .slice(0, 300)
      .toWellFormed() || undefined
  );
}

function dedupKeyOf({ alias }: Named): { dedupKey?: string } {
  return alias === undefined ? {} : { dedupKey: alias };
}

function fingerprintOf({ alias, hash }: Named): Fingerprint {
  const given = givenFingerprint(alias);
  if (given) return given;
  const known = hash ?? `no alert v${FINGERPRINT_VERSION}`;
  return {
    ...payloadFingerprint({ known }),
    ...(hash ? { hash: Buffer.from(hash, "hex") } : {}),
    kind: "given",
  };
}

function bodyOf(value: unknown): JsonObject {
  if (!isObject(value)) throw new FieldProblem({ body: ["is not a JSON object"] }, "unprocessable");
  return value;
}

type Unidentified = Omit<AlertReport, "fingerprint" | "counting">;

function reportOf(action: AlertReport["action"], body: JsonObject, warn: Warn): Unidentified {
  const details = objectIn(body, "details");
  const source = textOf(ownValue(body, "source"));
  const isAddress = webAddress(source) !== null;
  return {
    action,
    title: shortText("message", ownValue(body, "message"), LONGEST.title, warn) ?? UNTITLED,
    description: shortText("description", ownValue(body, "description"), LONGEST.description, warn),
    severity: severityWord(ownValue(body, "priority"), "medium", warn, "priority"),
    saidSeverity: severityOfLabel(ownValue(body, "priority")),
    service: shortText(
      "entity",
      ownValue(details, "service") ?? ownValue(body, "entity"),
      LONGEST.service,
      warn,
    ),
    monitoringTool: (isAddress ? null : shortText("source", source, LONGEST.tool, warn)) ?? "Opsgenie client",
    hosts: hostList(ownValue(details, "hosts", "host", "hostname", "instance") ?? describedHost(body), warn),
    environmentName: textOf(ownValue(details, "platform_environment_name", "environment")),
    runbookUrl: webAddress(ownValue(details, "runbook", "runbook_url")),
    startedAt: null,
    endedAt: null,
    customNames: Object.keys(details),
    payload: body,
  };
}

/** Returns the host from a line of the description, the only place where Zabbix names it. */
function describedHost(body: JsonObject): string | undefined {
  const facts = factsIn(textOf(ownValue(body, "description"))?.slice(0, 4000) ?? "");
  return facts.find(([name]) => name === "host")?.[1];
}
