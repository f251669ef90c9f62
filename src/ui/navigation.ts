/** The side navigations as data: their links, and which of them is the current page. */
import { face, tile } from "./face.ts";
import { type Html, html } from "./html.ts";
import type { IconName } from "./icon.ts";

/** The signed-in person who views the page. */
export type Viewer = { username: string; name: string; isAdmin: boolean; csrfToken: string; theme: Theme };

/** The theme in the `theme` cookie; without the cookie it is `system`. */
export type Theme = "system" | "light" | "dark";

/** The sign-in link that leads back to the page that contains it (decision 0227). */
export const SIGN_IN_FROM_HERE = "/users/sign_in?from=here";

/** A link; `hot` highlights its count as open work. */
export type NavLink = {
  label: string;
  href: string;
  icon: IconName;
  current: boolean;
  count?: number | undefined;
  hot?: boolean;
  /** The shortcut that follows it, as in docs/keyboard.md. */
  key?: string;
};

/** A notice above all pages of a navigation, with a link for more. */
export type Notice = { text: string; way?: { label: string; href: string } | undefined };

/** A side navigation: its owner on top, then groups of links, the first one without a heading. */
export type SideNav = {
  label: string;
  owner?: Html;
  groups: { heading?: string; links: NavLink[] }[];
  /** A notice above every page of this navigation. */
  notice?: Notice | undefined;
};

/** What the project navigation needs; the booleans say which pages the viewer may open. */
export type NavProject = {
  name: string;
  fullPath: string;
  namespaceName: string;
  openAlerts?: number | undefined;
  openIncidents?: number | undefined;
  seesOperations: boolean;
  seesIncidents: boolean;
  seesMembers: boolean;
  /** Only owners may move a project. */
  seesMove?: boolean;
  notice?: Notice | undefined;
};

/** Returns the theme of the cookie that `app.js` sets, with the `__Host-` prefix over https; anything unknown is `system`. */
export function themeOf(cookies: Readonly<Record<string, string | undefined>>): Theme {
  const theme = cookies["__Host-theme"] ?? cookies.theme;
  return theme === "light" || theme === "dark" ? theme : "system";
}

/** The navigation of the general pages; anonymous visitors see only projects and groups. */
export function homeNav(
  current: "dashboard" | "alerts" | "activity" | "projects" | "groups" | undefined,
  viewer: Viewer | undefined,
): SideNav {
  const projects = { ...link("Projects", "/projects", "apps", current === "projects"), key: "g p" };
  const groups = link("Groups", "/groups", "users", current === "groups");
  if (viewer === undefined) return { label: "Gatehouse", groups: [{ links: [projects, groups] }] };
  const dashboard = link("Dashboard", "/", "home", current === "dashboard");
  const administration = viewer.isAdmin ? [link("Administration", "/admin", "sliders", false)] : [];
  const alerts = { ...link("Alerts", "/-/alerts", "bell", current === "alerts"), key: "g a" };
  const activity = link("Activity", "/-/activity", "activity", current === "activity");
  const links = [dashboard, alerts, activity, projects, groups, ...administration];
  return { label: "Gatehouse", owner: ownerOf(viewer), groups: [{ links }] };
}

/** The pages of administrators that the navigation can name. */
export type AdminPage =
  | "overview"
  | "users"
  | "applications"
  | "settings"
  | "invitations"
  | "identities"
  | "audit";

/** The first step of the way to the administrators' pages. */
export const ADMIN_CRUMB = { label: "Administration", href: "/admin" };

/** The navigation of the administrators' pages. */
export function adminNav(current: AdminPage, viewer: Viewer): SideNav {
  const links = [
    link("Overview", "/admin", "home", current === "overview"),
    link("Users", "/admin/users", "users", current === "users"),
    link("Applications", "/admin/applications", "apps", current === "applications"),
    link("Settings", "/admin/settings", "sliders", current === "settings"),
    link("Invitations", "/admin/invitations", "user", current === "invitations"),
    link("Outside identities", "/admin/identities", "join", current === "identities"),
    link("Audit log", "/admin/audit", "book", current === "audit"),
  ];
  return { label: "Administration", owner: ownerOf(viewer), groups: [{ links }] };
}

/** The pages of a person's own settings that the navigation can name. */
export type SettingsPage =
  | "own-profile"
  | "profile"
  | "password"
  | "two-factor"
  | "sessions"
  | "security-log"
  | "applications"
  | "tokens"
  | "feeds"
  | "identities";

/** The first step of the way to a person's own settings. */
export const SETTINGS_CRUMB = { label: "Settings", href: "/profile" };

