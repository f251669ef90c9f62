/** What a project that waits for its first alert shows: a command with its own address (reference ux §2, item 4; §7, project). */
import type { Platform } from "../platform/platform.ts";
import { card } from "../ui/card.ts";
import { type Html, html } from "../ui/html.ts";
import { codeBlock, copyButton } from "../ui/secret.ts";
import { endpointPath, type Integration } from "./integration.ts";
import { KEY_PLACE, shellCommand } from "./pages-integration-setup.ts";
import { findLastNumbers } from "./store-export.ts";
import { listOfferedIntegrations } from "./store-integrations.ts";

interface Waiting {
  integrations: readonly Integration[];
  /** The path of the project's pages. */
  home: string;
  publicUrl: string;
  isMaintainer: boolean;
}

/** Returns the command for an active integration that takes any JSON; undefined if there is none. */
export function firstAlertCommand({
  integrations,
  home,
  publicUrl,
  isMaintainer,
}: Waiting): Html | undefined {
  const one = integrations.find(({ active, type }) => active && (type === "generic" || type === "http"));
  const path = one && endpointPath(one, home.slice(1));
  if (one === undefined || path === undefined) return undefined;
  const place = html`Replace <code>${KEY_PLACE}</code> with the authorization key of`;
  const key = isMaintainer
    ? html`${place} <a href="${`${home}/-/settings/operations/integrations/${one.id}#credentials`}">${one.name}</a>.`
    : html`${place} ${one.name}, which Maintainers see on its page.`;
  return html`<div class="row spread"><span class="sub wrap-any">${key}</span>${copyButton("first-alert-command", "command")}</div><div class="mt-s">${codeBlock("first-alert-command", "Shell command", shellCommand(`${publicUrl}${path}`))}</div>`;
}

/** What the overview of a project says about its alerts to Maintainers. */
export interface FirstAlert {
  /** Whether nothing can send alerts yet. */
  lacksSource: boolean;
  /** While something can and nothing was sent. */
  card: Html | undefined;
}

/** Finds it out (passed in by `page-doors.ts`). */
export function firstAlert({ db, config }: Platform) {
  return async (projectId: number, home: string): Promise<FirstAlert> => {
    const integrations = await listOfferedIntegrations(db, projectId);
    if (integrations.length === 0) return { lacksSource: true, card: undefined };
    const [newest] = await findLastNumbers(db, [projectId]);
    const body =
      (newest?.last ?? 0) === 0 &&
      firstAlertCommand({ integrations, home, publicUrl: config.publicUrl, isMaintainer: true });
    return {
      lacksSource: false,
      card: body
        ? card({
            id: "first-alert",
            heading: "Send the first alert",
            lead: html`The <a href="${`${home}/-/alerts`}">list of alerts</a> shows it as soon as it arrives.`,
            body,
          })
        : undefined,
    };
  };
}
