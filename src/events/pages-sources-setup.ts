/** How to set an event source up on each forge, in the words of that forge's own pages. */
import { card, properties } from "../ui/card.ts";
import { type Html, html } from "../ui/html.ts";
import type { Forge, SourceType } from "./source.ts";

const GITEA =
  "In the repository’s Settings, open Webhooks and choose Add webhook. Enter the address as Target URL and the secret as Secret, with POST and application/json, and choose All events.";

/** The steps in each forge's own terms; the events named are those that are recorded here (contract-events §3). */
const STEPS: Readonly<Record<Forge, readonly [string, string]>> = {
  github: [
    "GitHub",
    "In the repository’s Settings, open Webhooks and choose Add webhook. Enter the address as Payload URL and the secret as Secret, set the content type to application/json, and choose Send me everything.",
  ],
  gitlab: [
    "GitLab",
    "In the project’s Settings, open Webhooks and choose Add new webhook. Enter the address as URL and the secret as Secret token, and select pushes, tags, comments, issues, merge requests, wiki pages and milestones; confidential ones if you want them here.",
  ],
  gitea: ["Gitea", GITEA],
  forgejo: ["Forgejo", GITEA],
  gogs: [
    "Gogs",
    "In the repository’s Settings, open Webhooks and add one for Gogs. Enter the address as Payload URL and the secret as Secret, set the content type to application/json, and choose I need everything.",
  ],
  bitbucket: [
    "Bitbucket",
    "In the repository’s settings, open Webhooks and add one. Enter the address as URL and the secret as Secret, and select pushes, comments, issues, and pull requests that are opened, approved, merged and declined.",
  ],
  cloudevents: [
    "CloudEvents",
    "Send events to the address by POST, with the header Authorization: Bearer followed by the secret.",
  ],
};

/** The steps for the forge of a source, or for every forge if the source takes any. */
export function setUpCard(type: SourceType): Html {
  const steps = type === "auto" ? Object.values(STEPS) : [STEPS[type]];
  return card({
    id: "set-up",
    heading: "Set it up",
    lead: html`Add a webhook with this address and secret to a repository of the forge, or to several. Their events become events of this project. Deliveries that don’t become an event are ignored: <a href="/-/help/events#event-sources">which ones do</a>.`,
    body: properties(steps),
  });
}
