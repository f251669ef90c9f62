/** The answers of other services, for senders that take every other for a failure (decision 0190). */
import type { Outcome } from "./delivery.ts";

/** The name of the parameter by which an address says in whose words its sender is answered. */
const ANSWER_PARAMETER = "answer";

export interface ServiceAnswer {
  status: number;
  /** Text is sent under `type`, an object as JSON; nothing where it is absent. */
  body?: string | object;
  type?: string;
}

type Answer = (outcome: Outcome, query: string) => ServiceAnswer;

/** Each as its clients look at it. */
const SERVICES: ReadonlyMap<string, Answer> = new Map<string, Answer>([
  // Alerta's client (alertaclient/api.py) reads members of an object, and tells the message to whoever sent by the command line.
  [
    "alerta",
    ({ receiptId, alerts: [first] }) => ({
      status: 201,
      body: { status: "ok", id: receiptId, message: first ? `alert ${first.iid}` : "no alert" },
    }),
  ],
  // A message only to those who wait for it (discord.com/developers, Execute Webhook); Zabbix' media type does, and wants an `id`.
  [
    "discord",
    ({ receiptId, alerts }, query) =>
      /[?&]wait=(?:true|1)(?:&|$)/i.test(query)
        ? { status: 200, body: { id: receiptId, type: 0, alerts } }
        : { status: 204 },
  ],
  // Zabbix' media type (templates/media/pushover) wants a status of 1.
  ["pushover", ({ receiptId }) => ({ status: 200, body: { status: 1, request: receiptId } })],
  // Zabbix' media type (templates/media/signl4) wants 201; the id is what signl4.com calls it.
  ["signl4", ({ receiptId }) => ({ status: 201, body: { eventId: receiptId } })],
  // Alertmanager from 0.26 on (notify/slack) and Grafana (receivers/slack) want these two letters, older Grafanas as HTML.
  ["slack", () => ({ status: 200, type: "text/html", body: "ok" })],
  // Zabbix' media type (templates/media/msteams) wants this digit alone.
  ["teams", () => ({ status: 200, type: "text/plain", body: "1" })],
  // Zabbix' media type for workflows (templates/media/msteams-workflow) wants 202.
  ["teams-workflow", () => ({ status: 202 })],
  // Alertmanager (notify/telegram) repeats what is not `ok`, and reads the number of the message and of its chat.
  [
    "telegram",
    ({ alerts: [first] }) => ({
      status: 200,
      body: {
        ok: true,
        result: {
          message_id: first?.iid ?? 0,
          date: Math.floor(Date.now() / 1000),
          chat: { id: 0, type: "private" },
        },
      },
    }),
  ],
]);

/** What the service would answer whose answers an address asks for; undefined where it asks for none that is known. */
export function serviceAnswer(url: string, outcome: Outcome): ServiceAnswer | undefined {
  const at = url.indexOf("?");
  if (at < 0) return undefined;
  const query = url.slice(at);
  // Zabbix' media type for Discord puts `?wait=True` behind whatever stands there.
  const [name = ""] = new URLSearchParams(query).get(ANSWER_PARAMETER)?.split("?", 1) ?? [];
  return SERVICES.get(name.toLowerCase())?.(outcome, query);
}
