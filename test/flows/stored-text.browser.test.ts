/** Text that would run as a script if it were not escaped, stored in all kinds of records and opened in a real browser. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { aSource } from "../support/alerts.ts";
import { launchBrowser } from "../support/browser.ts";
import { signedInPage } from "../support/client-site.ts";
import { watchPolicy } from "../support/judge-page.ts";
import { anApplication, authorizePath } from "../support/oauth.ts";
import { until } from "../support/until.ts";
import { signedIn } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

const RUNS = "window.ran=1";
/** HTML that makes a browser run or load something, in every context in which a value can be inserted. */
const VECTORS = [
  `<script>${RUNS}</script>`,
  `<ScRiPt >${RUNS}//`,
  `<script src=data:,${RUNS}></script>`,
  `<img src=x onerror=${RUNS}>`,
  `<img src=x:x onerror="${RUNS}">`,
  `<svg onload=${RUNS}>`,
  `<svg><script>${RUNS}</script></svg>`,
  `<math><mtext></mtext><script>${RUNS}</script></math>`,
  `<body onload=${RUNS}>`,
  `<input autofocus onfocus=${RUNS}>`,
  `<details open ontoggle=${RUNS}>x</details>`,
  `<video><source onerror=${RUNS}></video>`,
  `<iframe srcdoc="<script>parent.${RUNS.slice(7)}</script>"></iframe>`,
  `<iframe src="javascript:parent.${RUNS}"></iframe>`,
  `<object data="javascript:${RUNS}"></object>`,
  `<base href="https://evil.example/">`,
  `<meta http-equiv=refresh content="0;url=javascript:${RUNS}">`,
  `<link rel=stylesheet href="https://evil.example/x.css">`,
  `<style>*{background:url(https://evil.example/x)}</style>`,
  `<form action="https://evil.example/"><button autofocus>`,
  `<a href="javascript:${RUNS}" id=main>x</a>`,
  `[x](javascript:${RUNS})`,
  `![x](x"onerror="${RUNS})`,
  `<template><script>${RUNS}</script></template>`,
  `<noscript><p title="</noscript><img src=x onerror=${RUNS}>">`,
];
/** Text that would close the context in which a vector is inserted. */
const OPENERS = ["", '">', "'>", "</textarea>", "</title>", "--></style></script>", "]]>", "\\u003c/script>"];
/** Two hundred strings: each vector after each opener. */
const CORPUS = OPENERS.flatMap((opener) => VECTORS.map((vector) => opener + vector));
const nth = (n: number) => CORPUS[n % CORPUS.length] ?? "";

let world: World;
let browser: Browser;
/** The pages that contain these strings, and who opens them. */
const pages: { as: "olga" | "ada"; path: string }[] = [];

