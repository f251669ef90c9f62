/** Acknowledges, assigns and comments on open alerts for clients of other alert services, and takes acknowledgements back. */
import type { Queries } from "../platform/db.ts";
import { sourceOf } from "./alert.ts";
import type { Op, Step } from "./batch.ts";
import { activityLine, decide, type Effects, remark, touch } from "./effects.ts";
import type { AlertReport } from "./report.ts";
import {
  type Answered,
  answerOpenAlerts,
  findPeople,
  insertAssignees,
  type Person,
} from "./store-responses.ts";

const RESPONSES: ReadonlySet<AlertReport["action"]> = new Set([
  "acknowledgement",
  "unacknowledgement",
  "assignment",
  "note",
]);

/** Records the responses of one round (decisions 0086, 0186). A response that matches no open alert opens none. */
export async function recordResponses(tx: Queries, round: readonly Step[], effects: Effects): Promise<void> {
  const ops = round.filter(({ kind }) => RESPONSES.has(kind)).map((step) => step.ops[0]);
  if (ops.length === 0) return;
  const people = await peopleOf(tx, ops);
  const answered = await answerOpenAlerts(
    tx,
    ops.map(({ delivery, hash, report }, ord) => ({
      ord,
      projectId: delivery.projectId,
      hash,
      from: FROM[report.action] ?? null,
      to: TO[report.action] ?? null,
    })),
  );
  const matched = new Set(answered.map(({ ord }) => ord));
  ops.forEach((op, ord) => {
    if (!matched.has(ord)) decide(effects, op, "orphan");
  });
  const given = answered.flatMap(({ ord, id }) => {
    const person = people.get(ord);
    return person ? [{ alertId: id, userId: person.id }] : [];
  });
  if (given.length > 0) await insertAssignees(tx, given);
  for (const alert of answered) {
    const op = ops[alert.ord] as Op;
    touch(effects, op, alert, ops);
    noteResponse(effects, op, alert, people.get(alert.ord));
  }
}

/** The status that a response changes, and the one that it sets. */
const FROM: Readonly<Partial<Record<AlertReport["action"], string>>> = {
  acknowledgement: "triggered",
  unacknowledgement: "acknowledged",
};
const TO: typeof FROM = { acknowledgement: "acknowledged", unacknowledgement: "triggered" };

/** Returns the people named by assignments, by index, without those who may not see the project's alerts. */
async function peopleOf(tx: Queries, ops: readonly Op[]): Promise<ReadonlyMap<number, Person>> {
  const asked = ops.flatMap(({ delivery, report }, ord) =>
    report.person === undefined ? [] : [{ ord, projectId: delivery.projectId, person: report.person }],
  );
  if (asked.length === 0) return new Map();
  return new Map((await findPeople(tx, asked)).map((one) => [one.ord, one]));
}

function noteResponse(effects: Effects, op: Op, alert: Answered, person: Person | undefined): void {
  const { delivery, report } = op;
  const source = sourceOf(report.monitoringTool, delivery.integrationName);
  const tell = (kind: "comment" | "status" | "assigned", words: string) =>
    effects.activity.push(activityLine(alert.id, kind, `${words} by **${source}**`));
  if (report.action === "assignment" && !person) {
    decide(effects, op, "nothing");
    remark(
      effects,
      delivery,
      `No user who may see this project's alerts is called ${report.person}; nobody was assigned.`,
    );
    return;
  }
  decide(effects, op, report.action === "acknowledgement" ? "acknowledged" : "noted");
  if (report.action === "note") {
    effects.activity.push(activityLine(alert.id, "comment", `${report.note ?? ""} (by **${source}**)`));
  }
  if (person) tell("assigned", `assigned **${person.name}**`);
  if (!alert.changed) return;
  const isAcknowledged = report.action === "acknowledgement";
  tell("status", `changed the status to **${isAcknowledged ? "Acknowledged" : "Triggered"}**`);
  if (!isAcknowledged) return;
  const { projectId } = delivery;
  effects.happenings.push({ projectId, alertId: alert.id, what: "acknowledged", by: source });
}
