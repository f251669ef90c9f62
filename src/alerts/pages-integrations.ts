/** The page of one integration: its address and key, its fields, rotation and removal (spec: States 4, 5). */
import type { FastifyReply, FastifyRequest } from "fastify";
import { redirectWith } from "../accounts/browser.ts";
import { changedIn, shownIn } from "../platform/form-shown.ts";
import { formText } from "../platform/form-text.ts";
import { idIn } from "../platform/number-in.ts";
import { listQuery } from "../platform/page-query.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import type { PagePlace, ProjectPages } from "../projects/page-route.ts";
import { badge, statusBadge } from "../ui/badge.ts";
import { linkButton, submitButton } from "../ui/button.ts";
import { card, pageHead, stack } from "../ui/card.ts";
import { confirmDialog } from "../ui/dialog.ts";
import { postForm, selectField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { secretField } from "../ui/secret.ts";
import { timeExact } from "../ui/time.ts";
import {
  changeIntegration,
  noIntegration,
  openKey,
  removeIntegration,
  rotateKey,
} from "./change-integration.ts";
import { endpointPath, type Integration, KEY_PARAMETER, TYPE_WORDS } from "./integration.ts";
import { sendProjectPage, type Visit, visit } from "./pages-frame.ts";
import { type RefusedEdit, settingsCard } from "./pages-integration-edit.ts";
import { integrationForm, sampleMark } from "./pages-integration-form.ts";
import { setUpCard } from "./pages-integration-setup.ts";
import { type RefusedSignature, saveSignature, signatureCard } from "./pages-integration-signature.ts";
import { mendable } from "./pages-kept.ts";
import { receiptsHref } from "./pages-receipts-view.ts";
import { sendTestAlert } from "./send-test-alert.ts";
import { findEndpoint, findIntegration } from "./store-integrations.ts";

const OPERATIONS = "/-/settings/operations";
const PATH = `${OPERATIONS}/integrations/:integration_id`;
const GRACES = [
  { value: "0", label: "End it at once" },
  { value: "3600", label: "Keep it for an hour" },
  { value: "86400", label: "Keep it for a day" },
  { value: "604800", label: "Keep it for a week" },
];

export function integrationPages(pages: ProjectPages, platform: Platform): void {
  type Handle = (visited: Visit, integration: Integration, path: string) => Promise<FastifyReply>;
  const withOne =
    (handle: Handle) => async (request: FastifyRequest, reply: FastifyReply, place: PagePlace) => {
      const visited = await visit(platform, request, reply, place, "maintainer");
      const id = idIn(place.params.integration_id);
      const found = await findIntegration(platform.db, visited.project.id, id);
      if (!found) throw noIntegration();
      return handle(visited, found, `${visited.home}${OPERATIONS}/integrations/${id}`);
    };
  pages.get(
    PATH,
    withOne((visited, one) => show(visited, one)),
  );
  pages.post(PATH, withOne(save));
  pages.post(
    `${PATH}/signature`,
    withOne((visited, one, path) =>
      saveSignature(visited, one, path, (signature) => show(visited, one, { signature })),
    ),
  );
  pages.post(`${PATH}/active`, withOne(switchOne));
  pages.post(`${PATH}/rotate`, withOne(rotate));
  pages.post(`${PATH}/delete`, withOne(remove));
}

async function show(
  visited: Visit,
  one: Integration,
  refused?: RefusedEdit & { signature?: RefusedSignature },
): Promise<FastifyReply> {
  const at = `${visited.home}${OPERATIONS}`;
  const isEndpoint = one.type !== "external_tool";
  const isUsed = one.active && visited.browser.csrfToken !== undefined;
  const ways = [
    isUsed && linkButton("Send test alert", `${at}?integration=${one.id}#test`, { icon: "send" }),
    linkButton("Reading rules", `${at}/integrations/${one.id}/rules`),
    linkButton("Receipts", receiptsHref(visited.home, { integration: `${one.id}` })),
  ];
  const main = html`${pageHead({
    heading: one.name,
    above: html`${badge(TYPE_WORDS[one.type], "line")}${one.active ? statusBadge("Enabled", "ok") : statusBadge("Disabled", "plain")}`,
    actions: isEndpoint ? ways : [],
  })}${stack([
    isEndpoint && credentials(visited, one),
    isUsed && setUpCard(one, visited.project.fullPath, visited.platform.config.publicUrl),
    settingsCard(visited, one, refused),
    isEndpoint && signatureCard(visited, one, `${at}/integrations/${one.id}`, refused?.signature),
    danger(visited, one),
  ])}`;
  return sendProjectPage(visited, {
    title: one.name,
    current: "operations",
    crumbs: [{ label: "Operations", href: at }, { label: one.name }],
    main,
    failed: refused !== undefined,
    status: refused ? 422 : 200,
  });
}

const UNREADABLE =
  "It was sealed with another master key and cannot be shown. It works on; give out a new key to have one.";

/** Returns the card with address and key of an active integration (spec: Alert integration 2; States 4). */
function credentials({ platform, project, home, browser }: Visit, one: Integration): Html {
  const key = openKey(platform, one);
  const url = `${platform.config.publicUrl}${endpointPath(one, project.fullPath) ?? ""}`;
  if (!one.active || one.type === "external_tool") {
    return card({
      id: "credentials",
      heading: "Address and key",
      body: html`<p class="text-2">Its address and its authorization key are shown while it is enabled.</p>`,
    });
  }
  const { csrfToken } = browser;
  const grace = selectField({
    name: "grace_seconds",
    label: "The old key",
    value: "3600",
    options: GRACES,
  });
  const action = `${home}${OPERATIONS}/integrations/${one.id}/rotate`;
  const button = submitButton("Create a new key", { icon: "refresh" });
  const newKey =
    csrfToken !== undefined && html`<div class="mt">${postForm({ action, csrfToken }, grace, button)}</div>`;
  const sending = newKey ? "Send it as a bearer token. Create a new key if it leaks." : undefined;
  const old = one.oldKeyUntil && html`The key before works until ${timeExact(one.oldKeyUntil)}.`;
  return card({
    id: "credentials",
    heading: "Address and key",
    body: html`<div class="form">${secretField({ id: "url", label: "Address", value: url })}${secretField({
      id: "authkey",
      label: "Authorization key",
      value: key ?? "",
      masked: true,
      hint: key === undefined ? UNREADABLE : (old ?? sending),
    })}${
      one.keyInAddress &&
      key !== undefined &&
      secretField({
        id: "keyed_url",
        label: "Address with the key in it",
        value: `${url}?${KEY_PARAMETER}=${key}`,
        masked: true,
        hint: "For senders that take an address and nothing else. Whoever sees it may send alerts.",
      })
    }</div>
${newKey}`,
  });
}

function danger({ home, browser }: Visit, one: Integration): Html | false {
  const { csrfToken } = browser;
  if (csrfToken === undefined) return false;
  return card({
    id: "danger",
    heading: "Remove this integration",
    body: html`<p class="text-2 wrap-any">Tools that still use its key will be refused. Its alerts stay.</p><div class="btn-row mt">${confirmDialog(
      { words: "Remove", icon: "trash" },
      {
        id: "remove",
        heading: `Remove ${one.name}?`,
        text: "Its address and key stop working at once and can’t be restored. Alerts and incidents stay.",
        action: `${home}${OPERATIONS}/integrations/${one.id}/delete`,
        csrfToken,
        confirm: "Remove integration",
        keep: "Keep it",
      },
    )}</div>`,
  });
}

async function save(visited: Visit, one: Integration, path: string): Promise<FastifyReply> {
  const { platform, request, reply, project } = visited;
  const form = { ...integrationForm(request), type: one.type };
  try {
    const fields = form.fields();
    const hasTool = one.type === "external_tool" || one.type === "prometheus";
    // Fields that the form of this type does not show are left unchanged.
    const typed = {
      name: fields.name || one.name,
      active: fields.active,
      ...(hasTool ? { apiUrl: fields.apiUrl } : {}),
      ...(one.type === "external_tool"
        ? {}
        : {
            strict: fields.strict,
            keyInAddress: fields.keyInAddress ?? false,
            sample: sampleMark(form.sample),
          }),
    };
    const { sample, ...others } = changedIn(typed, shownIn(request));
    const change = { ...others, ...(sample && { payloadExample: fields.payloadExample }) };
    const changed = await changeIntegration(platform, visited.act, project, one.id, change);
    if (formText(request, "next") === "test") {
      // A large sample is not in the form.
      const isKept = form.sample.trim() === "" && changed.payloadExample !== null;
      const payload = isKept ? JSON.stringify(changed.payloadExample) : form.sample;
      return await sendTest(visited, changed, path, payload);
    }
    return await redirectWith(platform, request, reply, path, { kind: "ok", text: "Saved." });
  } catch (error) {
    const problem = mendable(error);
    const faults =
      problem instanceof FieldProblem ? problem.fields : { [form.faultField(problem)]: [problem.message] };
    return show(visited, one, { form, faults, shown: shownIn(request) });
  }
}

/** Errors of a test alert after which the integration is saved all the same. */
const REFUSED: readonly string[] = ["unprocessable", "too_many", "unavailable"];

/** Sends the sample payload as a test alert and reports the result (spec: POST alert endpoint 7). */
export async function sendTest(
  { platform, request, reply, project, home }: Visit,
  one: Integration,
  path: string,
  sample: string,
): Promise<FastifyReply> {
  const endpoint = await findEndpoint(platform.db, project.id, one.id);
  try {
    if (!endpoint || sample.trim() === "") {
      throw new Problem("unprocessable", "There was no sample payload to send.");
    }
    const { alertIid } = await sendTestAlert(platform, endpoint, sample, Date.now());
    return redirectWith(platform, request, reply, `${home}${OPERATIONS}?tested=${alertIid}#test`, {
      kind: "ok",
      text: `${one.name} was saved. Test alert #${alertIid} was opened by it.`,
    });
  } catch (error) {
    if (!(error instanceof Problem) || !REFUSED.includes(error.kind)) throw error;
    const text = `${one.name} was saved, but the test alert was refused: ${error.message}`;
    return redirectWith(platform, request, reply, path, { kind: "bad", text });
  }
}

async function switchOne(visited: Visit, one: Integration, path: string): Promise<FastifyReply> {
  const { platform, request, reply, project, home } = visited;
  const active = formText(request, "active") === "true";
  const list = `${home}${OPERATIONS}${listQuery(request)}`;
  try {
    await changeIntegration(platform, visited.act, project, one.id, { active });
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== "unprocessable") throw error;
    return redirectWith(platform, request, reply, list, { kind: "bad", text: error.message });
  }
  // An integration that was just enabled shows its address and key (spec: States 4).
  return redirectWith(platform, request, reply, active ? path : list, {
    kind: "ok",
    text: `${one.name} is ${active ? "enabled" : "disabled"}.`,
  });
}

async function rotate(visited: Visit, one: Integration, path: string): Promise<FastifyReply> {
  const { platform, request, reply, project } = visited;
  const grace = GRACES.find(({ value }) => value === formText(request, "grace_seconds"));
  await rotateKey(platform, visited.act, project, one.id, Number(grace?.value ?? 3600));
  return redirectWith(platform, request, reply, path, {
    kind: "ok",
    text: `${one.name} has a new key.`,
  });
}

async function remove(visited: Visit, one: Integration): Promise<FastifyReply> {
  const { platform, request, reply, project, home } = visited;
  await removeIntegration(platform, visited.act, project, one.id);
  return redirectWith(platform, request, reply, `${home}${OPERATIONS}`, {
    kind: "ok",
    text: `${one.name} was removed.`,
  });
}
