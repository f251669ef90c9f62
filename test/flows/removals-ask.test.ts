/** Nothing is removed by one press: every removal on a page has a question that names it (decision 0325). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fullProject } from "../support/full-project.ts";
import { signedIn } from "../support/visitor.ts";
import { startWorld } from "../support/world.ts";

/** Followed from the last; the alert has a picture. */
const STARTS = [
  "/ship/hull/-/settings/operations",
  "/ship/hull",
  "/groups/ship/-/members",
  "/profile",
  "/ship/hull/-/alerts/3",
];
const OURS = /^\/(?:ship|groups\/ship|profile|admin)(?:\/|$)/;
/** Files, streams, and the feeds of lists. */
const NO_PAGE = /export|stream|\.(?:atom|json|csv|ndjson)|metric_images|\/uploads\//;

/** Pages of the same pattern are alike. */
const shapeOf = (path: string) => path.split("?", 1)[0]?.replaceAll(/\d+/g, "N") ?? path;

/** What is outside of a question: a dialog, or the form of a page of its own. */
const besidesQuestions = (text: string) =>
  text.replaceAll(/<dialog[\s\S]*?<\/dialog>/g, "").replaceAll(/<form[^>]* data-asked[\s\S]*?<\/form>/g, "");

const REMOVES = />(?:Remove|Delete|Revoke|Erase)\b[^<]*(?:<span class="sr">[^<]*<\/span>)?<\/button>/;

/** The addresses of the forms that remove something when their button is pressed. */
const removingAtOnce = (text: string) =>
  [...besidesQuestions(text).matchAll(/<form[^>]*action="([^"]*)"[\s\S]*?<\/form>/g)].flatMap(
    ([form, address = ""]) => (REMOVES.test(form) ? [address] : []),
  );

/** Their form asks for the name of what is deleted. */
const BY_NAME = /\/-\/settings\/delete$/;

test("a removal asks before it is done, on all pages of a project, a group, a person and the administrators (ux §8; decision 0325)", async () => {
  const world = await startWorld();
  await fullProject(world);
  const app = { name: "Chart", redirect_uri: "https://chart.example.org/", scopes: "api" };
  assert.equal((await world.call("/api/v4/applications", { as: "ada", json: app })).status, 201);
  const pages: string[] = [];
  const asked = new Set<string>();
  for (const [who, starts] of [
    ["olga", STARTS] as const,
    ["ada", ["/admin", "/admin/applications"]] as const,
  ]) {
    const visitor = await signedIn(world, who);
    const seen = new Set<string>();
    const waiting: string[] = [...starts];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (seen.has(shapeOf(path))) continue;
      seen.add(shapeOf(path));
      const { status, text } = await visitor.get(path);
      if (status !== 200) continue;
      pages.push(path);
      for (const address of removingAtOnce(text)) {
        assert.match(address, BY_NAME, `${path} removes at once by ${address}`);
      }
      for (const [, words = ""] of text.matchAll(/<h[12][^>]*>((?:Remove|Delete|Revoke|Erase) [^<]*\?)</g))
        asked.add(words);
      for (const [, href = ""] of text.matchAll(/ href="([^"#]*)/g)) {
        const next = href.replaceAll("&amp;", "&");
        if (OURS.test(next) && !NO_PAGE.test(next)) waiting.push(next);
      }
    }
  }
  assert.ok(pages.length > 60, `${pages.length} pages`);
  const things = [
    "(Sensors|Others)",
    "Desk",
    "Nightly",
    "Outage",
    "production",
    "Other service",
    "Forge",
    "Chart",
  ];
  for (const thing of things) assert.match([...asked].join(" "), new RegExp(` ${thing}\\?`));
  assert.ok(asked.has("Remove this picture?"));
  assert.ok(asked.has("Remove Dev Developer?") || asked.has("Remove yourself?"), "a member");
});
