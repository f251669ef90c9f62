/** The form fields of an application, for a new one and for changes. */
import { SCOPE_WORDS, SCOPES } from "../accounts/scope.ts";
import { badge, fullAccessBadge } from "../ui/badge.ts";
import { checkbox, choiceSet } from "../ui/choice.ts";
import { errorSummary, selectField, textArea, textField } from "../ui/form.ts";
import { attrs, type Html, html } from "../ui/html.ts";
import { type ApplicationFields, type GrantType, OFFERED_GRANT_TYPES } from "./application.ts";
import { LIFETIME_FIELDS } from "./lifetimes.ts";
import { keysFields } from "./pages-application-keys.ts";
import { lifetimeFields } from "./pages-application-lifetimes.ts";
import { redirectUriFault } from "./redirect-uri.ts";

/** Faults, by the wire names of the fields. */
export type FormFaults = Readonly<Record<string, readonly string[]>>;

/** The title and explanation of each flow. */
export const GRANT_WORDS: Readonly<Record<GrantType, { title: string; detail: string }>> = {
  authorization_code: {
    title: "Authorization code",
    detail: "People sign in here and come back with a code. The right choice for almost everything.",
  },
  refresh_token: {
    title: "Refresh token",
    detail: "The application renews its access by itself, until its refresh tokens expire.",
  },
  implicit: {
    title: "Implicit grant",
    detail:
      "For old browser-only applications: the token is part of the address, where others may see it. Prefer the authorization code.",
  },
  password: {
    title: "Password",
    detail:
      "The application asks for people’s passwords itself. Only for your own programs on your own servers. Needs the client secret, even if the application is not confidential.",
  },
  client_credentials: {
    title: "Client credentials",
    detail:
      "The application acts for its owner, without a browser. If it belongs to a group or to the instance, it has an account of its own, which you add to projects like a person.",
  },
  device_code: {
    title: "Device",
    detail: "For TVs and command lines: people type a short code on another device.",
  },
};

/** The name of the field for addresses after a sign-out. */
const AFTER = "post_logout_redirect_uris";

/** The name of the field for the address that receives logout tokens. */
const BACK = "backchannel_logout_uri";

/** Settings of the form besides the values of its fields. */
export interface FormLook {
  /** Flows that the administrators have switched off. */
  closed: readonly GrantType[];
  /** Undefined: the viewer may not set it. */
  trusted: boolean | undefined;
  /** Whether lifetimes may be longer than the default. */
  allowsLong: boolean;
}

