/** Responds as other services do, for senders that treat any other response as a failure (decision 0190). */
import type { Outcome } from "./delivery.ts";

/** The query parameter that names the service whose response the sender expects. */
const ANSWER_PARAMETER = "answer";

export interface ServiceAnswer {
  status: number;
  /** Text is sent as `type`, an object as JSON; without it the body is empty. */
  body?: string | object;
  type?: string;
}

type Answer = (outcome: Outcome, query: string) => ServiceAnswer;

/** The responses, each with what the service's clients check. */
const SERVICES: ReadonlyMap<string, Answer> = new Map<string, Answer>([
  // Alerta's client (alertaclient/api.py) reads members of an object, and prints the message on the command line.
  [
    "alerta",
    ({ receiptId, alerts: [first] }) => ({
      status: 201,
      body: { status: "ok", id: receiptId, message: first ? `alert ${first.iid}` : "no alert" },
    }),
  ],
  // Only requests with `wait` get a message (discord.com/developers, Execute Webhook); Zabbix' media type does, and requires an
  // `id`.
  [
    "discord",
    ({ receiptId, alerts }, query) =>
      /[?&]wait=(?:true|1)(?:&|$)/i.test(query)
        ? { status: 200, body: { id: receiptId, type: 0, alerts } }
        : { status: 204 },
  ],
  // Zabbix' media type (templates/media/pushover) requires a status of 1.
  ["pushover", ({ receiptId }) => ({ status: 200, body: { status: 1, request: receiptId } })],
  // Zabbix' media type (templates/media/signl4) requires 201; the id is what signl4.com calls it.
  ["signl4", ({ receiptId }) => ({ status: 201, body: { eventId: receiptId } })],
  // Alertmanager from 0.26 on (notify/slack) and Grafana (receivers/slack) require this text, older Grafanas as HTML.
  ["slack", () => ({ status: 200, type: "text/html", body: "ok" })],
  // Zabbix' media type (templates/media/msteams) requires exactly this body.
  ["teams", () => ({ status: 200, type: "text/plain", body: "1" })],
  // Zabbix' media type for workflows (templates/media/msteams-workflow) requires 202.
  ["teams-workflow", () => ({ status: 202 })],
  // Alertmanager (notify/telegram) retries unless `ok` is true, and reads the ids of the message and of its chat.
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

/** Returns the response of the service that the address names; undefined if it names none that is known. */
export function serviceAnswer(url: string, outcome: Outcome): ServiceAnswer | undefined {
  const at = url.indexOf("?");
  if (at < 0) return undefined;
  const query = url.slice(at);
  // Zabbix' media type for Discord appends `?wait=True` to any address.
  const [name = ""] = new URLSearchParams(query).get(ANSWER_PARAMETER)?.split("?", 1) ?? [];
  return SERVICES.get(name.toLowerCase())?.(outcome, query);
}
