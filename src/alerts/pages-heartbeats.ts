/** `…/-/settings/operations/heartbeats`: the heartbeats of a project, with their addresses and keys (decision 0098). */
import type { FastifyReply } from "fastify";
import { redirectWith } from "../accounts/browser.ts";
import { changedIn, type Shown, shownIn } from "../platform/form-shown.ts";
import { formText } from "../platform/form-text.ts";
import { numberIn } from "../platform/number-in.ts";
import type { Platform } from "../platform/platform.ts";
import type { ProjectPages } from "../projects/page-route.ts";
import { linkButton, submitButton } from "../ui/button.ts";
import { card, pageHead, stack } from "../ui/card.ts";
import { confirmDialog, postButton } from "../ui/dialog.ts";
import { type Html, html } from "../ui/html.ts";
import { codeBlock, copyButton, secretField } from "../ui/secret.ts";
import { type Heartbeat, heartbeatPath } from "./heartbeat.ts";
import { sendProjectPage, type Visit } from "./pages-frame.ts";
import {
  type HeartbeatForm,
  heartbeatBadge,
  heartbeatForm,
  heartbeatTable,
} from "./pages-heartbeats-view.ts";
import { doorsTo, type Refused, refusalOf } from "./pages-kept.ts";
import { nothingNew } from "./pages-nothing-new.ts";
import { operationsTabs } from "./pages-operations-tabs.ts";
import {
  changeHeartbeat,
  createHeartbeat,
  heartbeatKey,
  heartbeatOf,
  removeHeartbeat,
  rotateHeartbeatKey,
} from "./save-heartbeat.ts";
import { SEVERITIES } from "./severity.ts";
import { listHeartbeats } from "./store-heartbeats.ts";

const OPERATIONS = "/-/settings/operations";
const PATH = `${OPERATIONS}/heartbeats`;

export function heartbeatPages(pages: ProjectPages, platform: Platform): void {
  const { visiting, withOne } = doorsTo(platform, "heartbeat_id", heartbeatOf);
  pages.get(PATH, async (request, reply, place) => showList(await visiting(request, reply, place)));
  pages.get(`${PATH}/new`, async (request, reply, place) => {
    const form = { name: "", interval: "86400", grace: "300", severity: "critical", active: true };
    const visited = await visiting(request, reply, place);
    const all = { label: "Heartbeats", path: PATH };
    const readOnly = nothingNew(visited, { title: "New heartbeat", current: "operations", all });
    return readOnly ?? show(visited, form);
  });
  pages.post(PATH, async (request, reply, place) => save(await visiting(request, reply, place)));
  pages.get(
    `${PATH}/:heartbeat_id`,
    withOne((visited, beat) => show(visited, filled(beat), beat)),
  );
  pages.post(`${PATH}/:heartbeat_id`, withOne(save));
  pages.post(
    `${PATH}/:heartbeat_id/rotate`,
    withOne(async (visited, beat) => {
      await rotateHeartbeatKey(platform, visited.act, beat);
      return back(visited, `${visited.home}${PATH}/${beat.id}`, `${beat.name} has a new key.`);
    }),
  );
  pages.post(
    `${PATH}/:heartbeat_id/delete`,
    withOne(async (visited, beat) => {
      await removeHeartbeat(platform, visited.act, beat);
      return back(visited, `${visited.home}${PATH}`, `${beat.name} was removed.`);
    }),
  );
}

function back({ platform, request, reply }: Visit, path: string, text: string) {
  return redirectWith(platform, request, reply, path, { kind: "ok", text });
}

async function showList(visited: Visit): Promise<FastifyReply> {
  const { platform, project, home, browser } = visited;
  const mayAdd = browser.csrfToken !== undefined;
  const beats = await listHeartbeats(platform.db, project.id);
  const head = pageHead({
    heading: "Heartbeats",
    lead: "Jobs and monitors that report regularly. When one stays silent, an alert opens.",
    actions: [mayAdd && linkButton("New heartbeat", `${home}${PATH}/new`, { tone: "primary", icon: "plus" })],
  });
  return sendProjectPage(visited, {
    title: "Heartbeats",
    current: "operations",
    crumbs: [{ label: "Operations", href: `${home}${OPERATIONS}` }, { label: "Heartbeats" }],
    main: html`${head}${operationsTabs(home, "heartbeats", true)}${stack([heartbeatTable(home, beats, mayAdd)])}`,
  });
}

