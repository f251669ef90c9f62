/** Page layouts: landmarks, titles, theme, links by permission, and error pages. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { assetPath, assets } from "../../src/ui/assets.ts";
import { errorPage } from "../../src/ui/error-page.ts";
import { html } from "../../src/ui/html.ts";
import { appPage, gatePage } from "../../src/ui/layout.ts";
import { homeNav, projectNav, settingsNav, themeOf, type Viewer } from "../../src/ui/navigation.ts";

const viewer: Viewer = {
  username: "maya",
  name: "Maya <L>",
  isAdmin: false,
  csrfToken: "tok",
  theme: "dark",
};
const project = {
  name: "rocket",
  fullPath: "acme/rocket",
  namespaceName: "Acme",
  openAlerts: 3,
  seesOperations: false,
  seesMembers: false,
  seesIncidents: false,
};
const hrefs = (markup: string): string[] =>
  [...markup.matchAll(/ href="([^"]*)"/g)].map((found) => found[1] ?? "");

test("a page has a language, a title, a skip link, one main and a live region (WCAG 2.4.1, 2.4.2, 3.1.1)", () => {
  const markup = String(appPage({ title: "<Alerts>", viewer, failed: true, main: html`<h1>x</h1>` }));
  assert.match(markup, /^<!doctype html>\n<html lang="en" data-theme="dark">/);
  assert.match(markup, /<title>Error: &lt;Alerts&gt; · Gatehouse<\/title>/);
  assert.match(markup, /<a class="skip" href="#main">/);
  assert.equal(markup.match(/<main id="main"/g)?.length, 1);
  assert.match(markup, /id="live" role="status"/);
  assert.doesNotMatch(markup, / style=|<script(?! src=)| on[a-z]+=/);
});

test("a signed-in viewer can sign out with a POST that has the CSRF token (contract §4, sign in, sign out; reference ux §4)", () => {
  const markup = String(appPage({ title: "x", viewer, main: html`` }));
  assert.match(
    markup,
    /<form method="post" action="\/users\/sign_out"><input type="hidden" name="csrf_token" value="tok">/,
  );
  assert.match(markup, /account menu for Maya &lt;L&gt;/);
});

test("the number of open alerts is next to their link, as 999+ above 999 (reference ux)", () => {
  const painted = (openAlerts: number) => {
    const nav = projectNav("alerts", { ...project, openAlerts, seesOperations: true });
    return /<span class="n hot">([^<]*)</.exec(
      String(appPage({ title: "x", viewer, nav, main: html`` })),
    )?.[1];
  };
  assert.equal(painted(0), undefined);
  assert.equal(painted(999), "999");
  assert.equal(painted(1000), "999+");
});

test("an anonymous visitor sees a sign-in link, which leads back to the page, and no account menu (decision 0227)", () => {
  const markup = String(appPage({ title: "x", viewer: undefined, theme: "light", main: html`` }));
  assert.match(markup, /<a class="btn" href="\/users\/sign_in\?from=here">Sign in<\/a>/);
  assert.match(markup, /data-theme="light"/);
  assert.doesNotMatch(markup, /sign_out|id="me"/);
});

test("the project navigation omits pages that the viewer may not open (decision 0102)", () => {
  const links = (nav: ReturnType<typeof projectNav>) => nav.groups.flatMap((group) => group.links);
  assert.deepEqual(
    links(projectNav("activity", project)).map((link) => [link.href, link.current]),
    [
      ["/acme/rocket", false],
      ["/acme/rocket/activity", true],
    ],
  );
  const all = { ...project, seesOperations: true, seesMembers: true, seesIncidents: true, seesMove: true };
  assert.deepEqual(
    links(projectNav("alerts", all)).map((link) => link.href),
    [
      "",
      "/activity",
      "/-/alerts",
      "/-/incidents",
      "/-/environments",
      "/-/settings/general",
      "/-/members",
      "/-/settings/hooks",
      "/-/settings/sources",
      "/-/settings/retention",
      "/-/settings/operations",
      "/-/settings/move",
    ].map((path) => `/acme/rocket${path}`),
  );
  assert.match(
    String(appPage({ title: "x", viewer, nav: projectNav("alerts", all), main: html`` })),
    /class="n hot">3</,
  );
});

test("links of the layout lead to paths of this site, and none was replaced by a bare hash (decision 0004)", () => {
  const pages = [
    appPage({
      title: "x",
      viewer,
      nav: settingsNav("tokens", viewer),
      crumbs: [{ label: "A", href: "/a" }, { label: "B" }],
      main: html``,
    }),
    appPage({ title: "x", viewer: undefined, nav: homeNav("projects", undefined), main: html`` }),
    gatePage({ title: "x", heading: "x", body: html`` }),
    errorPage({ status: 404, requestId: "r" }),
  ];
  for (const page of pages) for (const href of hrefs(String(page))) assert.match(href, /^\/|^#main$/);
});

test("an error page shows what happened, what to do, and the request id (reference ux §7)", () => {
  for (const status of [400, 401, 403, 404, 405, 409, 413, 429, 500, 503, 418, 502]) {
    const markup = String(errorPage({ status, requestId: "req-<1>" }));
    assert.match(markup, /id="request">req-&lt;1&gt;<.*data-copy="request"/);
    assert.match(markup, /<h1[^>]*>[^<]{5,}<\/h1>/);
    assert.match(markup, new RegExp(`<dd>${status}</dd>`));
    assert.match(markup, /req-&lt;1&gt;/);
    assert.match(markup, /href="\/"/);
  }
  assert.match(String(errorPage({ status: 404, requestId: "r" })), /href="\/users\/sign_in\?from=here"/);
  assert.doesNotMatch(String(errorPage({ status: 404, requestId: "r", signedIn: true })), /[Ss]ign in/);
  const own = String(
    errorPage({ status: 403, requestId: "r", message: "Only <owners> may.", overviewHref: "javascript:x" }),
  );
  assert.match(own, /Only &lt;owners&gt; may\./);
  assert.match(own, /href="#">Go to the overview/);
});

test("the theme cookie selects light or dark, and any other value the system's theme (decision 0004)", () => {
  assert.deepEqual(
    [undefined, "", "light", "dark", "x"].map((theme) => themeOf({ theme })),
    ["system", "system", "light", "dark", "system"],
  );
  assert.equal(themeOf({ "__Host-theme": "dark", theme: "light" }), "dark");
});

test("every asset file has a path with a hash of its content (decision 0004)", () => {
  assert.equal(assets.length, readdirSync(new URL("../../src/ui/assets", import.meta.url)).length);
  for (const asset of assets) {
    assert.match(asset.path, /^\/-\/assets\/[a-z]+\.[0-9a-f]{12}\.(?:css|js|svg)$/);
    assert.ok(asset.body.length > 100);
    assert.ok(asset.path.includes(asset.etag.slice(1, -1)));
  }
  assert.ok(assets.some((asset) => asset.path === assetPath("app.css")));
});

test("content below the card of a sign-in page may be a form, which a paragraph cannot contain (HTML §4.4.1)", () => {
  const markup = String(
    gatePage({ title: "t", heading: "h", body: html``, below: html`<form action="/x"></form>` }),
  );
  assert.match(markup, /<\/section>\s*<div class="center mt text-2"><form action="\/x"><\/form><\/div>/);
});
