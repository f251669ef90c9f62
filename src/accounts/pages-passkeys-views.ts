/** The card of passkeys: the list, and the form to add one. */
import { badge } from "../ui/badge.ts";
import { card } from "../ui/card.ts";
import { confirmDialog } from "../ui/dialog.ts";
import { textField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { passkeyForm } from "../ui/passkey-form.ts";
import { table } from "../ui/table.ts";
import { timeAgo, timeDay } from "../ui/time.ts";
import type { Shown } from "./pages-two-factor-views.ts";
import type { Passkey } from "./passkey.ts";

const HOME = "/profile/two_factor/passkeys";

/** What the card shows; `isOnly`: removing the only passkey turns two-factor sign-in off. */
export interface PasskeysShown {
  passkeys: readonly Passkey[];
  isOnly: boolean;
  /** The name of the current browser, as the default name of its passkey. */
  device: string;
  now: Date;
}

export function passkeysCard({ csrfToken, errors }: Shown, shown: PasskeysShown): Html {
  const { passkeys, device } = shown;
  const field = textField({
    id: "passkey-name",
    name: "name",
    label: "Name of the new passkey",
    value: device,
    hint: "So that you recognize it in this list.",
    maxlength: 100,
    required: true,
  });
  return card({
    id: "passkeys",
    heading: "Passkeys",
    lead: "Confirm that it’s you with your device or a security key: by fingerprint, face or PIN. A passkey works with or without your password, and only at the real address of this Gatehouse.",
    flush: passkeys.length > 0 ? passkeyTable(csrfToken, shown) : undefined,
    body: html`${passkeyForm({ kind: "create", action: HOME, options: `${HOME}/options`, csrfToken, inside: field, button: "Add a passkey", look: { tone: passkeys.length > 0 ? undefined : "primary" }, error: errors.passkey })}
<noscript><p class="text-2">Adding a passkey needs a browser that runs scripts.</p></noscript>`,
  });
}

function passkeyTable(csrfToken: string, { passkeys, isOnly, now }: PasskeysShown): Html {
  return table<Passkey>({
    caption: "Your passkeys",
    rows: passkeys,
    columns: [
      {
        head: "Name",
        rowHeader: true,
        cell: ({ name, backedUp }) =>
          html`<span class="title">${name}</span>${backedUp && html` ${badge("Synced", "line")}`}`,
      },
      { head: "Added", kind: "nowrap", cell: ({ createdAt }) => timeDay(createdAt) },
      {
        head: "Last used",
        kind: "nowrap",
        cell: ({ lastUsedAt }) => (lastUsedAt ? timeAgo(lastUsedAt, now) : "Never"),
      },
      {
        head: "Actions",
        hiddenHead: true,
        cell: (passkey) =>
          html`<div class="btn-row">${renaming(csrfToken, passkey)}${removing(csrfToken, passkey, isOnly)}</div>`,
      },
    ],
  });
}

function renaming(csrfToken: string, { id, name }: Passkey): Html {
  return confirmDialog(
    { words: "Rename", about: name, size: "sm" },
    {
      id: `rename-${id}`,
      heading: "Rename the passkey",
      text: "A name that tells you which device or key it is.",
      action: `${HOME}/${id}/name`,
      csrfToken,
      inside: textField({
        id: `name-${id}`,
        name: "name",
        label: "Name",
        value: name,
        maxlength: 100,
        required: true,
      }),
      confirm: "Rename",
      keep: "Leave it",
      harmless: true,
    },
  );
}

function removing(csrfToken: string, { id, name }: Passkey, isOnly: boolean): Html {
  const last =
    "It is your only second factor: two-factor sign-in is off then, and the recovery codes are void.";
  return confirmDialog(
    { words: "Remove", about: name, size: "sm" },
    {
      id: `remove-${id}`,
      heading: `Remove ${name}?`,
      text: isOnly ? last : "It no longer opens anything here. Delete it on the device too.",
      action: `${HOME}/${id}/remove`,
      csrfToken,
      confirm: "Remove the passkey",
      keep: "Keep it",
    },
  );
}
