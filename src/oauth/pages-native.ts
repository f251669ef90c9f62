/** `/oauth/authorize/native`: shows a person the code that a program without a page of its own waits for. */
import type { FastifyInstance } from "fastify";
import { frameOf, needsViewer } from "../accounts/browser.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { digest, maySecretBe } from "../platform/secret.ts";
import { linkButton } from "../ui/button.ts";
import { html } from "../ui/html.ts";
import { gatePage } from "../ui/layout.ts";
import { secretField } from "../ui/secret.ts";
import { shownName } from "./application.ts";
import { OUT_OF_BAND_PAGE } from "./redirect-uri.ts";
import { findShownCode } from "./store-facts.ts";

/** Shows the code only to the person who allowed it, and only while it is valid; nothing else in the address is ever shown. */
export function nativePages(app: FastifyInstance, platform: Platform): void {
  app.get<{ Querystring: { code?: unknown } }>(OUT_OF_BAND_PAGE, async (request, reply) => {
    const browser = await needsViewer(platform, request, reply);
    const { code } = request.query;
    const found =
      typeof code === "string" && maySecretBe("authorizationCode", code)
        ? await findShownCode(platform.db, digest(code), browser.viewer.userId)
        : undefined;
    if (!found || typeof code !== "string") {
      throw new Problem(
        "invalid",
        "There is no code here that can still be used. Go back to the program and start again.",
      );
    }
    const name = shownName(found.applicationName);
    const page = gatePage({
      ...frameOf(browser),
      title: "Copy the code",
      heading: "Copy the code",
      lead: html`Paste it into <strong>${name}</strong> within ${found.secondsLeft} seconds. Give it to nobody else: it lets its holder act as you.`,
      body: html`<div class="mt">${secretField({ id: "code", label: "Code", value: code })}</div>
<div class="btn-row mt">${linkButton("I’ve copied it", "/")}</div>`,
    });
    return sendPage(reply, page, { referrerPolicy: "no-referrer" });
  });
}