/** All fields with the entered values and their faults, after a summary of the faults. */
export function applicationFormFields(
  fields: ApplicationFields,
  faults: FormFaults | undefined,
  look: FormLook,
): Html {
  const fault = (name: string) =>
    (name === "redirect_uri"
      ? uriFaults("The redirect URI", fields.redirectUris, faults?.[name])
      : undefined) ??
    (name === AFTER ? uriFaults("The address", fields.postLogoutRedirectUris, faults?.[name]) : undefined) ??
    faults?.[name]?.map((words) => sentence(NAMES[name] ?? name, words)).join(" ");
  return html`${errorSummary([
    { id: "name", label: "Name", error: fault("name") },
    { id: "home_page", label: "Home page", error: fault("home_page") },
    { id: "redirect_uri", label: "Redirect URIs", error: fault("redirect_uri") },
    { id: "scopes", label: "Scopes", error: fault("scopes") },
    { id: "grant_types", label: "Flows", error: fault("grant_types") },
    { id: "trusted", label: "Trusted", error: fault("trusted") },
    { id: AFTER, label: "Post-logout redirect URIs", error: fault(AFTER) },
    { id: BACK, label: "Back-channel logout URI", error: fault(BACK) },
    { id: "jwks", label: "Public keys", error: fault("jwks") },
    { id: "only_by_key", label: "Only by key", error: fault("only_by_key") },
    ...Object.entries(LIFETIME_LABELS).map(([id, label]) => ({ id, label, error: fault(id) })),
  ])}
${textField({ name: "name", label: "Name", value: fields.name, error: fault("name"), autocomplete: "off", required: true, maxlength: 255 })}
${textField({ name: "home_page", label: "Home page", note: "optional", type: "url", value: fields.homePage, error: fault("home_page"), placeholder: "https://", spellcheck: false })}
${textArea({
  name: "redirect_uri",
  label: "Redirect URIs",
  rows: 3,
  code: true,
  full: true,
  value: fields.redirectUris.join("\n"),
  error: fault("redirect_uri"),
  hint: html`One per line. People can be sent only to these exact addresses. Plain HTTP is for development; on 127.0.0.1 the port may differ. A program without a web page uses <code class="wrap-any">urn:ietf:wg:oauth:2.0:oob</code>: people copy the code.`,
})}
${choiceSet({
  name: "scopes",
  legend: "Scopes",
  note: "pick the smallest set that works",
  many: true,
  error: fault("scopes"),
  choices: SCOPES.map((scope) => ({
    value: scope,
    label: scope,
    hint: `${SCOPE_WORDS[scope].title}. ${SCOPE_WORDS[scope].detail}.`,
    badge: scope === "api" ? fullAccessBadge() : undefined,
    checked: fields.scopes.includes(scope),
  })),
})}
${choiceSet({
  name: "grant_types",
  legend: "Flows",
  many: true,
  error: fault("grant_types"),
  choices: OFFERED_GRANT_TYPES.map((type) => ({
    value: type,
    label: GRANT_WORDS[type].title,
    hint: GRANT_WORDS[type].detail,
    badge: look.closed.includes(type) ? badge("Switched off here") : undefined,
    checked: fields.grantTypes.includes(type),
  })),
})}
<div class="field full"><span class="label">Client type</span>${checkbox("confidential", {
    value: "1",
    label: "Confidential",
    hint: "The application runs on a server and can keep the client secret. Clear this for mobile and browser-only applications; they must use PKCE.",
    checked: fields.confidential,
  })}</div>
${look.trusted !== undefined && trustField(look.trusted, fault("trusted"))}
${lifetimeFields(fields, look.allowsLong, fault)}
${keysFields(fields, fault)}
${rareFields(fields, fault)}`;
}

/** Fields that few applications need, collapsed while none of them is set or faulty. */
function rareFields(fields: ApplicationFields, fault: (name: string) => string | undefined): Html {
  const isSet =
    fields.postLogoutRedirectUris.length > 0 ||
    fields.backchannelLogoutUri !== "" ||
    fields.backchannelLogoutSessionRequired ||
    fields.omitIss ||
    fields.requirePushed ||
    fields.boundTokensOnly ||
    fields.idTokenAlgorithm !== ALGORITHMS[0].value ||
    [AFTER, BACK].some((name) => fault(name) !== undefined);
  return html`<details class="more full"${attrs({ open: isSet })}><summary>Requests, sign-out and tokens</summary><div class="form two mt-s">
${textArea({
  name: AFTER,
  label: "Post-logout redirect URIs",
  note: "optional",
  rows: 2,
  code: true,
  full: true,
  value: fields.postLogoutRedirectUris.join("\n"),
  error: fault(AFTER),
  hint: "For OpenID Connect: the addresses that the application may send people to once it signed them out here. One per line, exact.",
})}
${logoutFields(fields, fault(BACK))}
<div class="field full">${checkbox("omit_iss", {
    value: "1",
    label: "Leave the issuer out of redirects",
    hint: "Only for clients that refuse an unknown parameter iss; it protects against mixed-up servers (RFC 9207).",
    checked: fields.omitIss,
  })}</div>
${pushedField(fields.requirePushed)}${boundField(fields.boundTokensOnly)}
${selectField({ name: "id_token_signed_response_alg", label: "ID token signing algorithm", value: fields.idTokenAlgorithm, options: ALGORITHMS, hint: "For OpenID Connect (scope openid). Every client can read RS256." })}</div></details>`;
}

