/** Registers every page, room by room, after the hooks that all of them share. */
import type { FastifyInstance } from "fastify";
import { adminPages } from "./accounts/pages-admin.ts";
import { adminAccountPages } from "./accounts/pages-admin-accounts.ts";
import { adminAuditPages } from "./accounts/pages-admin-audit.ts";
import { adminInvitationPages } from "./accounts/pages-admin-invitations.ts";
import { adminUsernamePages } from "./accounts/pages-admin-username.ts";
import { avatarPages } from "./accounts/pages-avatar.ts";
import { emailConfirmationPages } from "./accounts/pages-confirm-email.ts";
import { twoFactorCard } from "./accounts/pages-dashboard.ts";
import { forgotPages } from "./accounts/pages-forgot.ts";
import { foundPeople } from "./accounts/pages-found.ts";
import { invitationPages } from "./accounts/pages-invitation.ts";
import { knownAddressPages } from "./accounts/pages-known-addresses.ts";
import { mailPages } from "./accounts/pages-mails.ts";
import { passkeyPages } from "./accounts/pages-passkeys.ts";
import { passwordPages } from "./accounts/pages-password.ts";
import { profilePages } from "./accounts/pages-profile.ts";
import { provePages, takesProofs } from "./accounts/pages-prove.ts";
import { registerPages } from "./accounts/pages-register.ts";
import { searchPages } from "./accounts/pages-search.ts";
import { securityLogPages } from "./accounts/pages-security-log.ts";
import { sessionPages } from "./accounts/pages-sessions.ts";
import { setupPages } from "./accounts/pages-setup.ts";
import { signInPages } from "./accounts/pages-sign-in.ts";
import { tokenPages } from "./accounts/pages-tokens.ts";
import { twoFactorPages } from "./accounts/pages-two-factor.ts";
import { countOpen } from "./alerts/count-open.ts";
import { pagesOfAlerts } from "./alerts/pages.ts";
import { openAlertsCard } from "./alerts/pages-dashboard.ts";
import { firstAlert } from "./alerts/pages-first-alert.ts";
import { foundAlerts } from "./alerts/pages-found.ts";
import { newMetricImagePage } from "./alerts/pages-metric-images.ts";
import { openAlertPages } from "./alerts/pages-open-alerts.ts";
import { speaksPages } from "./error-replies.ts";
import { eventPages, groupActivity, projectActivity } from "./events/pages.ts";
import { claimPages } from "./events/pages-claims.ts";
import { recentEventsCard, waitingClaimsCard } from "./events/pages-dashboard.ts";
import { feedTokenPages } from "./events/pages-feed-token.ts";
import { sourcePages } from "./events/pages-sources.ts";
import { recordHappenings } from "./events/record-happenings.ts";
import { removePersonWith } from "./events/remove-person.ts";
import { endFeedToken } from "./events/reset-feed-token.ts";
import { calendarFeed, feedPages } from "./events/routes-feeds.ts";
import { findApplicationName } from "./oauth/find-application-name.ts";
import type { GroupRights } from "./oauth/pages-application-site.ts";
import { applicationPages } from "./oauth/pages-applications.ts";
import { authorizePages } from "./oauth/pages-authorize.ts";
import { devicePages } from "./oauth/pages-device.ts";
import { foundApplications } from "./oauth/pages-found.ts";
import { logoutPages } from "./oauth/pages-logout.ts";
import { nativePages } from "./oauth/pages-native.ts";
import { settingsPages } from "./oauth/pages-settings.ts";
import { removeGrantsOfPerson } from "./oauth/remove-application.ts";
import { limitsPages, limitsSignIn } from "./operations/limits.ts";
import type { Description } from "./operations/operation.ts";
import { explorerPages } from "./operations/pages-explorer.ts";
import { helpPages } from "./operations/pages-help.ts";
import { leadsToForms } from "./platform/form-addresses.ts";
import { leavesOutLastSlash } from "./platform/last-slash.ts";
import type { Platform } from "./platform/platform.ts";
import { storesNoRedirects } from "./platform/unstored-redirects.ts";
import { groupAt } from "./projects/access.ts";
import { holdOwner } from "./projects/hold-role.ts";
import { joinInvited } from "./projects/join-invited.ts";
import { createProjectPages, type ProjectPages } from "./projects/page-route.ts";
import { homePages } from "./projects/pages.ts";
import { environmentPages } from "./projects/pages-environments.ts";
import { foundProjects, suggestedProjects } from "./projects/pages-found.ts";
import { groupSettingsPages } from "./projects/pages-group-settings.ts";
import { groupsPages } from "./projects/pages-groups.ts";
import { placeInvitationPages } from "./projects/pages-invitations.ts";
import { lifecyclePages } from "./projects/pages-lifecycle.ts";
import { oneMemberPages } from "./projects/pages-member.ts";
import { memberPages } from "./projects/pages-members.ts";
import { movePages } from "./projects/pages-move.ts";
import { peopleDoor } from "./projects/pages-people.ts";
import { projectPages } from "./projects/pages-project.ts";
import { retentionPages } from "./projects/pages-retention.ts";
import { projectSettingsPages } from "./projects/pages-settings.ts";
import { roleName } from "./projects/role.ts";

