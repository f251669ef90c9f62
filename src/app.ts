/** Every door of the service on one screen: prefix, routes, and how each group speaks refusals. */
import type { FastifyInstance } from "fastify";
import { refusesSudo } from "./accounts/caller.ts";
import { adminPages } from "./accounts/pages-admin.ts";
import { adminAccountPages } from "./accounts/pages-admin-accounts.ts";
import { adminAuditPages } from "./accounts/pages-admin-audit.ts";
import { adminInvitationPages } from "./accounts/pages-admin-invitations.ts";
import { adminUsernamePages } from "./accounts/pages-admin-username.ts";
import { avatarPages } from "./accounts/pages-avatar.ts";
import { forgotPages } from "./accounts/pages-forgot.ts";
import { foundPeople } from "./accounts/pages-found.ts";
import { invitationPages } from "./accounts/pages-invitation.ts";
import { knownAddressPages } from "./accounts/pages-known-addresses.ts";
import { mailPages } from "./accounts/pages-mails.ts";
import { passkeyPages } from "./accounts/pages-passkeys.ts";
import { passwordPages } from "./accounts/pages-password.ts";
import { profilePages } from "./accounts/pages-profile.ts";
import { provePages } from "./accounts/pages-prove.ts";
import { registerPages } from "./accounts/pages-register.ts";
import { searchPages } from "./accounts/pages-search.ts";
import { securityLogPages } from "./accounts/pages-security-log.ts";
import { sessionPages } from "./accounts/pages-sessions.ts";
import { setupPages } from "./accounts/pages-setup.ts";
import { signInPages } from "./accounts/pages-sign-in.ts";
import { tokenPages } from "./accounts/pages-tokens.ts";
import { twoFactorPages } from "./accounts/pages-two-factor.ts";
import { invitationRoutes } from "./accounts/routes-invitations.ts";
import { leakRoutes } from "./accounts/routes-leaks.ts";
import { tokenRoutes } from "./accounts/routes-tokens.ts";
import { twoFactorRoutes } from "./accounts/routes-two-factor.ts";
import { userRoutes } from "./accounts/routes-users.ts";
import { countOpen, hasIntegrations } from "./alerts/count-open.ts";
import { operationPages } from "./alerts/pages.ts";
import { openAlertsCard } from "./alerts/pages-dashboard.ts";
import { foundAlerts } from "./alerts/pages-found.ts";
import { newMetricImagePage } from "./alerts/pages-metric-images.ts";
import { alertNoteRoutes } from "./alerts/routes-alert-notes.ts";
import { alertRoutes } from "./alerts/routes-alerts.ts";
import { channelRoutes } from "./alerts/routes-channels.ts";
import { heartbeatRoutes } from "./alerts/routes-heartbeats.ts";
import { incidentRoutes } from "./alerts/routes-incidents.ts";
import { integrationRoutes } from "./alerts/routes-integrations.ts";
import { labelRoutes } from "./alerts/routes-labels.ts";
import { metricImageRoutes } from "./alerts/routes-metric-images.ts";
import { receiverRoutes } from "./alerts/routes-receiver.ts";
import { silenceRoutes } from "./alerts/routes-silences.ts";
import { templateRoutes } from "./alerts/routes-templates.ts";
import { tellLeakedKey } from "./alerts/tell-leaked-key.ts";
import { noRoute, speaksErrors, speaksPages } from "./error-replies.ts";
import { endLeakedFeedToken } from "./events/end-leaked-feed-token.ts";
import { eventPages, groupActivity, projectActivity } from "./events/pages.ts";
import { claimPages } from "./events/pages-claims.ts";
import { recentEventsCard, waitingClaimsCard } from "./events/pages-dashboard.ts";
import { feedTokenPages } from "./events/pages-feed-token.ts";
import { sourcePages } from "./events/pages-sources.ts";
import { recordHappenings } from "./events/record-happenings.ts";
import { removePersonWith } from "./events/remove-person.ts";
import { eventRoutes } from "./events/routes.ts";
import { claimRoutes } from "./events/routes-claims.ts";
import { eventExportRoutes } from "./events/routes-export.ts";
import { feedPages, feedTokenRoutes } from "./events/routes-feeds.ts";
import { eventHookRoutes } from "./events/routes-hooks.ts";
import { mergeRequestRoutes } from "./events/routes-merge-requests.ts";
import { eventSourceRoutes } from "./events/routes-sources.ts";
import { eventStreamRoutes } from "./events/routes-stream.ts";
import { eventWriteRoutes } from "./events/routes-write.ts";
import { tellLeakedSource } from "./events/tell-leaked-source.ts";
import { endLeakedSecret } from "./oauth/end-leaked-secret.ts";
import { findApplicationName } from "./oauth/find-application-name.ts";
import { applicationPages } from "./oauth/pages-applications.ts";
import { authorizePages } from "./oauth/pages-authorize.ts";
import { devicePages } from "./oauth/pages-device.ts";
import { foundApplications } from "./oauth/pages-found.ts";
import { logoutPages } from "./oauth/pages-logout.ts";
import { nativePages } from "./oauth/pages-native.ts";
import { settingsPages } from "./oauth/pages-settings.ts";
import { guardsQueryTokens } from "./oauth/query-tokens.ts";
import { removeGrantsOfPerson } from "./oauth/remove-application.ts";
import { oauthRoutes } from "./oauth/routes.ts";
import { applicationRoutes } from "./oauth/routes-applications.ts";
import { openidRoutes } from "./oauth/routes-openid.ts";
import { watchBoundTokens, watchRefusals } from "./oauth/routes-refusals.ts";
import { announcesResource, registrationRoutes } from "./oauth/routes-registration.ts";
import { describeApi } from "./openapi.ts";
import { limitsApi, limitsOauth, limitsPages, limitsSignIn } from "./operations/limits.ts";
import type { Description } from "./operations/operation.ts";
import { explorerPages } from "./operations/pages-explorer.ts";
import { helpPages } from "./operations/pages-help.ts";
import { measuresRequests, metricsRoutes } from "./operations/routes-metrics.ts";
import { versionRoutes } from "./operations/routes-version.ts";
import { checkClock } from "./platform/clock-mark.ts";
import { allowsAnyOrigin } from "./platform/cross-origin.ts";
import { leadsToForms } from "./platform/form-addresses.ts";
import { createServer } from "./platform/http.ts";
import { leavesOutLastSlash } from "./platform/last-slash.ts";
import { watchMethods } from "./platform/not-allowed.ts";
import { answersPlainJson } from "./platform/plain-json.ts";
import type { Platform } from "./platform/platform.ts";
import { keepsAnswersPrivate } from "./platform/private-answers.ts";
import { readsWritesFromAddresses } from "./platform/written-in-address.ts";
import { groupAt } from "./projects/access.ts";
import { joinInvited } from "./projects/join-invited.ts";
import { createProjectPages } from "./projects/page-route.ts";
import { homePages } from "./projects/pages.ts";
import { environmentPages } from "./projects/pages-environments.ts";
import { foundProjects, suggestedProjects } from "./projects/pages-found.ts";
import { groupSettingsPages } from "./projects/pages-group-settings.ts";
import { groupsPages } from "./projects/pages-groups.ts";
import { placeInvitationPages } from "./projects/pages-invitations.ts";
import { memberPages } from "./projects/pages-members.ts";
import { movePages } from "./projects/pages-move.ts";
import { peopleDoor } from "./projects/pages-people.ts";
import { projectPages } from "./projects/pages-project.ts";
import { restPages } from "./projects/pages-rest.ts";
import { retentionPages } from "./projects/pages-retention.ts";
import { projectSettingsPages } from "./projects/pages-settings.ts";
import { roleName } from "./projects/role.ts";
import { projectRoutes } from "./projects/routes.ts";
import { environmentRoutes } from "./projects/routes-environments.ts";
import { groupRoutes } from "./projects/routes-groups.ts";
import { placeInvitationRoutes } from "./projects/routes-invitations.ts";
import { memberRoutes } from "./projects/routes-members.ts";
import { redirectsMoved } from "./projects/routes-moved.ts";
import { namespaceRoutes } from "./projects/routes-namespaces.ts";
import { restRoutes } from "./projects/routes-rest.ts";
import { searchRoutes } from "./projects/routes-search.ts";
import { serviceRoutes } from "./service-routes.ts";
import { assetRoutes } from "./ui/routes.ts";

