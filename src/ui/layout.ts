/** The frames of a page: the gate (sign-in, consent, errors) and the application (top bar, side navigation, content). */
import { type AssetName, assetPath } from "./assets.ts";
import { shownCount } from "./count.ts";
import { face, initialsOf } from "./face.ts";
import { csrfField } from "./form.ts";
import { attrs, type Html, html } from "./html.ts";
import { arches, icon, iconWith, mark } from "./icon.ts";
import { type Message, message } from "./message.ts";
import {
  type NavLink,
  type Notice,
  SIGN_IN_FROM_HERE,
  type SideNav,
  type Theme,
  type Viewer,
} from "./navigation.ts";

/** Members of both frames; `failed` puts "Error:" in front of the title (WCAG 3.3.1). */
export type Frame = {
  title: string;
  theme?: Theme | undefined;
  failed?: boolean;
  messages?: readonly Message[];
  /** Further scripts of this page, besides app.js. */
  scripts?: readonly AssetName[];
  /** Feeds of the page's content, for feed readers to discover. */
  feeds?: readonly FeedLink[] | undefined;
};

/** The address, media type and title of a feed. */
export type FeedLink = { type: string; title: string; href: string };

/** A gate page: one card with a heading; `centred` is the wider form of the consent page. */
export type GatePage = Frame & {
  heading: string;
  above?: Html;
  lead?: Html | string;
  body: Html;
  below?: Html | undefined;
  centred?: boolean;
};

/** A step of the breadcrumb; the last one is the page itself and has no address. */
export type Crumb = { label: string; href?: string };

/** What the page of a signed-in person needs besides its content. */
export type ViewerFrame = { viewer: Viewer; theme: Theme; messages: readonly Message[] };

/** An application page; without a viewer the top bar offers to sign in. */
export type AppPage = Frame & {
  viewer: Viewer | undefined;
  crumbs?: readonly Crumb[];
  nav?: SideNav | undefined;
  main: Html;
};

/** A whole page with the innermost arch as a card: sign-in, two-factor, consent, errors. */
export function gatePage(page: GatePage): Html {
  const theme = page.theme ?? "system";
  const main = html`<main id="main" tabindex="-1"${attrs({ class: page.centred ? "wide" : undefined })}>
${page.messages?.map(message)}<section class="card gatecard" aria-labelledby="gate-heading">
${page.above}<h1 id="gate-heading"${attrs({ class: page.centred ? "center" : undefined })}>${page.heading}</h1>
${page.lead && html`<p class="text-2 mt-s${page.centred ? " center balance" : ""}">${page.lead}</p>`}
${page.body}
</section>
${page.below && html`<div class="center mt text-2">${page.below}</div>`}
</main>`;
  return wholePage(
    page,
    theme,
    "gate",
    html`${arches}
<header class="gate-bar"><a class="brand" href="/">${mark(26)}<span>Gatehouse</span></a><div class="row">${themeButton(theme)}</div></header>
${main}
<footer class="foot"><a href="/-/help">Help</a><a href="/projects">Public projects</a><a href="/-/docs">API</a></footer>`,
  );
}

/** A whole application page. */
export function appPage(page: AppPage): Html {
  const theme = page.viewer?.theme ?? page.theme ?? "system";
  const main = html`<main id="main" tabindex="-1">
${page.nav?.notice && standing(page.nav.notice)}${page.messages?.map(message)}${page.main}
</main>
${foot}`;
  return wholePage(
    { ...page, scripts: ["keys.js", ...(page.scripts ?? [])] },
    theme,
    undefined,
    html`${topbar(page, theme)}
${page.viewer && accountMenu(page.viewer)}
${page.nav ? html`<div class="shell">${sideNav(page.nav)}<div>${main}</div></div>` : main}`,
  );
}

/** Shows all times of the page exactly, without a pointer too; the script remembers the choice in the browser (decision 0324). */
const timesChoice = html`<span class="row assign js"><select class="input" data-times aria-label="Times"><option value="">Times in words</option><option value="utc">Exact times, UTC</option><option value="here">Exact times, local</option></select></span>`;

/** Help is in the same place on every page (WCAG 3.2.6). */
const foot = html`<footer class="foot"><a href="/-/help">Help</a><a href="/-/help/keyboard" data-key="?">Keyboard</a><a href="/-/docs">API</a>${timesChoice}</footer>`;

function standing({ text, way }: Notice): Html {
  return message({
    kind: "warn",
    text: html`${text}${way && html` <a href="${way.href}">${way.label}</a>`}`,
  });
}