/** The navigation of a person's own settings. */
export function settingsNav(current: SettingsPage | undefined, viewer: Viewer): SideNav {
  return {
    label: "Settings",
    owner: ownerOf(viewer),
    groups: [
      {
        links: [
          link("Public profile", `/${viewer.username}`, "eye", current === "profile"),
          link("Profile", "/profile", "user", current === "own-profile"),
          link("Outside identities", "/profile/identities", "join", current === "identities"),
          link("Password", "/profile/password", "lock", current === "password"),
          link("Two-factor sign-in", "/profile/two_factor", "phone", current === "two-factor"),
          link("Sessions", "/profile/sessions", "server", current === "sessions"),
          link("Security log", "/profile/security_log", "book", current === "security-log"),
        ],
      },
      {
        heading: "Access by others",
        links: [
          link("Applications", "/profile/applications", "apps", current === "applications"),
          link("Personal access tokens", "/profile/personal_access_tokens", "key", current === "tokens"),
          link("Feeds", "/profile/feeds", "activity", current === "feeds"),
        ],
      },
    ],
  };
}

/** The pages of a project that the navigation can name. */
export type ProjectPage =
  | "overview"
  | "activity"
  | "alerts"
  | "incidents"
  | "environments"
  | "general"
  | "members"
  | "hooks"
  | "sources"
  | "retention"
  | "move"
  | "operations";

/** The navigation of a project; leaves out links that the viewer may not follow. */
export function projectNav(current: ProjectPage | undefined, project: NavProject): SideNav {
  const to = (page: ProjectPage, label: string, path: string, icon: IconName): NavLink =>
    link(label, `/${project.fullPath}${path}`, icon, current === page);
  const overview = { ...to("overview", "Overview", "", "home"), key: "g p" };
  const alerts = {
    ...to("alerts", "Alerts", "/-/alerts", "bell"),
    count: project.openAlerts,
    hot: true,
    key: "g a",
  };
  const incidents = {
    ...to("incidents", "Incidents", "/-/incidents", "siren"),
    count: project.openIncidents,
  };
  const environments = to("environments", "Environments", "/-/environments", "server");
  const settings = [
    ...(project.seesMembers ? [to("general", "General", "/-/settings/general", "sliders")] : []),
    ...(project.seesMembers ? [to("members", "Members", "/-/members", "users")] : []),
    ...(project.seesMembers ? [to("hooks", "Webhooks", "/-/settings/hooks", "send")] : []),
    ...(project.seesMembers ? [to("sources", "Event sources", "/-/settings/sources", "activity")] : []),
    ...(project.seesMembers ? [to("retention", "Event retention", "/-/settings/retention", "trash")] : []),
    ...(project.seesOperations ? [to("operations", "Operations", "/-/settings/operations", "link")] : []),
    ...(project.seesMove ? [to("move", "Move", "/-/settings/move", "out")] : []),
  ];
  const operations = [
    ...(project.seesOperations ? [alerts] : []),
    ...(project.seesIncidents ? [incidents] : []),
    ...(project.seesOperations ? [environments] : []),
  ];
  const owner = html`${tile(project.name, 2)}<span>${project.name}<small>${project.namespaceName}</small></span>`;
  return {
    label: "Project",
    owner,
    notice: project.notice,
    groups: [
      {
        links: [overview, to("activity", "Activity", "/activity", "activity")],
      },
      ...(operations.length > 0 ? [{ heading: "Operations", links: operations }] : []),
      ...(settings.length > 0 ? [{ heading: "Project settings", links: settings }] : []),
    ],
  };
}

/** The pages of a group that the navigation can name. */
export type GroupPage = "overview" | "activity" | "members" | "applications" | "settings";

/** What the group navigation needs. */
export type NavGroup = { name: string; fullPath: string; isOwner: boolean; notice?: Notice | undefined };

/** The navigation of a group; leaves out for others what only owners may open. */
export function groupNav(current: GroupPage | undefined, group: NavGroup): SideNav {
  const inside = `/groups/${encodeURIComponent(group.fullPath)}/-`;
  const to = (page: GroupPage, label: string, href: string, icon: IconName) =>
    link(label, href, icon, current === page);
  const settings = [
    to("members", "Members", `${inside}/members`, "users"),
    to("applications", "Applications", `${inside}/settings/applications`, "apps"),
    to("settings", "Settings", `${inside}/settings`, "sliders"),
  ];
  return {
    label: "Group",
    notice: group.notice,
    owner: html`${tile(group.name, 2)}<span>${group.name}<small>${group.fullPath}</small></span>`,
    groups: [
      {
        links: [
          to("overview", "Overview", `/${group.fullPath}`, "home"),
          to("activity", "Activity", `${inside}/activity`, "activity"),
        ],
      },
      ...(group.isOwner ? [{ heading: "Group settings", links: settings }] : []),
    ],
  };
}

function ownerOf(viewer: Viewer): Html {
  return html`${face(viewer.name, 2)}<span>${viewer.name}<small>@${viewer.username}</small></span>`;
}

function link(label: string, href: string, icon: IconName, current: boolean): NavLink {
  return { label, href, icon, current };
}
