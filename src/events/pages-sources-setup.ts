/** How to set an event source up on each forge, in the words of that forge's own pages. */
import { card, properties } from "../ui/card.ts";
import type { Html } from "../ui/html.ts";
import type { SourceType } from "./source.ts";

const GITEA =
  "Settings of the repository, Webhooks, Add webhook: the address as Target URL, POST, content type application/json, the secret as Secret, and All events.";

/** The steps in each forge's own terms; the events named are those that are recorded here (contract-events §3). */
const STEPS: Readonly<Record<Exclude<SourceType, "auto">, readonly [string, string]>> = {
  github: [
    "GitHub",
    "Settings of the repository, Webhooks, Add webhook: the address as Payload URL, content type application/json, the secret as Secret, and Send me everything.",
  ],
  gitlab: [
    "GitLab",
    "Settings of the project, Webhooks, Add new webhook: the address as URL, the secret as Secret token; tick pushes, tags, comments, issues, merge requests, wiki pages and milestones, the confidential ones where you want them here.",
  ],
  gitea: ["Gitea", GITEA],
  forgejo: ["Forgejo", GITEA],
  cloudevents: [
    "CloudEvents",
    "Post events to the address, with the header Authorization: Bearer and the secret after it.",
  ],
};

/** The steps for the forge of a source, or for every forge if the source takes any. */
export function setUpCard(type: SourceType): Html {
  const steps = type === "auto" ? Object.values(STEPS) : [STEPS[type]];
  return card({
    id: "set-up",
    heading: "Set it up",
    lead: "Give the address and the secret to the forge as a webhook. What does not become an event is ignored.",
    body: properties(steps),
  });
}
