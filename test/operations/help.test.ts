/** The documents of this version, at `/-/help`. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { CHAPTERS } from "../../src/operations/manual.ts";
import { launchBrowser, untilTrue } from "../support/browser.ts";
import { inLook, LOOKS } from "../support/looks.ts";
import { signedIn } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

const addresses = ["/-/help", ...CHAPTERS.map(({ slug }) => `/-/help/${slug}`), "/-/help/decisions"];

describe("GET /-/help", () => {
  it("shows every document to anybody, without starting a session (reference ux §7, help)", async () => {
    const titles = new Set<string>();
    for (const address of addresses) {
      const { status, headers, text } = await world.call(address);
      assert.equal(status, 200, address);
      assert.equal(headers.get("set-cookie"), null, address);
      assert.match(headers.get("content-security-policy") ?? "", /script-src 'self'.*trusted-types 'none'/);
      assert.equal(text.match(/<h1/g)?.length, 1, address);
      titles.add(/<title>(.*)<\/title>/.exec(text)?.[1] ?? "");
    }
    assert.equal(titles.size, addresses.length);
    assert.ok(
      [...titles].every((title) => /Help · Gatehouse$/.test(title)),
      [...titles].join(),
    );
  });

  it("has no dead links, and every linked anchor exists (reference ux §1, docs)", async () => {
    const places = new Map<string, Set<string>>();
    const links: [from: string, to: string][] = [];
    const waiting = ["/-/help"];
    for (let address = waiting.pop(); address !== undefined; address = waiting.pop()) {
      if (places.has(address)) continue;
      const { status, text } = await world.call(address);
      assert.equal(status, 200, address);
      const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => id);
      assert.deepEqual(ids.length, new Set(ids).size, `${address} has an id twice`);
      places.set(address, new Set(ids));
      for (const [, href = ""] of text.matchAll(/ href="([^"]+)"/g)) {
        const { pathname, hash, origin } = new URL(href, world.url + address);
        if (origin !== new URL(world.url).origin || pathname.startsWith("/-/assets/")) continue;
        links.push([address, pathname + decodeURIComponent(hash)]);
        if (pathname.startsWith("/-/help")) waiting.push(pathname);
      }
    }
    assert.ok(places.size > 100, `${places.size} pages`);
    const dead = links.filter(([, to]) => {
      const [path = "", place] = to.split("#");
      return place !== undefined && !places.get(path)?.has(place);
    });
    assert.deepEqual(dead, []);
    for (const path of new Set(links.map(([, to]) => to.split("#")[0] ?? ""))) {
      if (!places.has(path)) assert.ok([200, 302].includes((await world.call(path)).status), path);
    }
  });

  it("answers 404 for other paths, including path traversal (decision 0191; CWE-22)", async () => {
    for (const path of [
      "nothing",
      "architecture",
      "alerts.md",
      "..%2fREADME",
      "..%2f..%2fpackage.json",
      "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
      "decisions/..%2falerts",
      "decisions/0001-house.md",
      "decisions%2f..%2f..%2f.env",
      "alerts%00",
      "spec/clauses",
    ]) {
      assert.equal((await world.call(`/-/help/${path}`)).status, 404, path);
    }
  });

  it("can be cached and revalidated by visitors who are not signed in (RFC 9110 §8.8.3, §13.1.2)", async () => {
    const first = await world.call("/-/help/alerts");
    const etag = first.headers.get("etag") ?? "";
    assert.match(first.headers.get("cache-control") ?? "", /no-cache/);
    assert.equal(first.headers.get("vary"), "Cookie");
    // A proxy that compresses makes the tag weak.
    for (const known of [etag, `W/${etag.replace("W/", "")}`]) {
      const again = await world.call("/-/help/alerts", { headers: { "if-none-match": known } });
      assert.deepEqual([again.status, again.text, again.headers.get("etag")], [304, "", etag]);
    }
    const headers = { "if-none-match": etag, cookie: "theme=dark" };
    const dark = await world.call("/-/help/alerts", { headers });
    assert.equal(dark.status, 200);
    assert.match(dark.text, /data-theme="dark"/);
  });

  it("is not cached for a signed-in person (reference ux §4)", async () => {
    const stan = await signedIn(world, "stan");
    const { status, text, headers } = await stan.get("/-/help/alerts");
    assert.equal(status, 200);
    assert.match(text, /account menu for Stan/);
    assert.match(text, /<a href="\/-\/help">/);
    assert.deepEqual([headers.get("cache-control"), headers.get("etag")], ["no-store", null]);
  });

  it("is searched by words, without script and without starting a session (reference ux §7, help: search)", async () => {
    const { status, headers, text } = await world.call("/-/help?search=Silence+matchers");
    assert.equal(status, 200);
    assert.equal(headers.get("set-cookie"), null);
    assert.match(text, /<title>Silence matchers · Help · Gatehouse<\/title>/);
    assert.match(text, /<input class="input" type="search" name="search" value="Silence matchers"/);
    const [, href = ""] = /<a class="title" href="(\/-\/help\/alerts#[^"]+)">/.exec(text) ?? [];
    const [path = "", id = ""] = href.split("#");
    assert.match((await world.call(path)).text, new RegExp(`id="${id}"`), "the link leads to a heading");
    assert.match(text, /<strong>(?:silence|matchers)<\/strong>/i);
    for (const [query, expected] of [
      ["zzzz", /Nothing found/],
      ["%3Cscript%3E%5B(.*", /“&lt;script&gt;\[\(\.\*”/],
      ["embedded+postgresql", /href="\/-\/help\/decisions\/0003-embedded-postgresql"/],
      ["the", /30 of \d+ sections are shown/],
      ["a&search=b", /Pages of the help/],
      ["%00+", /Pages of the help/],
    ] as const) {
      const found = await world.call(`/-/help?search=${query}`);
      assert.equal(found.status, 200, query);
      assert.match(found.text, expected, query);
      assert.ok(Buffer.byteLength(found.text) <= 45 * 1024, query);
    }
  });

  it("is linked from every page (WCAG 3.2.6)", async () => {
    const stan = await signedIn(world, "stan");
    for (const path of ["/", "/projects", "/-/docs", "/nothing-is-here"]) {
      const footer = /<footer class="foot"><a href="\/-\/help">Help</;
      assert.match((await stan.get(path)).text, footer, path);
      const { status, text } = await world.call(path);
      if (status !== 302) assert.match(text, footer, path);
    }
    assert.match((await world.call("/users/sign_in")).text, /<footer class="foot"><a href="\/-\/help">Help</);
  });

  it("is accessible in four looks, and complies with the content security policy (reference ux §5, §9; WCAG 2.2 AA)", async () => {
    const browser = await launchBrowser();
    for (const look of LOOKS) {
      await inLook(browser, world.url, look, async (viewing) => {
        for (const address of addresses) await viewing.look(`help ${address.replaceAll("/", " ")}`, address);
        await viewing.look("help searched", "/-/help?search=key");
        await viewing.look("help without results", "/-/help?search=zzzz");
        await viewing.page.goto(`${world.url}/-/help/alerts`);
        await viewing.page.click("summary:text-is('On this page')");
        await viewing.judge("help opened");
        await viewing.page.click("nav[aria-label='On this page'] a:text-is('Send from Alertmanager')");
        // A browser scrolls to an anchor when it draws the page, not before.
        await untilTrue(
          viewing.page,
          "(({ top }) => top > 40 && top < 400)(document.getElementById('send-from-alertmanager').getBoundingClientRect())",
        );
      });
    }
  });
});
