/** The door where forges and senders of CloudEvents deliver to an event source (contract-events §3). */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { allowEvents } from "../platform/event-handshake.ts";
import { checkSpace } from "../platform/free-space.ts";
import { keepsToRoom } from "../platform/large-bodies.ts";
import { numberIn } from "../platform/number-in.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import type { Static } from "../platform/schema.ts";
import { DELIVERIES_PER_MINUTE, limitDeliveries } from "./limit-deliveries.ts";
import { noteRefusal } from "./note-refusal.ts";
import { receiveDelivery } from "./receive-delivery.ts";
import { kindOf, MAX_KEPT_BYTES } from "./refusal.ts";
import { keptHeaders, keptReason, type Source } from "./source.ts";
import { findActiveSource } from "./store-sources.ts";
import { RECEIVE_ANSWERS } from "./wire-answers.ts";
import { DELIVERY_BODIES, ReceiveParameters, readerFor, receivedRecord } from "./wire-sources.ts";

/** Answered to everybody who knows the address: accepted deliveries are stored, so they are refused here (decision 0153). */
const READ_ONLY = "403 Forbidden - The project is archived or marked for deletion and takes no events.";
const RECEIVE_LIMIT_BYTES = 25 * 1024 * 1024;
const PROOF =
  "Senders prove that they know the secret of the source, each in its own way: by a signature or in a header.";
const RECEIVE_PATH = "/projects/:id/event_sources/:identifier/receive";

/** The route for forges: it takes no token, and the raw bytes, over which the proof is computed. */
export function receiveRoutes(app: FastifyInstance, platform: Platform): void {
  const sources = new WeakMap<FastifyRequest, Source>();
  const note = noteRefusal(platform);
  const limits = limitDeliveries(platform.config);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));

  app.options(RECEIVE_PATH, { config: { undocumented: true, takesEvents: true } }, async (request, reply) =>
    allowEvents(request, reply, DELIVERIES_PER_MINUTE),
  );
  app.post<{ Params: Static<typeof ReceiveParameters>; Body: Buffer | undefined }>(
    RECEIVE_PATH,
    {
      config: { answers: RECEIVE_ANSWERS, takes: DELIVERY_BODIES, limitsItself: true },
      bodyLimit: RECEIVE_LIMIT_BYTES,
      preParsing: keepsToRoom("deliveries"),
      schema: { params: ReceiveParameters, description: PROOF },
      // Before the body is read, so that nothing is read from a sender who does not know the address.
      onRequest: async (request, reply) => {
        const { id, identifier } = request.params;
        const number = identifier.includes("\0") ? undefined : numberIn(id);
        const source =
          number === undefined ? undefined : await findActiveSource(platform.db, number, identifier);
        if (!source) return limits.refuse(request, reply, new Problem("not_found", "404 Not Found"));
        if (source.isReadOnly) return limits.refuse(request, reply, new Problem("forbidden", READ_ONLY));
        sources.set(request, source);
        limits.check(source, reply);
        await checkSpace(platform);
      },
      onError: async (request, _reply, error) => {
        const source = sources.get(request);
        const refusal = source && refusalOf(source, request, error);
        if (refusal) await note(refusal);
      },
    },
    async (request, reply) => {
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const delivery = { headers: request.headers, body, nowSeconds: Date.now() / 1000 };
      const source = sources.get(request) as Source;
      const reader = readerFor(delivery);
      const payload = () => {
        // The proof is checked by now: whoever knows the address alone uses up nothing of what its forge may send.
        limits.count(source, reply);
        return reader.payload();
      };
      const received = await receiveDelivery(platform, source, delivery, { ...reader, payload }).catch(
        (refusal: unknown) => {
          if (refusal instanceof Problem && refusal.kind === "unauthenticated")
            limits.refuse(request, reply, refusal);
          throw refusal;
        },
      );
      return reply.code(received.status === "pong" ? 200 : 202).send(receivedRecord(received));
    },
  );
}

const NOTED = {
  invalid: 400,
  unauthenticated: 401,
  too_large: 413,
  unprocessable: 422,
  too_many: 429,
} as const;

/** What is stored of a refusal; undefined: it says nothing about the delivery. */
function refusalOf(source: Source, request: FastifyRequest, error: Error & { statusCode?: number }) {
  const status =
    error instanceof Problem
      ? Object.entries(NOTED).find(([kind]) => kind === error.kind)?.[1]
      : Object.values(NOTED).find((known) => known === error.statusCode);
  if (status === undefined) return undefined;
  const { headers } = request;
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const why = error instanceof Problem ? (error.log ?? error.message) : undefined;
  return {
    sourceId: source.id,
    status,
    reason: keptReason(
      why ?? (status === 413 ? "The body is larger than 25 MiB" : "The request is not HTTP as it should be"),
    ),
    kind: kindOf(headers),
    headers: keptHeaders(headers),
    raw: body.subarray(0, MAX_KEPT_BYTES),
    bodyBytes: body.length || Number(headers["content-length"] ?? 0) || 0,
  };
}
