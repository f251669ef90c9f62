/** A client's web site for tests with real OAuth libraries, and functions for a person in a real browser. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { whenDone } from "./cleanup.ts";
import { PASSWORD, type Person, type World } from "./world.ts";

export interface ClientSite {
  /** `http://127.0.0.1:port`, a different site than the service's `localhost`. */
  origin: string;
  /** The redirect URI. */
  callback: string;
}

type Answer = (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<void> | void;

/** Starts the client's site; errors of `answer` are shown on the page, so that a failing test says why. */
export async function clientSite(answer: Answer): Promise<ClientSite> {
  const server = createServer(async (request, response) => {
    try {
      await answer(request, response, new URL(request.url ?? "/", origin));
    } catch (error) {
      response.writeHead(500, { "content-type": "text/plain" });
      response.end(`${(error as Error).stack} ${JSON.stringify(error)}`);
    }
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  whenDone(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { origin, callback: `${origin}/callback` };
}

/** Submits the sign-in form of the current page, and waits for the next page to load. */
export async function enter(page: Page, person: Person): Promise<void> {
  await page.fill("input[name=username]", person);
  await page.fill("input[name=password]", PASSWORD);
  await page.click("main button[type=submit]:has-text('Sign in')");
  await page.waitForURL(({ pathname }) => pathname !== "/users/sign_in");
}

/** A page in a new browser context of this width, in which the person is signed in. */
export async function signedInPage(
  browser: Browser,
  world: World,
  person: Person,
  width: number,
): Promise<Page> {
  const page = await browser.newPage({ viewport: { width, height: 900 } });
  await page.goto(`${world.url}/users/sign_in`);
  await enter(page, person);
  return page;
}

/** Presses Authorize on the consent page. */
export async function allow(page: Page): Promise<void> {
  await page.click("button[value=allow]");
}

/** The text of the client's page, once the browser has been redirected to it. */
export async function textOnSite(page: Page, site: ClientSite): Promise<string> {
  await page.waitForURL((url) => url.origin === site.origin);
  return (await page.textContent("body")) ?? "";
}
