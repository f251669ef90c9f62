/** The invented user, project and time that the sample pages share. */
import type { Theme, Viewer } from "../../src/ui/navigation.ts";

/** The time at which the sample pages are rendered. */
export const now = new Date("2026-11-18T09:32:00Z");
/** A time of that day. */
export const at = (time: string): Date => new Date(`2026-11-18T${time}Z`);
/** The signed-in user. */
export const viewer = (theme: Theme): Viewer => ({
  username: "maya",
  name: "Maya Lindqvist",
  isAdmin: false,
  csrfToken: "token-of-this-session",
  theme,
});
/** The project of the pages. */
export const project = {
  name: "berth-scheduler",
  fullPath: "harbourlight/berth-scheduler",
  namespaceName: "Harbourlight",
  openAlerts: 23,
  openIncidents: 2,
  seesOperations: true,
  seesMembers: true,
  seesIncidents: true,
};
/** The breadcrumbs of the project's pages. */
export const crumbs = [
  { label: "Harbourlight", href: "/harbourlight" },
  { label: "berth-scheduler", href: "/harbourlight/berth-scheduler" },
];
