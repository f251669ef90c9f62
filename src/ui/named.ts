/** A person or thing in a table row: its mark, its name, and a line below that distinguishes it from others of that name. */
import { type Html, html } from "./html.ts";

/** @param mark a face or a tile of size 2 */
export function named(mark: Html, name: Html, below: Html | string): Html {
  return html`<span class="who">${mark}<span>${name}<br><span class="sub">${below}</span></span></span>`;
}
