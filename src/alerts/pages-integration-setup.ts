/** Configuration snippets for senders, with the address of an integration in them. */
import { card } from "../ui/card.ts";
import { attrs, type Html, html } from "../ui/html.ts";
import { codeBlock, copyButton } from "../ui/secret.ts";
import { endpointPath, type Integration } from "./integration.ts";

/**
 * Returns snippets for a shell, Alertmanager and Prometheus. They contain no key, so that a screenshot of the page reveals
 * none. Undefined if the integration has no address.
 */
export function setUpCard(one: Integration, projectPath: string, publicUrl: string): Html | undefined {
  const path = endpointPath(one, projectPath);
  if (path === undefined) return undefined;
  const url = `${publicUrl}${path}`;
  const metrics = [alertmanager(url), prometheus(projectPath, publicUrl)];
  const pieces = one.type === "prometheus" ? metrics : [shell(url), ...metrics];
  return card({
    id: "set-up",
    heading: "Set up the sender",
    lead: html`Replace <code>${KEY_PLACE}</code> with the authorization key<span class="js">; Copy does it for you</span>. In any other tool, add a webhook with this address, and the key as a bearer token: <a href="/-/help/alerts#send-from-other-tools">how to connect other tools</a>.`,
    body: html`${pieces.map(([id, name, text], index) => piece(id, name, text, index === 0))}`,
  });
}

/** The placeholder for the key. */
export const KEY_PLACE = "gak_…";

type Piece = readonly [id: string, name: string, text: string];

function piece(id: string, name: string, text: string, open: boolean): Html {
  return html`<details class="more"${attrs({ open })}><summary>${name}</summary><div class="row spread mt-s"><span class="sub">${HINTS[id]}</span>${copyButton(id, name, { word: KEY_PLACE, from: "authkey" })}</div><div class="mt-s">${codeBlock(id, name, text)}</div></details>`;
}

const HINTS: Readonly<Record<string, string>> = {
  "set-up-shell": "Opens an alert; send it again with an end_time to resolve it.",
  "set-up-alertmanager": "A receiver for alertmanager.yml; refer to it in a route.",
  "set-up-prometheus": "For prometheus.yml, if you don’t run an Alertmanager.",
};

function shell(url: string): Piece {
  return ["set-up-shell", "Shell", shellCommand(url)];
}

/** Returns a command that opens an alert. */
export function shellCommand(url: string): string {
  return `curl ${url} \\
  -H "Authorization: Bearer gak_…" \\
  -H "Content-Type: application/json" \\
  -d '{"title":"Disk is full","severity":"high","hosts":["db-1"],"fingerprint":["disk","db-1"]}'`;
}

function alertmanager(url: string): Piece {
  const text = `receivers:
- name: gatehouse
  webhook_configs:
  - url: ${url}
    send_resolved: true
    http_config:
      authorization: {type: Bearer, credentials: gak_…}`;
  return ["set-up-alertmanager", "Alertmanager", text];
}

function prometheus(projectPath: string, publicUrl: string): Piece {
  const { protocol, host } = new URL(publicUrl);
  const text = `alerting:
  alertmanagers:
  - scheme: ${protocol.slice(0, -1)}
    path_prefix: /${projectPath}/alertmanager
    authorization: {credentials: gak_…}
    static_configs: [{targets: ["${host}"]}]`;
  return ["set-up-prometheus", "Prometheus itself", text];
}
