/** The card with the signature settings of an integration (decision 0110). */
import type { FastifyReply } from "fastify";
import { redirectWith } from "../accounts/browser.ts";
import { formText } from "../platform/form-text.ts";
import { FieldProblem } from "../platform/problem.ts";
import { submitButton } from "../ui/button.ts";
import { card } from "../ui/card.ts";
import { errorSummary, passwordField, postForm, selectField, textField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { changeIntegration } from "./change-integration.ts";
import type { Integration } from "./integration.ts";
import { faultWords, type Visit } from "./pages-frame.ts";
import { SIGNATURES, type SignatureKind } from "./signature.ts";

const WORDS: Readonly<Record<SignatureKind, string>> = {
  standard_webhooks: "Standard Webhooks",
  hmac_sha256: "HMAC-SHA256 of the body",
  sentry: "Sentry",
  grafana: "Grafana",
};

/** The refused values, without the secret: that is never shown again. */
export interface RefusedSignature {
  kind: string;
  header: string;
  faults: Readonly<Record<string, readonly string[]>>;
}

/** Returns the form; `path` is the page of the integration. */
export function signatureCard(
  { browser }: Visit,
  one: Integration,
  path: string,
  refused: RefusedSignature | undefined,
): Html {
  const faults = refused?.faults ?? {};
  const kind = refused?.kind ?? one.signature ?? "";
  const fields = [
    { id: "signature", label: "Signature" },
    { id: "signature_header", label: "Header" },
    { id: "signature_secret", label: "Signing secret" },
  ].map((field) => ({ ...field, error: faultWords(field.label, faults[field.id]) }));
  const options = SIGNATURES.map((value) => ({ value, label: WORDS[value] }));
  return card({
    id: "signing",
    heading: "Signature",
    body: postForm(
      { action: `${path}/signature`, csrfToken: browser.csrfToken, two: true },
      html`${errorSummary(fields)}
${selectField({ name: "signature", label: "Requests must be signed", value: kind, options: [{ value: "", label: "No, the key is enough" }, ...options], error: faultWords("Signature", faults.signature) })}
${textField({ name: "signature_header", label: "Header", note: "optional", value: refused?.header ?? one.signatureHeader ?? "", placeholder: "the usual one of its kind", autocomplete: "off", spellcheck: false, maxlength: 64, error: faultWords("Header", faults.signature_header) })}
${browser.csrfToken !== undefined && passwordField({ name: "signature_secret", label: "Signing secret", full: true, autocomplete: "new-password", note: one.signature ? "leave empty to keep the one that is set" : undefined, hint: "The sender signs its requests with it. It isn’t shown again.", error: faultWords("Signing secret", faults.signature_secret) })}`,
      submitButton("Save signature"),
    ),
  });
}

/** Saves the form, or shows the page again with the errors. */
export async function saveSignature(
  { platform, request, reply, project, act }: Visit,
  one: Integration,
  path: string,
  showAgain: (refused: RefusedSignature) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const kind = formText(request, "signature");
  const header = formText(request, "signature_header").trim().toLowerCase();
  const secret = formText(request, "signature_secret").trim();
  const signature = SIGNATURES.find((known) => known === kind) ?? null;
  try {
    if (!signature && kind !== "") throw new FieldProblem({ signature: ["is not one of the choices"] });
    await changeIntegration(platform, act, project, one.id, {
      signature,
      signatureHeader: signature ? header || null : null,
      // Without a signature the secret is ignored: a browser may have filled it in.
      ...(signature && secret ? { signatureSecret: secret } : {}),
    });
  } catch (error) {
    if (!(error instanceof FieldProblem)) throw error;
    return showAgain({ kind, header, faults: error.fields });
  }
  const text = signature ? "Requests must be signed from now on." : "Requests need no signature.";
  return redirectWith(platform, request, reply, path, { kind: "ok", text });
}