/** Builds the service on a connected, migrated platform; listening is `main.ts`'s. */
export async function buildApp(platform: Platform): Promise<FastifyInstance> {
  const app = await createServer(platform);
  describeApi(app, platform.config.publicUrl);
  measuresRequests(app);

  await app.register(
    async (api) => {
      speaksErrors(api, "api", watchBoundTokens(platform));
      allowsAnyOrigin(api);
      limitsApi(api, platform.config);
      answersPlainJson(api);
      keepsAnswersPrivate(api);
      guardsQueryTokens(api, platform);
      announcesResource(api, platform);
      refusesSudo(api);
      readsWritesFromAddresses(api);
      redirectsMoved(api, platform);
      const methods = watchMethods(api);
      versionRoutes(api, platform);
      userRoutes(api, platform, removePersonWith(removeGrantsOfPerson));
      applicationRoutes(api, platform);
      tokenRoutes(api, platform);
      leakRoutes(api, platform, [endLeakedSecret, endLeakedFeedToken, tellLeakedSource, tellLeakedKey]);
      twoFactorRoutes(api, platform);
      projectRoutes(api, platform, recordHappenings);
      groupRoutes(api, platform);
      namespaceRoutes(api, platform);
      restRoutes(api, platform);
      searchRoutes(api, platform);
      invitationRoutes(api, platform);
      placeInvitationRoutes(api, platform);
      memberRoutes(api, platform, recordHappenings);
      environmentRoutes(api, platform);
      eventRoutes(api, platform);
      eventExportRoutes(api, platform);
      eventStreamRoutes(api, platform);
      feedTokenRoutes(api, platform);
      eventWriteRoutes(api, platform);
      eventSourceRoutes(api, platform);
      eventHookRoutes(api, platform);
      claimRoutes(api, platform);
      mergeRequestRoutes(api, platform);
      integrationRoutes(api, platform);
      alertRoutes(api, platform);
      alertNoteRoutes(api, platform);
      await api.register((group) => metricImageRoutes(group, platform));
      incidentRoutes(api, platform);
      labelRoutes(api, platform);
      silenceRoutes(api, platform);
      channelRoutes(api, platform);
      heartbeatRoutes(api, platform);
      templateRoutes(api, platform);
      methods.fill();
      // The wildcard of the project pages would answer otherwise, and PROPFIND and its like the page of the unknown.
      api.all("/*", { config: { undocumented: true } }, noRoute);
      api.setNotFoundHandler(noRoute);
    },
    { prefix: "/api/v4" },
  );

  // No page lies there, and who looks for another interface reads JSON.
  await app.register(async (elsewhere) => {
    speaksErrors(elsewhere, "api");
    answersPlainJson(elsewhere);
    elsewhere.all("/api/*", { config: { undocumented: true } }, noRoute);
  });

  await app.register(async (oauth) => {
    speaksErrors(oauth, "oauth", watchRefusals(oauth, platform));
    allowsAnyOrigin(oauth);
    // Behind it, so that programs in browsers can read the refusal.
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
    serviceRoutes(service, platform);
    metricsRoutes(service, platform);
    assetRoutes(service);
  });

  await app.register(async (pages) => {
    speaksPages(pages, platform);
    limitsPages(pages, platform.config);
    limitsSignIn(pages, platform.config);
    leavesOutLastSlash(pages);
    leadsToForms(pages);
    signInPages(pages, platform, (uid) => findApplicationName(platform.db, uid));
    setupPages(pages, platform);
    explorerPages(pages, platform, async () => JSON.parse(String(await app.describe())) as Description);
    helpPages(pages, platform);
    avatarPages(pages, platform);
    tokenPages(pages, platform);
    twoFactorPages(pages, platform);
    passkeyPages(pages, platform);
    passwordPages(pages, platform);
    knownAddressPages(pages, platform);
    forgotPages(pages, platform);
    invitationPages(pages, platform, joinInvited(recordHappenings), roleName);
    registerPages(pages, platform);
    profilePages(pages, platform);
    mailPages(pages, platform);
    adminInvitationPages(pages, platform);
    provePages(pages, platform);
    adminPages(pages, platform, removePersonWith(removeGrantsOfPerson));
    adminAccountPages(pages, platform);
    adminUsernamePages(pages, platform);
    adminAuditPages(pages, platform);
    sessionPages(pages, platform);
    securityLogPages(pages, platform);
    authorizePages(pages, platform);
    devicePages(pages, platform);
    nativePages(pages, platform);
    logoutPages(pages, platform);
    applicationPages(pages, platform, async (asker, path) => !!(await groupAt(platform.db, asker, path)));
    settingsPages(pages, platform);
    homePages(pages, platform, recordHappenings, {
      urgent: [openAlertsCard(platform), waitingClaimsCard(platform)],
      recent: recentEventsCard(platform),
    });
    const kinds = {
      projects: foundProjects(platform),
      people: foundPeople(platform),
      alerts: foundAlerts(platform),
      applications: foundApplications(platform),
    };
    searchPages(pages, platform, kinds, suggestedProjects(platform));
    const at = createProjectPages(pages, countOpen(platform));
    projectPages(at, platform, {
      ofGroup: groupActivity(platform),
      ofProject: projectActivity(platform),
      hasIntegrations: hasIntegrations(platform),
    });
    const people = peopleDoor(pages, at, platform);
    placeInvitationPages(people, platform);
    memberPages(people, platform, recordHappenings);
    groupsPages(pages, platform);
    groupSettingsPages(pages, platform);
    projectSettingsPages(at, platform);
    movePages(pages, at, platform);
    restPages(pages, at, platform);
    environmentPages(at, platform);
    retentionPages(at, platform);
    eventPages(pages, at, platform);
    feedPages(at, platform);
    feedTokenPages(pages, platform);
    claimPages(pages, platform);
    sourcePages(at, platform);
    await pages.register((group) => newMetricImagePage(group, platform));
    operationPages(at, platform, (end) => pages.addHook("preClose", async () => end()));
  });

  speaksPages(app, platform);
  app.setNotFoundHandler(noRoute);
  return app;
}
