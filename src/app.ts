/** The whole service: each group of doors with its prefix, and the form of its error responses. */
import type { FastifyInstance } from "fastify";
import { receiverRoutes } from "./alerts/routes-receiver.ts";
import { apiDoors } from "./api-doors.ts";
import { noRoute, speaksErrors, speaksPages } from "./error-replies.ts";
import { guardsQueryTokens } from "./oauth/query-tokens.ts";
import { oauthRoutes } from "./oauth/routes.ts";
import { openidRoutes } from "./oauth/routes-openid.ts";
import { watchRefusals } from "./oauth/routes-refusals.ts";
import { registrationRoutes } from "./oauth/routes-registration.ts";
import { describeApi } from "./openapi.ts";
import { limitsOauth } from "./operations/limits.ts";
import { healthRoutes } from "./operations/routes-health.ts";
import { measuresRequests, metricsRoutes } from "./operations/routes-metrics.ts";
import { pageDoors } from "./page-doors.ts";
import { checkClock } from "./platform/clock-mark.ts";
import { allowsAnyOrigin } from "./platform/cross-origin.ts";
import { createServer } from "./platform/http.ts";
import { watchMethods } from "./platform/not-allowed.ts";
import { answersPlainJson } from "./platform/plain-json.ts";
import type { Platform } from "./platform/platform.ts";
import { assetRoutes } from "./ui/routes.ts";

/** Builds the service on a connected, migrated platform; `commands/serve.ts` makes it listen. */
export async function buildApp(platform: Platform): Promise<FastifyInstance> {
  const app = await createServer(platform);
  const describe = describeApi(app, platform.config.publicUrl);
  measuresRequests(app);

  await app.register((api) => apiDoors(api, platform), { prefix: "/api/v4" });

  // No page has such an address, and whoever tries another version of the API expects JSON.
  await app.register(async (elsewhere) => {
    speaksErrors(elsewhere, "api");
    answersPlainJson(elsewhere);
    elsewhere.all("/api/*", { config: { undocumented: true } }, noRoute);
  });

  await app.register(async (oauth) => {
    speaksErrors(oauth, "oauth", watchRefusals(oauth, platform));
    allowsAnyOrigin(oauth);
    // After it, so that programs in browsers can read the refusal.
    oauth.addHook("onRequest", () => checkClock(platform));
    limitsOauth(oauth, platform.config);
    guardsQueryTokens(oauth, platform);
    const methods = watchMethods(oauth);
    oauthRoutes(oauth, platform);
    openidRoutes(oauth, platform);
    registrationRoutes(oauth, platform);
    methods.fill();
  });

  await app.register(async (receiver) => {
    speaksErrors(receiver, "api");
    answersPlainJson(receiver);
    receiverRoutes(receiver, platform);
  });

  await app.register(async (service) => {
    speaksErrors(service, "api");
    healthRoutes(service, platform);
    metricsRoutes(service, platform);
    assetRoutes(service);
  });

  await app.register((pages) => pageDoors(pages, platform, describe));

  speaksPages(app, platform);
  app.setNotFoundHandler(noRoute);
  return app;
}
