/** A page of the administrators. */
import type { Html } from "./html.ts";
import { appPage, type ViewerFrame } from "./layout.ts";
import { ADMIN_CRUMB, type AdminPage, adminNav } from "./navigation.ts";

/** A whole page with the navigation of the administration; `failed`: a form was refused. */
export function adminPage(
  frame: ViewerFrame,
  page: { title: string; current: AdminPage; main: Html; failed?: boolean },
): Html {
  const { current, ...content } = page;
  const isOverview = current === "overview";
  const crumbs = isOverview ? [ADMIN_CRUMB] : [ADMIN_CRUMB, { label: page.title }];
  // Personal settings pages have the same headings, so the title says which one this is.
  const title = isOverview ? page.title : `${page.title} · Administration`;
  return appPage({ ...frame, ...content, title, crumbs, nav: adminNav(current, frame.viewer) });
}
