/** The public keys of an application, in its form and on its page (decision 0206). */

import { thumbprintOf } from "../platform/jwt.ts";
import { choiceSet } from "../ui/choice.ts";
import { textArea } from "../ui/form.ts";
import { attrs, type Html, html } from "../ui/html.ts";
import { keysIn, type PublicJwk, type SetKeys } from "./public-keys.ts";
import { shownKeys } from "./wire-keys.ts";

/** The fields, collapsed while nothing is set or faulty. */
export function keysFields(set: SetKeys, fault: (name: string) => string | undefined): Html {
  const faults = [fault("jwks"), fault("only_by_key")];
  const isOpen = set.jwks !== "" || set.onlyByKey || faults.some((words) => words !== undefined);
  return html`<details class="more full"${attrs({ open: isOpen })}><summary>Public keys</summary><div class="form two mt-s">
${textArea({
  name: "jwks",
  label: "Public keys",
  note: "optional",
  rows: 6,
  code: true,
  full: true,
  value: shownKeys(set.jwks),
  error: faults[0],
  placeholder: '{"keys": […]}',
  hint: "A JWK Set. The application signs with the private key that it keeps, and no secret goes over the wire (private_key_jwt). RSA from 2048 bits, EC with P-256 or P-384, Ed25519. Never paste a private key.",
})}
${choiceSet({
  name: "only_by_key",
  legend: "Client secret",
  many: true,
  error: faults[1],
  choices: [
    {
      value: "1",
      label: "Only by key",
      hint: "The secret stops working. Turn this on once the application uses its key.",
      checked: set.onlyByKey,
    },
  ],
})}</div></details>`;
}

/** Lists the thumbprint of each key, to be compared with what the application shows of its own. */
export function keysList(jwks: string): Html | undefined {
  if (jwks === "") return undefined;
  return html`${keysIn(jwks).map(
    (key) =>
      html`<code class="wrap-any">${thumbprintOf(key)}</code><br><span class="sub wrap-any">${kindWords(key)}</span><br>`,
  )}`;
}

function kindWords({ kty, crv, kid, alg }: PublicJwk): string {
  const kind = kty === "RSA" ? "RSA" : kty === "EC" ? `EC ${crv}` : String(crv);
  return [kind, alg && `${alg} alone`, kid && `kid “${kid}”`].filter(Boolean).join(", ");
}