function wholePage(frame: Frame, theme: Theme, bodyClass: string | undefined, body: Html): Html {
  const title = `${frame.failed ? "Error: " : ""}${frame.title} · Gatehouse`;
  return html`<!doctype html>
<html lang="en"${attrs({ "data-theme": theme === "system" ? undefined : theme })}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" type="image/svg+xml" href="${assetPath("mark.svg")}">
<link rel="stylesheet" href="${assetPath("app.css")}">
${frame.feeds?.map(({ type, title, href }) => html`<link rel="alternate" type="${type}" title="${title}" href="${href}">`)}
<script src="${assetPath("app.js")}" defer></script>
${frame.scripts?.map((name) => html`<script src="${assetPath(name)}" defer></script>`)}
</head>
<body${attrs({ class: bodyClass })}>
<a class="skip" href="#main">Skip to main content</a>
${body}
<div class="sr" id="live" role="status" aria-live="polite"></div>
</body>
</html>
`;
}

function topbar(page: AppPage, theme: Theme): Html {
  return html`<header class="topbar${page.crumbs?.length ? " has-crumbs" : ""}">
${page.nav && html`<button class="btn quiet icon only-narrow" type="button" popovertarget="side" aria-label="Open navigation">${icon("menu")}</button>`}
<a class="brand" href="/" aria-label="Gatehouse home">${mark(24)}<span>Gatehouse</span></a>
${page.crumbs?.length ? breadcrumb(page.crumbs) : ""}
${page.viewer && everywhere}<div class="end">${page.viewer && searchLink}${themeButton(theme)}${page.viewer ? accountButton(page.viewer) : html`<a class="btn" href="${SIGN_IN_FROM_HERE}">Sign in</a>`}</div>
</header>`;
}

/** The global search; on a narrow screen a link leads to its page. */
const everywhere = html`<form class="search with-icon" action="/search" method="get" role="search" aria-label="Search everywhere">${icon("search", 16)}<input class="input" type="search" name="q" placeholder="Search" aria-label="Search everywhere"><kbd class="js" aria-hidden="true">/</kbd></form>`;
const searchLink = html`<a class="btn quiet icon only-narrow" href="/search" aria-label="Search everywhere">${icon("search")}</a>`;

function breadcrumb(crumbs: readonly Crumb[]): Html {
  const steps = crumbs.map((crumb, index) => {
    if (index === crumbs.length - 1) return html`<li aria-current="page"><a>${crumb.label}</a></li>`;
    return html`<li><a${attrs({ href: crumb.href })}>${crumb.label}</a></li>`;
  });
  return html`<nav class="crumbs" aria-label="Breadcrumb"><ol>${steps}</ol></nav>`;
}

const modes = ["system", "light", "dark"] as const;
const modeIcons = { system: "auto", light: "sun", dark: "moon" } as const;

function themeButton(theme: Theme): Html {
  const next = modes[(modes.indexOf(theme) + 1) % modes.length];
  const label = `Theme: ${theme}. Switch to ${next}.`;
  const icons = modes.map((mode) =>
    iconWith(modeIcons[mode], 18, attrs({ "data-mode": mode, "data-on": mode === theme })),
  );
  return html`<button class="btn quiet icon theme-btn js" type="button" data-theme-next aria-label="${label}">${icons}</button>`;
}

function accountButton(viewer: Viewer): Html {
  return html`<button class="btn quiet icon" type="button" popovertarget="me" aria-label="${initialsOf(viewer.name)}, account menu for ${viewer.name}">${face(viewer.name)}</button>`;
}

function accountMenu(viewer: Viewer): Html {
  return html`<nav class="menu" id="me" popover aria-label="Account">
<a href="/${viewer.username}">${icon("user")}Your profile</a>
<a href="/profile">${icon("sliders")}Settings</a>
<a href="/projects">${icon("home")}Projects</a>
<a href="/profile/applications">${icon("apps")}Applications</a>
<a href="/profile/personal_access_tokens">${icon("key")}Personal access tokens</a>
<a href="/profile/two_factor">${icon("lock")}Sign-in and security</a>
<a href="/-/help">${icon("book")}Help</a>
<hr>
<form method="post" action="/users/sign_out">${csrfField(viewer.csrfToken)}<button type="submit">${icon("out")}Sign out</button></form>
</nav>`;
}

function sideNav(nav: SideNav): Html {
  const groups = nav.groups.map((group, index) => {
    const links = group.links.map(navLink);
    if (group.heading === undefined) return html`<ul>${links}</ul>`;
    return html`<h2 id="nav-${index}">${group.heading}</h2><ul aria-labelledby="nav-${index}">${links}</ul>`;
  });
  return html`<nav class="side" id="side" popover aria-label="${nav.label}">
${nav.owner && html`<div class="owner">${nav.owner}</div>`}
${groups}
</nav>
`;
}

function navLink(link: NavLink): Html {
  const count = link.count
    ? html`<span class="n${link.hot ? " hot" : ""}">${shownCount(link.count)}<span class="sr"> open</span></span>`
    : "";
  return html`<li><a href="${link.href}"${attrs({ "aria-current": link.current ? "page" : undefined, "data-key": link.key })}>${icon(link.icon)}${link.label}${count}</a></li>`;
}
