/** `…/-/settings/operations/channels`: the notification channels of a project, and their deliveries (decision 0097). */
import type { FastifyReply } from "fastify";
import { redirectWith } from "../accounts/browser.ts";
import { resend } from "../outbox/resend.ts";
import { mailIsOn } from "../outbox/send-mail.ts";
import { changedIn, type Shown, shownIn } from "../platform/form-shown.ts";
import { formText } from "../platform/form-text.ts";
import { idIn, numberIn } from "../platform/number-in.ts";
import { queryPage } from "../platform/page-query.ts";
import { rowsOf } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import type { ProjectPages } from "../projects/page-route.ts";
import { badge, statusBadge } from "../ui/badge.ts";
import { submitButton } from "../ui/button.ts";
import { card, pageHead, stack } from "../ui/card.ts";
import { confirmDialog, postButton } from "../ui/dialog.ts";
import { type Html, html } from "../ui/html.ts";
import { secretField } from "../ui/secret.ts";
import { CHANNEL_EVENTS, type Channel, purposeOf, RECIPIENTS } from "./channel.ts";
import { findChannelDeliveries } from "./find-channel-deliveries.ts";
import { findChannelLimits } from "./find-channel-limits.ts";
import { DELIVERIES_A_PAGE, deliveryCard } from "./pages-channel-deliveries.ts";
import { type ChannelForm, channelForm, emptyForm, typedForm } from "./pages-channel-form.ts";
import { channelTable, KIND_WORDS, NEW_WORDS } from "./pages-channels-view.ts";
import { queryMember, sendProjectPage, type Visit } from "./pages-frame.ts";
import { doorsTo, type Refused, refusalOf } from "./pages-kept.ts";
import { nothingNew } from "./pages-nothing-new.ts";
import { operationsTabs } from "./pages-operations-tabs.ts";
import { changeChannel, channelOf, createChannel, removeChannel, testChannel } from "./save-channel.ts";
import { SEVERITIES } from "./severity.ts";
import { findNow } from "./store.ts";
import { findUserIds, listChannels, listUsernames } from "./store-channels.ts";
import { listIntegrationsAmong } from "./store-integrations.ts";

const OPERATIONS = "/-/settings/operations";
const PATH = `${OPERATIONS}/channels`;

export function channelPages(pages: ProjectPages, platform: Platform): void {
  const { visiting, withOne } = doorsTo(platform, "channel_id", channelOf);
  pages.get(PATH, async (request, reply, place) => showList(await visiting(request, reply, place)));
  pages.get(`${PATH}/new`, async (request, reply, place) => {
    const visited = await visiting(request, reply, place);
    const form = emptyForm(queryMember(request, "kind"));
    const all = { label: "Notifications", path: PATH };
    const readOnly = nothingNew(visited, { title: NEW_WORDS[form.kind], current: "operations", all });
    return readOnly ?? show(visited, form);
  });
  pages.post(PATH, async (request, reply, place) => save(await visiting(request, reply, place)));
  pages.get(
    `${PATH}/:channel_id`,
    withOne(async (visited, channel) => show(visited, await filled(visited, channel), channel)),
  );
  pages.post(`${PATH}/:channel_id`, withOne(save));
  pages.post(`${PATH}/:channel_id/test`, withOne(tryOut));
  pages.post(`${PATH}/:channel_id/resend`, withOne(sendAgain));
  pages.post(
    `${PATH}/:channel_id/delete`,
    withOne(async (visited, channel) => {
      await removeChannel(platform, visited.act, visited.project, channel);
      return back(visited, `${visited.home}${PATH}`, "ok", `${channel.name} was removed.`);
    }),
  );
}

function addressOf({ home }: Visit, channel: Channel): string {
  return `${home}${PATH}/${channel.id}`;
}

function back({ platform, request, reply }: Visit, path: string, kind: "ok" | "bad", text: string) {
  return redirectWith(platform, request, reply, path, { kind, text });
}

async function showList(visited: Visit): Promise<FastifyReply> {
  const { platform, project, home, browser } = visited;
  const channels = await listChannels(platform.db, project.id);
  const limitedTo = channels.flatMap(({ integrationIds }) => integrationIds);
  const integrations = await listIntegrationsAmong(platform.db, project.id, limitedTo);
  const head = pageHead({ heading: "Notifications", lead: "Who hears about this project’s alerts." });
  return sendProjectPage(visited, {
    title: "Notifications",
    current: "operations",
    crumbs: [{ label: "Operations", href: `${home}${OPERATIONS}` }, { label: "Notifications" }],
    main: html`${head}${operationsTabs(home, "channels", true)}${stack([channelTable({ home, channels, integrations, mayAdd: browser.csrfToken !== undefined })])}`,
  });
}

async function show(
  visited: Visit,
  form: ChannelForm,
  channel?: Channel,
  refused?: Refused & { shown: Shown },
): Promise<FastifyReply> {
  const { platform, project, home, browser } = visited;
  const title = channel?.name ?? NEW_WORDS[form.kind];
  const base = `${home}${PATH}/${channel?.id ?? ""}`;
  const limits = await findChannelLimits(platform.db, project.id, channel);
  const { csrfToken } = browser;
  const head = pageHead({
    heading: title,
    above: html`${badge(KIND_WORDS[form.kind], "line")}${channel && (channel.active ? statusBadge("Enabled", "ok") : statusBadge("Disabled", "plain"))}`,
    actions: [
      channel && postButton(`${base}/test`, csrfToken, submitButton("Send a test", { icon: "send" })),
      channel &&
        confirmDialog(
          { words: "Remove", icon: "trash" },
          {
            id: "remove",
            heading: `Remove ${channel.name}?`,
            text: "It notifies nobody from now on. Messages already waiting are still sent.",
            action: `${base}/delete`,
            csrfToken,
            confirm: "Remove channel",
            keep: "Keep it",
          },
        ),
    ],
  });
  const body = channelForm({
    action: channel ? base : `${home}${PATH}`,
    form,
    shown: refused?.shown ?? (channel ? shownOf(channel) : {}),
    faults: refused?.faults ?? {},
    ...limits,
    csrfToken,
    isNew: !channel,
    mailIsOn: mailIsOn(platform.config),
  });
  return sendProjectPage(visited, {
    title,
    current: "operations",
    crumbs: [
      { label: "Operations", href: `${home}${OPERATIONS}` },
      { label: "Notifications", href: `${home}${PATH}` },
      { label: title.slice(0, 60) },
    ],
    main: html`${head}${stack([newSecret(visited), body, channel && (await deliveries(visited, channel, base))])}`,
    messages: refused?.message ? [{ kind: "bad", text: refused.message }] : [],
    failed: refused !== undefined,
    status: refused ? 422 : 200,
  });
}

