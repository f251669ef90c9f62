/**
 * `POST /oauth/par`: an application pushes an authorization request before it redirects the browser (RFC 9126; decision 0205).
 */
import type { FastifyInstance } from "fastify";
import type { Platform } from "../platform/platform.ts";
import { authenticateApplication } from "./authenticate-application.ts";
import { expectedPerson } from "./pages-authorize-hint.ts";
import { keyOfPushed } from "./prove-key.ts";
import { pushRequest } from "./push-request.ts";
import { singleParameters } from "./single-parameters.ts";
import { clientProof, described, proofHeader, readParameters } from "./wire.ts";
import {
  PUSHED_ANSWERS,
  PUSHED_PARAMETERS,
  pushedBody,
  pushedParameters,
  pushedReply,
} from "./wire-pushed.ts";

export function pushedRoutes(app: FastifyInstance, platform: Platform): void {
  const pushes = described(pushedBody, PUSHED_ANSWERS, proofHeader);
  app.post("/oauth/par", pushes, async (request, reply) => {
    const parameter = readParameters(request, PUSHED_PARAMETERS);
    const application = await authenticateApplication(platform, clientProof(request, parameter));
    const pushed = pushedParameters(request, parameter, platform.config.publicUrl);
    const key = await keyOfPushed(platform, request, parameter("dpop_jkt"));
    const given = { ...pushed, ...(key === undefined ? {} : { dpop_jkt: key }) };
    const requestUri = await pushRequest(platform, application, given, request.ip, (asked) =>
      expectedPerson(platform, asked, singleParameters(given)),
    );
    return reply
      .code(201)
      .headers({ "cache-control": "no-store", pragma: "no-cache" })
      .send(pushedReply(requestUri));
  });
}