function pushedField(checked: boolean): Html {
  return html`<div class="field full">${checkbox("require_pushed_authorization_requests", {
    value: "1",
    label: "Require pushed authorization requests",
    hint: html`The application sends each authorization request to <code>/oauth/par</code> first (RFC 9126). Nobody else can begin a sign-in for it then, if it is confidential.`,
    checked,
  })}</div>`;
}

function boundField(checked: boolean): Html {
  return html`<div class="field full">${checkbox("dpop_bound_access_tokens", {
    value: "1",
    label: "Require DPoP-bound tokens",
    hint: "For clients that use DPoP (RFC 9449): a stolen token is of no use without the key. Requests for a token without a proof are refused, and the implicit grant too.",
    checked,
  })}</div>`;
}

/** The address that receives logout tokens, and whether these must name the session. */
function logoutFields(fields: ApplicationFields, error: string | undefined): Html {
  return html`${textField({
    name: BACK,
    label: "Back-channel logout URI",
    note: "optional",
    type: "url",
    value: fields.backchannelLogoutUri,
    error,
    full: true,
    placeholder: "https://",
    spellcheck: false,
    hint: "For OpenID Connect: when a session ends here, a signed logout token is posted to this address of your server (Back-Channel Logout).",
  })}
<div class="field full">${checkbox("backchannel_logout_session_required", {
    value: "1",
    label: "Always include the session (sid)",
    hint: "Only for applications that find people’s sessions by sid alone. Without it, one token stands for all sessions of a person where all of them end.",
    checked: fields.backchannelLogoutSessionRequired,
  })}</div>`;
}

/** Shown to administrators only. */
function trustField(trusted: boolean, error: string | undefined): Html {
  return choiceSet({
    name: "trusted",
    legend: "Trust",
    many: true,
    error,
    choices: [
      {
        value: "1",
        label: "Trusted",
        hint: "People are not asked for consent. Only for your own confidential applications.",
        checked: trusted,
      },
    ],
  });
}

const ALGORITHMS = [
  { value: "RS256", label: "RS256 (RSA)" },
  { value: "ES256", label: "ES256 (elliptic curve)" },
] as const;

/** Says which line is faulty, and why; undefined if no single line is. */
function uriFaults(
  noun: string,
  uris: readonly string[],
  faults: readonly string[] | undefined,
): string | undefined {
  if (faults === undefined) return undefined;
  const lines = uris.map((uri, index) => {
    const fault = redirectUriFault(uri);
    return fault && sentence(uris.length > 1 ? `Line ${index + 1}` : noun, fault);
  });
  return lines.filter(Boolean).join(" ") || undefined;
}

const LIFETIME_LABELS = {
  [LIFETIME_FIELDS.accessTokenSeconds]: "The life of access tokens",
  [LIFETIME_FIELDS.refreshIdleSeconds]: "The life of refresh tokens without use",
  [LIFETIME_FIELDS.refreshAbsoluteSeconds]: "The life of refresh tokens in all",
};

const NAMES: Readonly<Record<string, string>> = {
  name: "The name",
  home_page: "The home page",
  redirect_uri: "The list of redirect URIs",
  post_logout_redirect_uris: "The list of addresses after signing out",
  backchannel_logout_uri: "The address",
  scopes: "The choice of scopes",
  grant_types: "The choice of flows",
  trusted: "Trust",
  jwks: "The field of public keys",
  only_by_key: "“Only by key”",
  ...LIFETIME_LABELS,
};

/** Makes a sentence of a fault such as "must be a valid URI.". */
function sentence(subject: string, words: string): string {
  return `${subject} ${words.replace(/\.?$/, ".")}`;
}