/** Registers the pages. @param describe returns the OpenAPI document as JSON, once all its routes are registered */
export async function pageDoors(
  pages: FastifyInstance,
  platform: Platform,
  describe: () => Promise<Buffer>,
): Promise<void> {
  guardsPages(pages, platform);
  pagesOfPeople(pages, platform, describe);
  pagesOfApplications(pages, platform);
  pagesOfAll(pages, platform);
  const at = createProjectPages(pages, countOpen(platform));
  pagesOfPlaces(pages, at, platform);
  pagesOfEvents(pages, at, platform);
  await pages.register((group) => newMetricImagePage(group, platform));
  pagesOfAlerts(at, platform, (end) => pages.addHook("preClose", async () => end()));
}

/** The hooks for every request for a page, in this order. */
function guardsPages(pages: FastifyInstance, platform: Platform): void {
  speaksPages(pages, platform);
  limitsPages(pages, platform.config);
  limitsSignIn(pages, platform.config);
  takesProofs(pages, platform);
  leavesOutLastSlash(pages);
  leadsToForms(pages);
  storesNoRedirects(pages);
}

/** People and the keys they have, with the help that is for everybody. */
function pagesOfPeople(pages: FastifyInstance, platform: Platform, describe: () => Promise<Buffer>): void {
  signInPages(pages, platform, (uid) => findApplicationName(platform.db, uid));
  setupPages(pages, platform);
  explorerPages(pages, platform, async () => JSON.parse(String(await describe())) as Description);
  helpPages(pages, platform);
  avatarPages(pages, platform);
  tokenPages(pages, platform);
  twoFactorPages(pages, platform);
  passkeyPages(pages, platform);
  passwordPages(pages, platform, endFeedToken);
  knownAddressPages(pages, platform);
  forgotPages(pages, platform);
  invitationPages(pages, platform, joinInvited(recordHappenings), roleName);
  registerPages(pages, platform);
  profilePages(pages, platform);
  emailConfirmationPages(pages, platform);
  mailPages(pages, platform);
  adminInvitationPages(pages, platform);
  provePages(pages, platform);
  adminPages(pages, platform, removePersonWith(removeGrantsOfPerson));
  adminAccountPages(pages, platform);
  adminUsernamePages(pages, platform);
  adminAuditPages(pages, platform);
  sessionPages(pages, platform);
  securityLogPages(pages, platform);
}

function pagesOfApplications(pages: FastifyInstance, platform: Platform): void {
  authorizePages(pages, platform);
  devicePages(pages, platform);
  nativePages(pages, platform);
  logoutPages(pages, platform);
  const sees: GroupRights["sees"] = async (asker, path) => !!(await groupAt(platform.db, asker, path));
  applicationPages(pages, platform, { sees, holdOwner });
  settingsPages(pages, platform);
}

/** The start page and the search, to which every room contributes, and the alerts of all projects. */
function pagesOfAll(pages: FastifyInstance, platform: Platform): void {
  homePages(pages, platform, recordHappenings, {
    urgent: [twoFactorCard(platform), openAlertsCard(platform), waitingClaimsCard(platform)],
    recent: recentEventsCard(platform),
  });
  openAlertPages(pages, platform);
  const kinds = {
    projects: foundProjects(platform),
    people: foundPeople(platform),
    alerts: foundAlerts(platform),
    applications: foundApplications(platform),
  };
  searchPages(pages, platform, kinds, suggestedProjects(platform));
}

/** Groups, projects and their members. */
function pagesOfPlaces(pages: FastifyInstance, at: ProjectPages, platform: Platform): void {
  projectPages(at, platform, {
    ofGroup: groupActivity(platform),
    ofProject: projectActivity(platform),
    firstAlert: firstAlert(platform),
  });
  const people = peopleDoor(pages, at, platform);
  placeInvitationPages(people, platform);
  memberPages(people, platform, recordHappenings);
  oneMemberPages(people, platform, recordHappenings);
  groupsPages(pages, platform);
  groupSettingsPages(pages, platform);
  projectSettingsPages(at, platform);
  movePages(pages, at, platform);
  lifecyclePages(pages, at, platform);
  environmentPages(at, platform);
  retentionPages(at, platform);
}

function pagesOfEvents(pages: FastifyInstance, at: ProjectPages, platform: Platform): void {
  eventPages(pages, at, platform);
  feedPages(at, platform);
  calendarFeed(pages, platform);
  feedTokenPages(pages, platform);
  claimPages(pages, platform);
  sourcePages(at, platform);
}
