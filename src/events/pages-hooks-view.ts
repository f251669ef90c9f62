/** Views of the pages of hooks: the list, the form, the secret shown once, and the deliveries. */
import type { Delivery } from "../outbox/delivery.ts";
import type { Shown } from "../platform/form-shown.ts";
import { badge, statusBadge } from "../ui/badge.ts";
import { linkButton, submitButton } from "../ui/button.ts";
import { card, emptyState } from "../ui/card.ts";
import { choiceSet, switchField } from "../ui/choice.ts";
import { confirmDialog, postButton } from "../ui/dialog.ts";
import { errorSummary, type FormToken, faultOf, postForm, shownField, textField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { pastTheEnd } from "../ui/past-the-end.ts";
import { secretField } from "../ui/secret.ts";
import { stepPager, table } from "../ui/table.ts";
import { timeAgo } from "../ui/time.ts";
import type { Action } from "./event.ts";
import type { TargetFilter } from "./filter.ts";
import { type Hook, type HookFields, LONGEST_HOOK_URL } from "./hook.ts";
import { ACTION_LABELS, TARGET_LABELS } from "./pages-feed.ts";

export const DELIVERIES_A_PAGE = 20;

/** The values of the form, and their faults. */
export interface HookForm {
  fields: HookFields;
  /** Of an existing hook: the values that the form showed (decision 0246). */
  shown?: Shown;
  faults: Readonly<Record<string, readonly string[]>>;
}

export const EMPTY_HOOK: HookFields = {
  url: "",
  name: "",
  active: true,
  actions: [],
  targetTypes: [],
  confidential: false,
};

/** The list of a project's hooks, or its empty state. */
export function hooksCard(path: string, hooks: readonly Hook[], mayAdd: boolean): Html {
  const list = table<Hook>({
    caption: "Webhooks",
    rows: hooks,
    columns: [
      {
        head: "Name",
        rowHeader: true,
        cell: ({ id, name, host }) =>
          html`<a class="title wrap-any" href="${`${path}/${id}`}">${name}</a>${name !== host && html`<br><span class="sub wrap-any">${host}</span>`}`,
      },
      { head: "Sends", cell: (hook) => html`<span class="sub">${wordsOf(hook)}</span>` },
      { head: "Status", kind: "nowrap", cell: stateOf },
    ],
  });
  const empty = emptyState({
    heading: "Nothing is sent yet",
    text: "A webhook sends each event of this project to another service as it happens, signed.",
    action: mayAdd ? linkButton("New webhook", "#new", { icon: "plus" }) : undefined,
  });
  return card({ id: "hooks", heading: "Webhooks of this project", flush: hooks.length > 0 ? list : empty });
}

/** Whether a hook is on, as a badge. */
export function stateOf({ active }: Pick<Hook, "active">): Html {
  return active ? statusBadge("Enabled", "ok") : statusBadge("Disabled", "plain");
}

function wordsOf({ actions, targetTypes, confidential }: Hook): string {
  const what = actions.length > 0 ? actions.map((word) => ACTION_LABELS[word]).join(", ") : "Everything";
  const about =
    targetTypes.length > 0 ? ` on ${targetTypes.map((word) => TARGET_LABELS[word]).join(", ")}` : "";
  return `${what}${about}${confidential ? ", confidential too" : ""}`;
}

/** All actions and targets, grouped as people would look for them. */
const ACTION_GROUPS: Readonly<Record<string, readonly Action[]>> = {
  Work: ["created", "updated", "closed", "reopened", "destroyed"],
  "Code and talk": ["pushed", "commented", "approved", "merged"],
  Members: ["joined", "left", "expired"],
};
const TARGET_GROUPS: Readonly<Record<string, readonly TargetFilter[]>> = {
  Work: ["issue", "milestone", "wiki"],
  Code: ["push", "merge_request", "snippet"],
  Talk: ["note", "discussion_note", "diff_note"],
  "Project and people": ["project", "user"],
};

/** The form for a new or an existing hook. */
export function hookFormCard(
  action: string,
  csrfToken: FormToken,
  { fields, shown, faults }: HookForm,
  isNew: boolean,
): Html {
  const labels = { url: "Address", name: "Name" };
  const wrong = (field: keyof typeof labels) => faultOf(faults, field, labels[field]);
  const errors = (["url", "name"] as const).map((id) => ({ id, label: labels[id], error: wrong(id) }));
  const chosen = (
    words: readonly string[],
    labels: Readonly<Record<string, string>>,
    groups: Readonly<Record<string, readonly string[]>>,
  ) =>
    Object.entries(groups).flatMap(([group, all]) =>
      all.map((value) => ({ value, label: labels[value] ?? value, checked: words.includes(value), group })),
    );
  const submit = submitButton(isNew ? "Create webhook" : "Save changes", { tone: "primary" });
  return card({
    id: isNew ? "new" : "edit",
    heading: isNew ? "New webhook" : "Settings",
    body: postForm(
      { action, csrfToken, two: true },
      html`${shown && shownField(shown)}${errorSummary(errors)}
${textField({ name: "url", label: "Address", type: "url", value: fields.url, error: wrong("url"), required: true, full: true, maxlength: LONGEST_HOOK_URL, spellcheck: false, placeholder: "https://ci.example.org/hook", hint: "Each event is sent there as JSON, by POST." })}
${textField({ name: "name", label: "Name", note: "optional", value: fields.name, error: wrong("name"), maxlength: 255, full: true, hint: csrfToken === undefined ? undefined : "The host of the address when you leave it empty." })}
${choiceSet({ name: "actions", legend: "Only these actions", note: "none: all", many: true, choices: chosen(fields.actions, ACTION_LABELS, ACTION_GROUPS) })}
${choiceSet({ name: "target_types", legend: "Only these targets", note: "none: all", many: true, choices: chosen(fields.targetTypes, TARGET_LABELS, TARGET_GROUPS) })}
<div class="full">${switchField("confidential", "Confidential matters too", { checked: fields.confidential, hint: "confidential and internal issues and comments leave the project" })}</div>
<div class="full">${switchField("active", "Enabled", { checked: fields.active, hint: "sends events from now on" })}</div>`,
      submit,
    ),
  });
}

/** Shows the secret of a hook, once. */
export function hookSecretCard(secret: string): Html {
  return card({
    id: "ready",
    heading: "The signing secret",
    lead: "Copy it now: it can’t be shown again.",
    once: true,
    body: secretField({
      id: "hook-secret",
      label: "Secret",
      value: secret,
      badge: badge("Shown once", "brass"),
    }),
  });
}

export interface DeliveriesShown {
  deliveries: readonly Delivery[];
  page: number;
  total: number;
  now: Date;
}

/** The deliveries, each with a button to send it again. */
export function deliveriesCard(path: string, csrfToken: FormToken, shown: DeliveriesShown): Html {
  const { deliveries, page, total, now } = shown;
  const test = postButton(
    `${path}/test`,
    csrfToken,
    submitButton("Send a test", { size: "sm", icon: "send" }),
  );
  const list = table<Delivery>({
    caption: "Deliveries",
    rows: deliveries,
    columns: [
      { head: "Message", rowHeader: true, cell: ({ title }) => html`<code class="wrap-any">${title}</code>` },
      { head: "Result", cell: resultOf },
      { head: "Tries", kind: "num", cell: ({ attempts }) => attempts },
      { head: "When", kind: "nowrap", cell: ({ createdAt }) => timeAgo(createdAt, now) },
      {
        head: "Send again",
        hiddenHead: true,
        kind: "act",
        cell: ({ id, title }) =>
          postButton(
            `${path}/events/${id}/resend`,
            csrfToken,
            submitButton(html`Send again<span class="sr"> ${title}</span>`, { size: "sm", icon: "refresh" }),
          ),
      },
    ],
  });
  const hrefFor = (target: number) => `${path}?page=${target}#deliveries`;
  const empty =
    page > 1
      ? pastTheEnd("deliveries", hrefFor(1))
      : emptyState({
          heading: "Nothing sent yet",
          text: test
            ? "Send a test to see whether the receiver answers."
            : "Messages that are sent are listed here.",
        });
  return card({
    id: "deliveries",
    heading: "Deliveries",
    aside: test || undefined,
    flush: deliveries.length > 0 ? list : empty,
    footer: html`<span>Kept for 30 days.</span>${stepPager({
      newerHref: page > 1 && deliveries.length > 0 ? hrefFor(page - 1) : undefined,
      olderHref: page * DELIVERIES_A_PAGE < total ? hrefFor(page + 1) : undefined,
      label: "Pages of deliveries",
    })}`,
  });
}

function resultOf({ state, lastStatus, lastError }: Delivery): Html {
  const words = { sent: "Delivered", waiting: "Waiting", dead: "Given up" } as const;
  const tone = state === "sent" ? "ok" : state === "dead" ? "critical" : "plain";
  const why = lastError ? html`<br><span class="sub wrap-any">${lastError}</span>` : undefined;
  return html`<span>${statusBadge(words[state], tone)}${lastStatus !== null && html` <span class="sub">${lastStatus}</span>`}${why}</span>`;
}

/** The buttons that rotate the secret and delete the hook. */
export function hookDangerCard(path: string, csrfToken: string, { name }: Hook): Html {
  const rotate = postButton(
    `${path}/rotate`,
    csrfToken,
    submitButton("Make a new secret", { icon: "refresh" }),
  );
  const remove = confirmDialog(
    { words: "Remove", icon: "trash" },
    {
      id: "remove",
      heading: `Remove ${name}?`,
      text: "Nothing is sent there any more, and its secret becomes invalid.",
      action: `${path}/delete`,
      csrfToken,
      confirm: "Remove webhook",
      keep: "Keep it",
    },
  );
  return card({
    id: "danger",
    heading: "Secret and removal",
    body: html`<p class="text-2">For a day after a change, messages are also signed with the previous secret.</p><div class="btn-row mt">${rotate}${remove}</div>`,
  });
}
