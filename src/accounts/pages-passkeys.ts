/** `/profile/two_factor/passkeys`: adding, renaming and removing passkeys. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { formText } from "../platform/form-text.ts";
import { idIn } from "../platform/number-in.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import { faultOf } from "../ui/form.ts";
import { actOfViewer } from "./act-of-viewer.ts";
import { beginPasskey } from "./begin-passkey.ts";
import { checkFormOfViewer, needsFreshProof, redirectWith, renewSession } from "./browser.ts";
import { showCodes } from "./pages-two-factor.ts";
import { sendTwoFactor, TWO_FACTOR } from "./pages-two-factor-frame.ts";
import { registerPasskey } from "./register-passkey.ts";
import { removePasskey } from "./remove-passkey.ts";
import { renamePasskey } from "./rename-passkey.ts";

const HOME = `${TWO_FACTOR}/passkeys`;

/** All except renaming require a recent proof of identity. */
export function passkeyPages(app: FastifyInstance, platform: Platform): void {
  app.post(`${HOME}/options`, async (request, reply) => {
    const { viewer, digest } = await checkFormOfViewer(platform, request, reply);
    await needsFreshProof(platform, request, reply, TWO_FACTOR);
    const person = { id: viewer.userId, username: viewer.username, name: viewer.name };
    reply.header("cache-control", "no-store");
    try {
      return reply.send(await beginPasskey(platform, person, digest));
    } catch (error) {
      if (error instanceof Problem && error.kind === "unprocessable") {
        return reply.code(422).send({ message: error.message });
      }
      throw error;
    }
  });
  app.post(HOME, async (request, reply) => add(platform, request, reply));
  app.post<{ Params: { id: string } }>(`${HOME}/:id/name`, async (request, reply) => {
    const { viewer } = await checkFormOfViewer(platform, request, reply);
    const name = formText(request, "name").trim();
    try {
      await renamePasskey(platform.db, viewer.userId, idIn(request.params.id), name);
    } catch (error) {
      return refused(platform, request, reply, error);
    }
    const text = `The passkey is called ${name} now.`;
    return redirectWith(platform, request, reply, TWO_FACTOR, { kind: "ok", text });
  });
  app.post<{ Params: { id: string } }>(`${HOME}/:id/remove`, async (request, reply) => {
    const browser = await checkFormOfViewer(platform, request, reply);
    await needsFreshProof(platform, request, reply, TWO_FACTOR);
    const act = actOfViewer(browser, request);
    const stillOn = await removePasskey(platform.db, act.actorId, idIn(request.params.id), act);
    const text = stillOn ? "The passkey is removed." : "The passkey is removed. Two-factor sign-in is off.";
    return redirectWith(platform, request, reply, TWO_FACTOR, { kind: "ok", text });
  });
}

async function add(platform: Platform, request: FastifyRequest, reply: FastifyReply) {
  const browser = await checkFormOfViewer(platform, request, reply);
  await needsFreshProof(platform, request, reply, TWO_FACTOR);
  const { viewer, digest: session } = browser;
  const given = { session, answer: formText(request, "passkey"), name: formText(request, "name").trim() };
  let codes: string[];
  try {
    codes = await registerPasskey(platform, viewer.userId, given, actOfViewer(browser, request));
  } catch (error) {
    return refused(platform, request, reply, error);
  }
  await renewSession(platform, request, reply, { userId: viewer.userId, onlyInstead: true });
  const text = codes.length > 0 ? "The passkey is added. Two-factor sign-in is on." : "The passkey is added.";
  return showCodes(platform, request, reply, text, codes);
}

/** Shows the page again with the reason; rethrows errors that do not belong to the form. */
function refused(platform: Platform, request: FastifyRequest, reply: FastifyReply, error: unknown) {
  if (error instanceof FieldProblem) {
    return sendTwoFactor(platform, request, reply, { passkey: faultOf(error.fields, "name", "Name") ?? "" });
  }
  if (error instanceof Problem && (error.kind === "unprocessable" || error.kind === "conflict")) {
    return sendTwoFactor(platform, request, reply, { passkey: error.message });
  }
  throw error;
}