async function show(
  visited: Visit,
  form: HeartbeatForm,
  beat?: Heartbeat,
  refused?: Refused & { shown: Shown },
): Promise<FastifyReply> {
  const { home, browser } = visited;
  const title = beat?.name ?? "New heartbeat";
  const action = beat ? `${home}${PATH}/${beat.id}` : `${home}${PATH}`;
  const { csrfToken } = browser;
  const head = pageHead({
    heading: title,
    ...(beat ? { above: heartbeatBadge(beat) } : {}),
    actions: [
      beat &&
        confirmDialog(
          { words: "Remove", icon: "trash" },
          {
            id: "remove",
            heading: `Remove ${beat.name}?`,
            text: "Its address and key stop working at once. An alert that it opened stays.",
            action: `${action}/delete`,
            csrfToken,
            confirm: "Remove heartbeat",
            keep: "Keep it",
          },
        ),
    ],
  });
  const shown = refused?.shown ?? (beat && shownOf(beat));
  const isNew = beat === undefined;
  const body = heartbeatForm({ action, form, shown, faults: refused?.faults ?? {}, csrfToken, isNew });
  return sendProjectPage(visited, {
    title,
    current: "operations",
    crumbs: [
      { label: "Operations", href: `${home}${OPERATIONS}` },
      { label: "Heartbeats", href: `${home}${PATH}` },
      { label: title },
    ],
    main: html`${head}${stack([beat && credentials(visited, beat, action), body])}`,
    messages: refused?.message ? [{ kind: "bad", text: refused.message }] : [],
    failed: refused !== undefined,
    status: refused ? 422 : 200,
  });
}

function credentials({ platform, browser }: Visit, beat: Heartbeat, action: string): Html {
  const url = `${platform.config.publicUrl}${heartbeatPath(beat)}`;
  const rotate = postButton(
    `${action}/rotate`,
    browser.csrfToken,
    submitButton("Create a new key", { icon: "refresh" }),
  );
  // An archived project refuses pings, and its keys cannot be renewed.
  const isWritable = browser.csrfToken !== undefined;
  const hint = "Send it as a bearer token, or as the password in the address.";
  return card({
    id: "credentials",
    heading: "Address and key",
    lead: isWritable ? "Ping it by GET or POST; what is sent is not looked at." : undefined,
    body: html`<div class="form">${secretField({ id: "url", label: "Address", value: url })}${secretField({ id: "key", label: "Key", value: heartbeatKey(platform, beat), masked: true, hint: isWritable ? `${hint} A new key ends this one at once.` : hint })}</div>${isWritable && html`<div class="row spread mt"><span class="label">At the end of a job</span>${copyButton("curl", "command", { word: "$HEARTBEAT_KEY", from: "key" })}</div><div class="mt-s">${codeBlock("curl", "At the end of a job", `curl -fsS -H "Authorization: Bearer $HEARTBEAT_KEY" ${url}`)}</div>`}${rotate && html`<div class="btn-row mt">${rotate}</div>`}`,
  });
}

async function save(visited: Visit, before?: Heartbeat): Promise<FastifyReply> {
  const { platform, request, project, home } = visited;
  const form: HeartbeatForm = {
    name: formText(request, "name"),
    interval: formText(request, "interval_seconds"),
    grace: formText(request, "grace_seconds"),
    severity: formText(request, "severity"),
    active: formText(request, "active") === "true",
  };
  const shown = shownIn(request);
  try {
    const fields = {
      name: form.name.trim(),
      active: form.active,
      intervalSeconds: numberIn(form.interval) ?? 0,
      graceSeconds: numberIn(form.grace) ?? -1,
      severity: SEVERITIES.find((one) => one === form.severity) ?? "critical",
    };
    const saved = before
      ? await changeHeartbeat(platform, visited.act, project, before.id, changedIn(fields, shown))
      : await createHeartbeat(platform, visited.act, project, fields);
    const text = before ? "Saved." : `${saved.name} was added. Its first ping starts the clock.`;
    return await back(visited, `${home}${PATH}/${saved.id}`, text);
  } catch (error) {
    return show(visited, form, before, { ...refusalOf(error), shown });
  }
}

/** Returns what the form shows of a heartbeat, in the form in which unchanged fields are read back (decision 0246). */
function shownOf({ name, isOn, intervalSeconds, graceSeconds, severity }: Heartbeat): Shown {
  return { name, active: isOn, intervalSeconds, graceSeconds, severity };
}

function filled(beat: Heartbeat): HeartbeatForm {
  return { ...beat, active: beat.isOn, interval: `${beat.intervalSeconds}`, grace: `${beat.graceSeconds}` };
}
