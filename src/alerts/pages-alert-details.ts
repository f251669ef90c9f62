/** The sidebar of an alert's page: its record, its assignees, and how its tool resolves it. */
import { submitButton } from "../ui/button.ts";
import { card, properties } from "../ui/card.ts";
import { face } from "../ui/face.ts";
import { bareSelect, countOption, csrfField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { icon } from "../ui/icon.ts";
import { codeBlock, copyButton, secretField } from "../ui/secret.ts";
import { timeExact } from "../ui/time.ts";
import { fingerprintText } from "./fingerprint.ts";
import type { AlertView } from "./pages-alert-parts.ts";
import { queryString } from "./pages-frame.ts";

/** Returns the card with the alert's fields other than title and description, and its assignees. */
export function details({
  home,
  alert,
  csrfToken,
  viewerId,
  people: possible,
  peopleTotal,
  seesReceipts,
}: AlertView): Html {
  const isMine = alert.assignees.some((one) => one.id === viewerId);
  const action = `${home}/-/alerts/${alert.iid}`;
  const unassign = ({ id, name }: { id: number; name: string }) =>
    csrfToken !== undefined &&
    html`<button class="btn quiet icon sm" type="submit" name="unassign" value="${id}" aria-label="Remove ${name}">${icon("x", 14)}</button>`;
  const people = alert.assignees.map(
    (one) =>
      html`<span class="row assignee"><a class="who" href="${`/${one.username}`}">${face(one.name, 1)}${one.name}</a>${unassign(one)}</span>`,
  );
  const free = possible.filter(
    (one) => one.id !== viewerId && !alert.assignees.some(({ id }) => id === one.id),
  );
  const give =
    free.length > 0 &&
    html`<span class="row assign mt-s">${bareSelect("assignee", "Assign to", "", [{ value: "", label: "Assign to …" }, ...free.map((one) => ({ value: String(one.id), label: one.name })), ...countOption(possible.length, peopleTotal)])}${submitButton("Assign", { size: "sm", name: "action", value: "assign" })}</span>`;
  const take =
    !isMine &&
    html`<div class="btn-row mt-s">${submitButton("Take this alert", { size: "sm", name: "action", value: "take" })}</div>`;
  const assignees =
    csrfToken === undefined
      ? people.length > 0
        ? html`${people}`
        : "Nobody"
      : html`<form method="post" action="${action}">${csrfField(csrfToken)}${people}${take}${give}</form>`;
  const { environmentName } = alert;
  const environment =
    environmentName === null
      ? undefined
      : html`<a class="wrap-any" href="${`${home}/-/environments`}">${environmentName}</a>, <a href="${`${home}/-/alerts${queryString({ tab: "all", environment: environmentName })}`}">show alerts</a>`;
  const integration =
    seesReceipts && alert.integrationId !== null
      ? html`<a class="wrap-any" href="${`${home}/-/settings/operations/integrations/${alert.integrationId}`}">${alert.integrationName}</a>`
      : (alert.integrationName ?? "Removed since");
  return card({
    id: "details",
    heading: "Details",
    body: properties([
      [alert.assignees.length > 1 ? "Assignees" : "Assignee", assignees],
      ["Service", alert.service ?? undefined],
      ["Environment", environment],
      ["Hosts", alert.hosts.length > 0 ? hostLines(alert.hosts) : undefined],
      ["Tool", alert.monitoringTool ?? undefined],
      ["Integration", integration],
      [
        "Incident",
        alert.incidentIid === null
          ? undefined
          : html`<a href="${`${home}/-/incidents/${alert.incidentIid}`}">#${alert.incidentIid}</a>`,
      ],
      ["Started", timeExact(alert.startedAt)],
      ["Ended", alert.endedAt ? timeExact(alert.endedAt) : undefined],
    ]),
  });
}

const FIRST_HOSTS = 6;

/** Shows the first hosts and folds the others away, so that a large fleet does not push everything else off the page. */
function hostLines(hosts: readonly string[]): Html {
  const lines = (some: readonly string[]) =>
    html`${some.map((host) => html`<code class="wrap-any">${host}</code><br>`)}`;
  if (hosts.length <= FIRST_HOSTS + 1) return lines(hosts);
  const rest = hosts.slice(FIRST_HOSTS);
  return html`${lines(hosts.slice(0, FIRST_HOSTS))}<details class="more"><summary>${rest.length} more</summary>${lines(rest)}</details>`;
}

/** Returns the card on how the tool resolves the alert: a verified command, or what it has to send. */
export function resolving({ alert, command }: AlertView): Html {
  const isOver = alert.status === "resolved";
  const over = `This alert is over. What comes with this ${namesFingerprint(alert.payload) ? "fingerprint" : "payload"} from now on is another one.`;
  const how = namesFingerprint(alert.payload)
    ? html`Send this fingerprint again with <code>end_time</code> to resolve this alert and close its incident.`
    : html`Send the same payload again with <code>end_time</code> to resolve this alert and close its incident. Times and hosts may differ.`;
  const other = html`It came in the shape of ${alert.monitoringTool ?? "another tool"}, which sends the end by itself.`;
  const value = alert.fingerprintGiven ?? fingerprintText(alert.fingerprintVersion, alert.fingerprintHash);
  const shell =
    command &&
    !isOver &&
    html`<div class="row spread mt"><h3>From a shell</h3>${copyButton("resolve", "command")}</div><div class="mt-s">${codeBlock("resolve", "Command that resolves this alert", command)}</div>`;
  return card({
    id: "fingerprint",
    heading: isOver ? "What it is known by" : "Resolve it from the tool",
    body: html`${secretField({
      id: "fp",
      label: alert.fingerprintGiven ? "Fingerprint, given by the sender" : "Fingerprint of the whole payload",
      value,
    })}<p class="hint mt-s">${isOver ? over : command === undefined ? other : how}</p>${shell}`,
  });
}

/** Whether the payload itself has a fingerprint; one made of other members, by rules or for a known tool, cannot be sent. */
function namesFingerprint(payload: unknown): boolean {
  return typeof payload === "object" && payload !== null && Object.hasOwn(payload, "fingerprint");
}
