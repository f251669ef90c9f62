/** Messages of a page: results, failures, warnings and notes. */
import { attrs, type Html, html } from "./html.ts";
import { type IconName, icon } from "./icon.ts";

/** The kind of a message; `bad` interrupts a screen reader, the others wait. */
export type MessageKind = "ok" | "bad" | "warn" | "note";

/** The content of a message; `dismiss` adds a button that removes it (needs the script). */
export type Message = { kind: MessageKind; text: Html | string; id?: string; dismiss?: boolean };

const icons: Record<MessageKind, IconName> = { ok: "check", bad: "bad", warn: "warn", note: "bell" };

/** A message: `role=alert` for failures, `role=status` for results, none for standing notes (WCAG 4.1.3). */
export function message(said: Message): Html {
  const role = said.kind === "bad" ? "alert" : said.kind === "ok" ? "status" : undefined;
  return html`<div class="msg ${said.kind}"${attrs({ id: said.id, role })}>${icon(icons[said.kind])}<p>${said.text}</p>${said.dismiss && dismissButton()}</div>`;
}

function dismissButton(): Html {
  return html`<button class="btn quiet icon sm js" type="button" data-dismiss aria-label="Dismiss">${icon("x", 16)}</button>`;
}
