/** A page of a person's own settings. */
import type { AssetName } from "./assets.ts";
import type { Html } from "./html.ts";
import { appPage, type ViewerFrame } from "./layout.ts";
import { SETTINGS_CRUMB, type SettingsPage, settingsNav } from "./navigation.ts";

/** A whole page with the navigation of the settings; `failed`: a form was refused. */
export function settingsPage(
  frame: ViewerFrame,
  page: {
    title: string;
    current: SettingsPage;
    main: Html;
    failed?: boolean;
    scripts?: readonly AssetName[];
  },
): Html {
  const { current, ...content } = page;
  const crumbs = [SETTINGS_CRUMB, { label: page.title }];
  return appPage({ ...frame, ...content, crumbs, nav: settingsNav(current, frame.viewer) });
}
