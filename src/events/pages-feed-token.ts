/** `/profile/feeds`: the addresses of a person's feeds, and the token for feed readers. */
import type { FastifyInstance } from "fastify";
import { actOfViewer } from "../accounts/act-of-viewer.ts";
import {
  checkFormOfViewer,
  frameOf,
  needsFreshProof,
  needsViewer,
  redirectWith,
} from "../accounts/browser.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { badge } from "../ui/badge.ts";
import { linkButton, submitButton } from "../ui/button.ts";
import { card, pageHead, stack } from "../ui/card.ts";
import { confirmDialog, postButton } from "../ui/dialog.ts";
import { type Html, html } from "../ui/html.ts";
import { secretField } from "../ui/secret.ts";
import { settingsPage } from "../ui/settings-page.ts";
import { table } from "../ui/table.ts";
import { timeAgo } from "../ui/time.ts";
import { resetFeedToken } from "./reset-feed-token.ts";
import { OWN_PROJECTS } from "./routes-feeds.ts";
import { findFeedTokenAge, listFeedProjects } from "./store-feeds.ts";

const HOME = "/profile/feeds";
const MAX_PROJECTS = 100;

/** Shows the addresses; a new token is shown once. */
export function feedTokenPages(app: FastifyInstance, platform: Platform): void {
  const { db, config } = platform;
  app.get(HOME, async (request, reply) => {
    const browser = await needsViewer(platform, request, reply);
    const { userId, username } = browser.viewer;
    const [age, projects] = await Promise.all([
      findFeedTokenAge(db, userId),
      listFeedProjects(db, userId, MAX_PROJECTS),
    ]);
    const addresses = [username, OWN_PROJECTS, ...projects.map(({ fullPath }) => fullPath)];
    const token = browser.flash?.secrets?.feedToken;
    const main = html`${pageHead({
      heading: "Feeds",
      lead: "Follow activity in a feed reader. It sees what you can see, without your password.",
    })}${stack([
      token !== undefined && readyCard(token, `${config.publicUrl}/${username}.atom?feed_token=${token}`),
      tokenCard(browser.csrfToken, age?.createdAt),
      addressesCard(addresses, config.publicUrl),
    ])}`;
    return sendPage(reply, settingsPage(frameOf(browser), { title: "Feeds", current: "feeds", main }));
  });

  app.post(`${HOME}/reset`, async (request, reply) => {
    const browser = await checkFormOfViewer(platform, request, reply);
    await needsFreshProof(platform, request, reply, HOME);
    const feedToken = await resetFeedToken(platform, actOfViewer(browser, request));
    const secrets = { feedToken };
    return redirectWith(platform, request, reply, `${HOME}#ready`, { kind: "ok", text: "", secrets });
  });
}

function readyCard(token: string, address: string): Html {
  const once = badge("Shown once", "brass");
  return card({
    id: "ready",
    heading: "Your feed token is ready",
    lead: "Copy it now; this page can’t show it again.",
    once: true,
    body: html`<div class="form">${secretField({ id: "feed-token", label: "Token", value: token, badge: once })}
${secretField({ id: "feed-address", label: "Your own feed with it", value: address, hint: "Whoever has this address can read what you can read." })}</div>`,
    footer: html`<span class="grow"></span>${linkButton("I’ve stored it", HOME, { size: "sm" })}`,
  });
}

function tokenCard(csrfToken: string, madeAt: Date | undefined): Html {
  if (madeAt === undefined) {
    return card({
      id: "token",
      heading: "Feed token",
      lead: "Feed readers can’t sign in, so a token in the address identifies you. It works for feeds and nothing else.",
      footer: postButton(
        `${HOME}/reset`,
        csrfToken,
        submitButton("Create a feed token", { tone: "primary", size: "sm" }),
      ),
    });
  }
  return card({
    id: "token",
    heading: "Feed token",
    lead: html`Made ${timeAgo(madeAt, new Date())}. It reads feeds and nothing else.`,
    footer: confirmDialog(
      { words: "Reset the token", size: "sm" },
      {
        id: "reset",
        heading: "Reset the feed token?",
        text: "Feed readers that use the old token stop working until you give them the new address.",
        action: `${HOME}/reset`,
        csrfToken,
        confirm: "Reset it",
        keep: "Keep the old one",
      },
    ),
  });
}

function addressesCard(paths: readonly string[], publicUrl: string): Html {
  return card({
    id: "addresses",
    heading: "Addresses",
    lead: html`For you and your projects; groups have them too. Add <code>?feed_token=…</code> to include what is not public. For JSON Feed, replace <code>.atom</code> by <code>.json</code>.`,
    flush: table<string>({
      caption: "Addresses of feeds",
      rows: paths,
      columns: [
        {
          head: "Feed of",
          rowHeader: true,
          cell: (path) =>
            path === OWN_PROJECTS
              ? html`<a class="title" href="/-/activity">All your projects</a>`
              : html`<a class="title wrap-any" href="/${path}">${path}</a>`,
        },
        { head: "Address", cell: (path) => html`<code class="wrap-any">${publicUrl}/${path}.atom</code>` },
      ],
    }),
  });
}
