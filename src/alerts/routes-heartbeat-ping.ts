/** The route at which heartbeats are pinged: `GET`, `HEAD` or `POST <project>/heartbeats/<identifier>` (decision 0098). */
import type { FastifyReply, FastifyRequest } from "fastify";
import { Problem } from "../platform/problem.ts";
import { RECEIVER_PREFIX } from "../platform/receiver-address.ts";
import { checkSizeOfRefused } from "./body.ts";
import type { Receiver } from "./receive-delivery.ts";
import { recordPing } from "./record-heartbeat.ts";
import { chargedFor, presentedKey } from "./routes-receive-request.ts";
import { pingRecord } from "./wire-heartbeats.ts";

const PING = /^\/(.+)\/heartbeats\/([0-9a-f]{16})\/?(?:\?.*)?$/;

/** Records a ping and returns the response body; undefined if the address is no heartbeat's. */
export async function answerPing(receiver: Receiver, request: FastifyRequest, reply: FastifyReply) {
  const found = PING.exec(request.url.slice(RECEIVER_PREFIX.length));
  const projectPath = found && decoded(found[1] ?? "");
  if (!found || !projectPath) return undefined;
  // The body of a ping is ignored.
  if (request.method === "POST") await checkSizeOfRefused({ raw: request.raw, answer: reply.raw });
  try {
    const address = { projectPath, identifier: found[2] ?? "" };
    const beat = await recordPing(receiver.platform, address, presentedKey(request));
    reply.header("cache-control", "no-store");
    return pingRecord(beat);
  } catch (refusal) {
    throw refusal instanceof Problem ? chargedFor(receiver, request, refusal) : refusal;
  }
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