before(async () => {
  world = await startWorld();
  browser = await launchBrowser();
  const rocket = "projects/acme%2Frocket";
  const ask = async (path: string, json: unknown, method = "POST", as: "olga" | "ada" = "olga") => {
    const reply = await world.call(`/api/v4/${path}`, { as, method, json });
    assert.ok(reply.status < 300, `${path}: ${reply.text}`);
    return reply.json;
  };
  // A name has at most 255 characters; each place gets another string, so that a failure tells which one.
  await ask(rocket, { name: nth(3), description: CORPUS.slice(0, 5).join(" ") }, "PUT");
  await ask("groups/acme", { name: nth(34) }, "PUT");
  await ask(`users/${world.ids.olga}`, { name: nth(65) }, "PUT", "ada");
  await ask(`${rocket}/incident_templates`, { name: nth(127), content: CORPUS.join("\n") });
  const matchers = [{ field: "service", operator: "equals", value: nth(158) }];
  await ask(`${rocket}/alert_silences`, { comment: nth(29), ends_at: "2999-01-01T00:00:00Z", matchers });
  const source = await aSource(world, "http", { name: nth(60) });
  const sent = await Promise.all(
    CORPUS.map((title, n) =>
      source.send({
        ...{ title, description: nth(n + 7), service: nth(n + 11), monitoring_tool: nth(n + 13) },
        ...{
          severity: nth(n + 17),
          hosts: [nth(n + 19), nth(n + 23)],
          [nth(n + 31)]: { [nth(n + 37)]: nth(n + 41) },
        },
        ...{ runbook: `javascript:${RUNS}`, fingerprint: `text ${n}` },
      }),
    ),
  );
  assert.deepEqual([...new Set(sent.map(({ status }) => status))], [200]);
  const everything = Object.fromEntries(CORPUS.map((text, n) => [`${n} ${text}`, text]));
  const last = await source.send({ title: nth(0), hosts: CORPUS, description: CORPUS.join(" "), everything });
  const { iid } = last.json[0];
  const alert = await ask(`${rocket}/alert_management_alerts/${iid}`, { status: "acknowledged" }, "PUT");
  await ask(`${rocket}/issues/${alert.issue_iid}/notes`, { body: CORPUS.slice(0, 120).join("\n\n") });
  await ask(`${rocket}/alert_management_alerts/${iid}/notes`, { body: CORPUS.slice(0, 120).join("\n\n") });
  const write = (json: object) => ask(`${rocket}/events`, json);
  for (let n = 0; n < 20; n++) {
    const push_data = { ref: `refs/heads/x${nth(n * 9)}`, commit_title: nth(n * 7), commit_count: 1 };
    await write({ action: "pushed", push_data });
    await write({ action: "created", target_type: "Issue", target_title: nth(n * 11) });
    const note = { body: nth(n * 13), noteable_type: "Issue", noteable_iid: 1 };
    await write({ action: "commented", target_type: "Note", target_title: nth(n * 3), note });
  }
  const application = await anApplication(world, { name: "Plain" });
  const olga = await signedIn(world, "olga");
  const registered = await olga.submit("/profile/applications", [
    ["name", nth(90)],
    ["redirect_uri", "https://app.example.org/callback"],
    ["scopes", "api"],
    ["grant_types", "authorization_code"],
  ]);
  assert.ok(registered.status < 400, registered.text);
  const named = /\/profile\/applications\/\d+/.exec((await olga.get("/profile/applications")).text)?.[0];
  const of = (as: "olga" | "ada", ...paths: string[]) => pages.push(...paths.map((path) => ({ as, path })));
  const place = "/acme/rocket";
  of("olga", "/", "/projects", "/groups", "/acme", "/olga", "/profile", "/profile/applications", place);
  of(
    "olga",
    named ?? "",
    authorizePath(application, { state: nth(5), prompt: "consent" }),
    `/?search=${encodeURIComponent(nth(9))}`,
  );
  of("olga", ...["", "?page=2", "?page=3", "?page=4", "?page=5"].map((page) => `${place}/-/alerts${page}`));
  of("olga", `${place}/-/alerts/${iid}`, `${place}/-/incidents`, `${place}/-/incidents/${alert.issue_iid}`);
  of("olga", `${place}/activity`, `${place}/-/members`, `${place}/-/environments`, `${place}/-/silences`);
  of(
    "olga",
    `${place}/-/settings/general`,
    `${place}/-/settings/operations`,
    `${place}/-/settings/operations/receipts`,
  );
  of(
    "olga",
    `${place}/-/incidents/new`,
    `${place}/-/settings/operations/receipts/${last.headers.get("x-alert-receipt")}`,
  );
  of("ada", "/admin/users", "/admin/applications", "/admin/audit");
});

/** Collects what a page ran, what its policy blocked, and what it requested from other sites. */
function watch(page: Page): string[] {
  const seen = watchPolicy(page);
  page.on("dialog", (dialog) => {
    seen.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("pageerror", (error) => seen.push(String(error)));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(world.url) && !url.startsWith("data:image/")) seen.push(url);
  });
  return seen;
}

test("two hundred strings of script are shown as text on all pages: none runs, and the Content-Security-Policy has nothing to block (reference reliability S68)", async () => {
  assert.equal(new Set(CORPUS).size, 200);
  let shown = 0;
  for (const as of ["olga", "ada"] as const) {
    const page = await signedInPage(browser, world, as, 1280);
    const seen = watch(page);
    for (const { path } of pages.filter((each) => each.as === as)) {
      const answer = await page.goto(world.url + path);
      assert.equal(answer?.status(), 200, path);
      assert.equal(await page.evaluate("window.ran"), undefined, path);
      assert.deepEqual(seen, [], path);
      const made = await page.evaluate(
        "document.querySelectorAll('main script, base, iframe, object, [onerror], [onload], main style, [href^=javascript]').length",
      );
      assert.equal(made, 0, path);
      const text = (await page.evaluate("document.body.innerText")) as string;
      const isThere = VECTORS.some((vector) => text.includes(vector));
      if (isThere) shown++;
    }
    await page.close();
  }
  assert.ok(shown >= 20, `on ${shown} of ${pages.length} pages`);
});

test("a script that gets into a page nevertheless is blocked by the Content-Security-Policy (CSP level 3; reference reliability S71)", async () => {
  const page = await signedInPage(browser, world, "olga", 1280);
  const plant = `<script>${RUNS}</script><img src=x onerror="${RUNS}"><a id=planted href="javascript:${RUNS}">x</a>`;
  await page.route(`${world.url}/projects`, async (route) => {
    const answer = await route.fetch();
    const body = (await answer.text()).replace("</main>", `${plant}</main>`);
    await route.fulfill({ response: answer, body });
  });
  const blocked = watchPolicy(page);
  await page.goto(`${world.url}/projects`);
  await page.evaluate("document.getElementById('planted').click()");
  await until(async () => blocked.length >= 3);
  assert.equal(await page.evaluate("window.ran"), undefined);
  await page.close();
});
