/** `/users/prove`: asks for the password or a passkey again, before a sensitive act, which a form may wait for. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { formText } from "../platform/form-text.ts";
import { bringsProof, PROOF_FIELD } from "../platform/form-with-proof.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { PROVE, type ProofFaults, proofPage } from "../ui/proof-page.ts";
import { askPasskey } from "./ask-passkey.ts";
import { browserOf, checkFormOfViewer, needsViewer, renewSession, type SignedInBrowser } from "./browser.ts";
import { checkPasskey } from "./check-passkey.ts";
import { checkPassword } from "./check-password.ts";
import { waitingFormOf } from "./late-form.ts";
import { proofAskedOf } from "./proof-asked.ts";
import type { Method } from "./session.ts";
import { takeReturnPath } from "./take-return-path.ts";

/** The target of `needsFreshProof` without a form; afterwards the person returns to where they were. */
export function provePages(app: FastifyInstance, platform: Platform): void {
  app.get(PROVE, async (request, reply) => {
    await needsViewer(platform, request, reply);
    return sendPage(reply, proofPage(await proofAskedOf(platform, request, reply)));
  });
  app.post(`${PROVE}/passkey/options`, async (request, reply) => {
    const { viewer, digest: session } = await checkFormOfViewer(platform, request, reply);
    const options = await askPasskey(platform, { purpose: "proof", session, userId: viewer.userId });
    return reply.header("cache-control", "no-store").send(options);
  });
  app.post(PROVE, async (request, reply) => {
    const browser = await checkFormOfViewer(platform, request, reply);
    const faults = await prove(platform, request, reply, browser, proofIn(request));
    if (faults) {
      const asked = await proofAskedOf(platform, request, reply);
      return sendPage(reply, proofPage({ ...asked, faults }), { failed: true });
    }
    return reply.redirect(await takeReturnPath(platform, request, reply), 303);
  });
}

/**
 * Lets a form bring its proof along (decision 0289): checks it before the form is acted on, which then finds a fresh session, and
 * its token. Must be registered before the routes, and after the limits.
 */
export function takesProofs(app: FastifyInstance, platform: Platform): void {
  app.addHook("preHandler", async (request, reply) => {
    if (request.method !== "POST" || !bringsProof(request)) return undefined;
    const proof = proofIn(request);
    const body = request.body as Record<string, unknown>;
    // No route may take them for its own fields, and no page may offer them again.
    for (const name of [PROOF_FIELD, "password", "passkey"]) delete body[name];
    const browser = await checkFormOfViewer(platform, request, reply);
    const faults = await prove(platform, request, reply, browser, proof);
    if (faults) {
      const asked = await proofAskedOf(platform, request, reply);
      const waiting = waitingFormOf(platform, request);
      return sendPage(reply, proofPage({ ...asked, waiting, faults }), { failed: true });
    }
    await takeReturnPath(platform, request, reply);
    body.csrf_token = (await browserOf(platform, request, reply)).csrfToken;
    return undefined;
  });
}

type Proof = { password: string; passkey: string };

function proofIn(request: FastifyRequest): Proof {
  return { password: formText(request, "password"), passkey: formText(request, "passkey") };
}

/** Checks the proof and gives the session a new secret; returns what is wrong with it, if it was refused. */
async function prove(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  { viewer: { userId: id, username }, digest: session }: SignedInBrowser,
  { password, passkey: answer }: Proof,
): Promise<ProofFaults | undefined> {
  let by: Method = "pwd";
  try {
    if (answer) by = await checkPasskey(platform, id, { session, answer }, request.ip);
    else await checkPassword(platform, { id, username }, { password, address: request.ip });
  } catch (error) {
    if (!(error instanceof Problem) || (error.kind !== "forbidden" && error.kind !== "too_many")) throw error;
    if (answer) return { passkey: error.message };
    return { password: error.kind === "forbidden" ? "That is not your password." : error.message };
  }
  await renewSession(platform, request, reply, { userId: id, by: [by], onlyInstead: true });
  return undefined;
}
