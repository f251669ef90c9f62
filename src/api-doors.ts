/** Registers every door of the API, room by room, after the hooks that all of them share. */
import type { FastifyInstance } from "fastify";
import { refusesSudo } from "./accounts/caller.ts";
import { activityRoutes } from "./accounts/routes-activities.ts";
import { auditEventRoutes } from "./accounts/routes-audit-events.ts";
import { invitationRoutes } from "./accounts/routes-invitations.ts";
import { leakRoutes } from "./accounts/routes-leaks.ts";
import { tokenRoutes } from "./accounts/routes-tokens.ts";
import { twoFactorRoutes } from "./accounts/routes-two-factor.ts";
import { userRoutes } from "./accounts/routes-users.ts";
import { alertNoteRoutes } from "./alerts/routes-alert-notes.ts";
import { alertRoutes } from "./alerts/routes-alerts.ts";
import { allIncidentRoutes } from "./alerts/routes-all-incidents.ts";
import { channelRoutes } from "./alerts/routes-channels.ts";
import { discussionRoutes } from "./alerts/routes-discussions.ts";
import { heartbeatRoutes } from "./alerts/routes-heartbeats.ts";
import { incidentStatisticsRoutes } from "./alerts/routes-incident-statistics.ts";
import { incidentRoutes } from "./alerts/routes-incidents.ts";
import { integrationRoutes } from "./alerts/routes-integrations.ts";
import { labelRoutes } from "./alerts/routes-labels.ts";
import { metricImageRoutes } from "./alerts/routes-metric-images.ts";
import { incidentSearch } from "./alerts/routes-search.ts";
import { silenceRoutes } from "./alerts/routes-silences.ts";
import { templateRoutes } from "./alerts/routes-templates.ts";
import { tellLeakedKey } from "./alerts/tell-leaked-key.ts";
import { noRoute, speaksErrors } from "./error-replies.ts";
import { endLeakedFeedToken } from "./events/end-leaked-feed-token.ts";
import { recordHappenings } from "./events/record-happenings.ts";
import { removePersonWith } from "./events/remove-person.ts";
import { eventRoutes } from "./events/routes.ts";
import { claimRoutes } from "./events/routes-claims.ts";
import { eventExportRoutes } from "./events/routes-export.ts";
import { feedTokenRoutes } from "./events/routes-feeds.ts";
import { eventHookRoutes } from "./events/routes-hooks.ts";
import { mergeRequestRoutes } from "./events/routes-merge-requests.ts";
import { eventSourceRoutes } from "./events/routes-sources.ts";
import { eventStreamRoutes } from "./events/routes-stream.ts";
import { eventWriteRoutes } from "./events/routes-write.ts";
import { tellLeakedSource } from "./events/tell-leaked-source.ts";
import { endLeakedSecret } from "./oauth/end-leaked-secret.ts";
import { guardsQueryTokens } from "./oauth/query-tokens.ts";
import { removeGrantsOfPerson } from "./oauth/remove-application.ts";
import { applicationRoutes } from "./oauth/routes-applications.ts";
import { watchBoundTokens } from "./oauth/routes-refusals.ts";
import { announcesResource } from "./oauth/routes-registration.ts";
import { limitsApi } from "./operations/limits.ts";
import { versionRoutes } from "./operations/routes-version.ts";
import { allowsAnyOrigin } from "./platform/cross-origin.ts";
import { guardsLateBodies } from "./platform/late-bodies.ts";
import { takesForms } from "./platform/multipart.ts";
import { watchMethods } from "./platform/not-allowed.ts";
import { answersPlainJson } from "./platform/plain-json.ts";
import type { Platform } from "./platform/platform.ts";
import { keepsAnswersPrivate } from "./platform/private-answers.ts";
import { readsWritesFromAddresses } from "./platform/written-in-address.ts";
import { findPlacesNamed } from "./projects/find-places-named.ts";
import { projectRoutes } from "./projects/routes.ts";
import { environmentRoutes } from "./projects/routes-environments.ts";
import { groupRoutes } from "./projects/routes-groups.ts";
import { placeInvitationRoutes } from "./projects/routes-invitations.ts";
import { lifecycleRoutes } from "./projects/routes-lifecycle.ts";
import { memberRoutes } from "./projects/routes-members.ts";
import { membershipRoutes } from "./projects/routes-memberships.ts";
import { redirectsMoved } from "./projects/routes-moved.ts";
import { namespaceRoutes } from "./projects/routes-namespaces.ts";
import { projectGroupRoutes } from "./projects/routes-project-groups.ts";
import { projectUserRoutes } from "./projects/routes-project-users.ts";
import { searchRoutes } from "./projects/routes-search.ts";

