/** The route by which Opsgenie's clients ask for the result of a request. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Problem } from "../platform/problem.ts";
import { ROUTE_HEADER } from "./arrival.ts";
import { readReceipt } from "./read-receipt.ts";
import { isReceiptId } from "./receipt.ts";
import type { Receiver } from "./receive-delivery.ts";
import { authenticatorOf, took } from "./routes-genie-key.ts";
import type { Endpoint } from "./store-integrations.ts";
import { findReceipt } from "./store-receipts.ts";

/** How many results an integration may ask for per minute: each is the reading of one receipt, and a client asks for many. */
const RESULTS_PER_MINUTE = 600;

/** Registers `GET /opsgenie/v2/alerts/requests/:id`, for the integration that sent the request (decision 0186). */
export function opsgenieRequests(app: FastifyInstance, receiver: Receiver): void {
  const authenticate = authenticatorOf(receiver, RESULTS_PER_MINUTE);
  for (const slash of ["", "/"]) {
    app.get<{ Params: { id: string } }>(
      `/opsgenie/v2/alerts/requests/:id${slash}`,
      { config: { undocumented: true } },
      async (request) => requestRecord(receiver, request, await authenticate(request)),
    );
  }
}

const STATUS_WORDS: Readonly<Record<string, string>> = {
  created: "Created alert",
  counted: "Deduplicated alert",
  resolved: "Closed alert",
  acknowledged: "Acknowledged alert",
  noted: "Note added",
  orphan: "Alert does not exist",
  nothing: "Nothing to change",
};

/** The status texts that replace the one for `noted`, by action. */
const NOTED_WORDS: Readonly<Record<string, string>> = { unacknowledge: "UnAcknowledged alert" };

/** The status text of every request that names a person: a key must not reveal who may see alerts here (decision 0186). */
const ASSIGNMENT_WORDS = "Request for a person processed";

/** Returns the result of a request, which is final: it was processed before it was answered. @throws Problem not_found */
async function requestRecord(
  { platform }: Receiver,
  request: FastifyRequest<{ Params: { id: string } }>,
  endpoint: Endpoint,
) {
  const { id } = request.params;
  const receipt = isReceiptId(id) ? await findReceipt(platform.db.pooled, endpoint.projectId, id) : undefined;
  if (receipt?.integrationId !== endpoint.id) throw new Problem("not_found", "Request not found");
  const reading = await readReceipt(receipt);
  const { decision } = receipt;
  const isSuccess = decision !== "refused" && decision !== "orphan";
  const names = reading?.reports.some(({ person }) => person !== undefined) && isSuccess;
  const action = receipt.headers[ROUTE_HEADER]?.split("/")[1] ?? "create";
  return {
    data: {
      success: isSuccess,
      isSuccess,
      action,
      processedAt: receipt.receivedAt.toISOString(),
      integrationId: String(endpoint.id),
      status: names
        ? ASSIGNMENT_WORDS
        : (decision === "noted" && NOTED_WORDS[action]) || (STATUS_WORDS[decision] ?? decision),
      alertId: String(receipt.alertIids[0] ?? ""),
      alias: reading?.dedupKey ?? "",
    },
    took: took(request),
    requestId: receipt.id,
  };
}