/** Shows the signing secret of a webhook that was just created. */
function newSecret({ browser }: Visit): Html | false {
  const secret = browser.flash?.secrets?.channel;
  return (
    secret !== undefined &&
    card({
      id: "secret",
      heading: "Signing secret",
      lead: "Copy it now: it can’t be shown again. Every request is signed with it, as Standard Webhooks specifies.",
      body: secretField({
        id: "signing-secret",
        label: "Secret",
        value: secret,
        badge: badge("Shown once", "brass"),
      }),
      once: true,
    })
  );
}

async function deliveries(visited: Visit, channel: Channel, base: string): Promise<Html> {
  const { platform, browser } = visited;
  const page = queryPage(visited.request);
  const [found, now] = await Promise.all([
    findChannelDeliveries(platform.db, channel, rowsOf({ page, perPage: DELIVERIES_A_PAGE })),
    findNow(platform.db),
  ]);
  return deliveryCard({ base, ...found, page, now, csrfToken: browser.csrfToken });
}

/** Returns what the form shows of a channel, in the form in which unchanged fields are read back (decision 0246). */
function shownOf({ name, active, recipients, userIds, severities, events, integrationIds }: Channel): Shown {
  return {
    name,
    active,
    userIds,
    integrationIds: ascending(integrationIds),
    ...ticked({ recipients, severities, events }),
  };
}

/** A username, also as pages write it: `@dev`. */
function withoutAt(name: string): string {
  return name.replace(/^@/, "");
}

/** Ids as the form lists them; programs may have stored them in any order. */
function ascending(ids: readonly number[]): number[] {
  return [...ids].sort((a, b) => a - b);
}

/** Returns the ticked values in the order of the form. */
function ticked(of: Pick<ChannelForm, "recipients" | "severities" | "events">) {
  return {
    recipients: RECIPIENTS.filter((one) => of.recipients.includes(one)),
    severities: SEVERITIES.filter((one) => of.severities.includes(one)),
    events: CHANNEL_EVENTS.filter((one) => of.events.includes(one)),
  };
}

async function save(visited: Visit, before?: Channel): Promise<FastifyReply> {
  const { platform, request, reply, project } = visited;
  const form = typedForm(request, before);
  const shown = shownIn(request);
  try {
    const names = [
      ...new Set(
        form.users
          .split(/[\s,]+/)
          .map(withoutAt)
          .filter(Boolean),
      ),
    ];
    const userIds = await findUserIds(platform.db, names);
    if (userIds.length < names.length) throw new FieldProblem({ user_ids: ["must be usernames"] });
    const fields = {
      name: form.name.trim(),
      active: form.active,
      userIds,
      url: form.url.trim() || undefined,
      ...ticked(form),
      integrationIds: ascending(form.integrations.flatMap((id) => numberIn(id) ?? [])),
    };
    const given = (now: Channel) => ({ ...fields, ...now, url: undefined, ...changedIn(fields, shown) });
    const { channel, secret } = before
      ? { channel: await changeChannel(platform, visited.act, project, before.id, given), secret: undefined }
      : await createChannel(platform, visited.act, project, form.kind, fields);
    return await redirectWith(platform, request, reply, addressOf(visited, channel), {
      kind: "ok",
      text: before ? "Saved." : `${channel.name} was added.`,
      ...(secret ? { secrets: { channel: secret } } : {}),
    });
  } catch (error) {
    return show(visited, form, before, { ...refusalOf(error), shown });
  }
}

async function tryOut(visited: Visit, channel: Channel): Promise<FastifyReply> {
  const base = addressOf(visited, channel);
  try {
    const n = await testChannel(visited.platform, visited.project, channel);
    return await back(
      visited,
      `${base}#main`,
      "ok",
      n === 1 ? "A test is on its way." : `${n} tests are on their way.`,
    );
  } catch (error) {
    if (!(error instanceof Problem) || !/^(unprocessable|too_many)$/.test(error.kind)) throw error;
    return back(visited, base, "bad", error.message);
  }
}

async function sendAgain(visited: Visit, channel: Channel): Promise<FastifyReply> {
  const { platform, project, request } = visited;
  const id = idIn(formText(request, "delivery_id"));
  const isOn = await resend(platform.db, id, { projectId: project.id, purpose: purposeOf(channel) });
  return back(
    visited,
    `${addressOf(visited, channel)}#main`,
    isOn ? "ok" : "bad",
    isOn ? "It is sent again." : "It is no longer kept.",
  );
}

async function filled({ platform }: Visit, channel: Channel): Promise<ChannelForm> {
  const names = await listUsernames(platform.db, channel.userIds);
  return {
    ...channel,
    users: names.map(({ username }) => username).join(", "),
    url: "",
    integrations: channel.integrationIds.map(String),
  };
}