/** Registers the routes of the API; `app.ts` sets their prefix. */
export async function apiDoors(api: FastifyInstance, platform: Platform): Promise<void> {
  guardsApi(api, platform);
  const methods = watchMethods(api);
  versionRoutes(api, platform);
  routesOfPeople(api, platform);
  routesOfPlaces(api, platform);
  routesOfEvents(api, platform);
  await routesOfAlerts(api, platform);
  methods.fill();
  // Otherwise the wildcard of the project pages would answer, and methods such as PROPFIND would get the HTML page for unknown
  // addresses.
  api.all("/*", { config: { undocumented: true } }, noRoute);
  api.setNotFoundHandler(noRoute);
}

/** The hooks for every request to the API, in this order. */
function guardsApi(api: FastifyInstance, platform: Platform): void {
  speaksErrors(api, "api", watchBoundTokens(platform));
  takesForms(api);
  allowsAnyOrigin(api);
  limitsApi(api, platform.config);
  answersPlainJson(api);
  keepsAnswersPrivate(api);
  guardsQueryTokens(api, platform);
  announcesResource(api, platform);
  guardsLateBodies(api);
  refusesSudo(api);
  readsWritesFromAddresses(api);
  redirectsMoved(api, platform);
}

/** People, and the keys that they have or give to applications. */
function routesOfPeople(api: FastifyInstance, platform: Platform): void {
  userRoutes(api, platform, removePersonWith(removeGrantsOfPerson));
  activityRoutes(api, platform);
  auditEventRoutes(api, platform, findPlacesNamed);
  applicationRoutes(api, platform);
  tokenRoutes(api, platform);
  leakRoutes(api, platform, [endLeakedSecret, endLeakedFeedToken, tellLeakedSource, tellLeakedKey]);
  twoFactorRoutes(api, platform);
}

/** Groups, projects and their members. */
function routesOfPlaces(api: FastifyInstance, platform: Platform): void {
  projectRoutes(api, platform, recordHappenings);
  groupRoutes(api, platform);
  namespaceRoutes(api, platform);
  lifecycleRoutes(api, platform);
  searchRoutes(api, platform, incidentSearch);
  invitationRoutes(api, platform);
  placeInvitationRoutes(api, platform, recordHappenings);
  memberRoutes(api, platform, recordHappenings);
  membershipRoutes(api, platform);
  projectUserRoutes(api, platform);
  projectGroupRoutes(api, platform);
  environmentRoutes(api, platform);
}

function routesOfEvents(api: FastifyInstance, platform: Platform): void {
  eventRoutes(api, platform);
  eventExportRoutes(api, platform);
  eventStreamRoutes(api, platform);
  feedTokenRoutes(api, platform);
  eventWriteRoutes(api, platform);
  eventSourceRoutes(api, platform);
  eventHookRoutes(api, platform);
  claimRoutes(api, platform);
  mergeRequestRoutes(api, platform);
}

async function routesOfAlerts(api: FastifyInstance, platform: Platform): Promise<void> {
  integrationRoutes(api, platform);
  alertRoutes(api, platform);
  alertNoteRoutes(api, platform);
  await api.register((group) => metricImageRoutes(group, platform));
  incidentRoutes(api, platform);
  discussionRoutes(api, platform);
  allIncidentRoutes(api, platform);
  incidentStatisticsRoutes(api, platform);
  labelRoutes(api, platform);
  silenceRoutes(api, platform);
  channelRoutes(api, platform);
  heartbeatRoutes(api, platform);
  templateRoutes(api, platform);
}
