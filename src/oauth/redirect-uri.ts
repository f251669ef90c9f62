/** Redirect URIs: which may be registered, which a request may name, and how a response is attached to one. */

/** Schemes that run scripts or show local content, and must never get a response (reference oauth A3, D5). */
const FORBIDDEN = new Set(
  "javascript data vbscript blob file filesystem about view-source chrome chrome-extension ws wss ftp intent mailto".split(
    " ",
  ),
);
const LONGEST = 2048;
const MOST = 50;

/** Splits the addresses of a registration, which are separated by blanks or line breaks; duplicates are dropped. */
export function splitRedirectUris(text: string): string[] {
  return [...new Set(text.split(/[ \t\r\n]+/).filter((uri) => uri !== ""))];
}

const ROOM_IN_REASONS = 500;

/** Lists registered addresses for a reason: as many as there is room for, any truncation marked, with the number of the rest. */
export function registeredWords(uris: readonly string[]): string {
  const shown: string[] = [];
  let room = ROOM_IN_REASONS;
  for (const uri of uris) {
    room -= uri.length + 1;
    if (room < 0 && shown.length > 0) break;
    shown.push(room < 0 ? `${uri.slice(0, ROOM_IN_REASONS)}…` : uri);
  }
  const more = uris.length - shown.length;
  return uris.length === 0 ? "none" : `${shown.join(" ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Returns what is wrong with the list of a registration, as the words that follow the field's name, each once. */
export function redirectUriFaults(uris: readonly string[]): string[] {
  if (uris.length > MOST) return [`has too many entries (maximum is ${MOST})`];
  return [...new Set(uris.map(redirectUriFault).filter((fault) => fault !== undefined))];
}

/** The same for addresses after a sign-out, which cannot be a page of this server. */
export function postLogoutUriFaults(uris: readonly string[]): string[] {
  const wrong = redirectUriFaults(uris);
  return uris.some(isOutOfBand) ? [...wrong, "cannot be a page of this server"] : wrong;
}

/** For programs without a page of their own: the code is shown to the person, who copies it (reference oauth A1). */
const OUT_OF_BAND = ["urn:ietf:wg:oauth:2.0:oob", "urn:ietf:wg:oauth:2.0:oob:auto"];

/** The page of ours that shows a code. */
export const OUT_OF_BAND_PAGE = "/oauth/authorize/native";

/** Whether this stands for our page that shows the code. */
export function isOutOfBand(uri: string): boolean {
  return OUT_OF_BAND.includes(uri);
}

/** What is wrong with one address, or undefined. Plain http is for development and allowed (spec: Authentication 9). */
export function redirectUriFault(uri: string): string | undefined {
  if (uri.length > LONGEST) return `is too long (maximum is ${LONGEST} characters)`;
  // Rejects everything that two parsers could read differently: controls, blanks, non-ASCII, backslashes, quotes.
  if (!/^[\x21-\x7e]+$/.test(uri) || /[\\"<>^`{|}]/.test(uri)) return "must be a valid URI.";
  const scheme = schemeOf(uri);
  if (scheme === undefined) return "must be an absolute URI.";
  if (FORBIDDEN.has(scheme)) return "is forbidden by the server.";
  if (isOutOfBand(uri)) return undefined;
  if (uri.includes("#")) return "cannot contain a fragment.";
  // `localhost:4000/cb` would be read as a scheme "localhost".
  if (!uri.startsWith("/", scheme.length + 1)) return "must specify a scheme.";
  const url = URL.parse(uri);
  if (!url) return "must be a valid URI.";
  if (scheme === "http" || scheme === "https") {
    if (!/^https?:\/\/[^/?]/i.test(uri)) return "must be a valid URI.";
  }
  // Addresses are compared literally, so that one with a wildcard would match nothing (reference oauth C14).
  if (url.host.includes("*")) return "cannot contain a wildcard.";
  if (url.username || url.password || uri.split("/")[2]?.includes("@")) {
    return "cannot contain a user name or password.";
  }
  return undefined;
}

/**
 * Whether a request may name this address: it must equal a registered one character by character, except for the port of a
 * loopback IP literal (RFC 8252 §7.3; reference oauth A3).
 */
export function matchesRedirectUri(registered: readonly string[], asked: string): boolean {
  // Rows may be older than these rules.
  if (FORBIDDEN.has(schemeOf(asked) ?? "javascript")) return false;
  if (registered.includes(asked)) return true;
  const loopback = loopbackParts(asked);
  return (
    loopback !== undefined &&
    registered.some((uri) => {
      const known = loopbackParts(uri);
      return known !== undefined && known.host === loopback.host && known.rest === loopback.rest;
    })
  );
}

/**
 * Whether a response to this address stays on the person's own machine, unencrypted: a loopback IP, or `localhost`
 * (RFC 8252 §7.3, §8.3).
 */
export function isOnOwnMachine(uri: string): boolean {
  return loopbackParts(uri) !== undefined || /^http:\/\/localhost(?::\d{1,5})?(?:[/?]|$)/i.test(uri);
}

function loopbackParts(uri: string): { host: string; rest: string } | undefined {
  const parts = /^http:\/\/(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::(\d{1,5}))?([/?][\x21-\x7e]*)?$/.exec(
    uri,
  );
  if (!parts || Number(parts[2] ?? 80) > 65_535) return undefined;
  return { host: parts[1] ?? "", rest: parts[3] ?? "" };
}

/** How a response is sent; `form_post` is carried as a fragment until the page turns it into a form. */
export const RESPONSE_MODES = ["query", "fragment", "form_post"] as const;
export type ResponseMode = (typeof RESPONSE_MODES)[number];

/** The longest `state` that is sent back, in bytes: it becomes part of an address. */
export const MAX_STATE_BYTES = 4096;

/**
 * Returns the address with a response attached. A registered query stays as it is; parameters of the response replace those of
 * the same name, so that none is repeated (RFC 6749 §3.1.2, §4.1.2, §4.2.2). A blank becomes `%20`, which all clients decode; `+`
 * would be kept by those that do not decode responses as a form.
 */
export function withAnswer(
  uri: string,
  answer: Readonly<Record<string, string | number | undefined>>,
  mode: ResponseMode,
): string {
  const members = new URLSearchParams();
  for (const [name, value] of Object.entries(answer))
    if (value !== undefined) members.set(name, String(value));
  const written = members.toString().replaceAll("+", "%20");
  if (mode !== "query") return `${uri}#${written}`;
  const [base = "", query = ""] = splitOnce(uri, "?");
  const kept = query.split("&").filter((pair) => pair !== "" && !members.has(nameOf(pair)));
  return `${base}?${[...kept, written].join("&")}`;
}

function nameOf(pair: string): string {
  return [...new URLSearchParams(pair).keys()][0] ?? "";
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** The origin of a web address, or just the scheme (`tidewatch:`) of any other: shown to people, and used in the CSP. */
export function originOf(uri: string): string {
  const scheme = schemeOf(uri) ?? "";
  return scheme === "http" || scheme === "https" ? (URL.parse(uri)?.origin ?? `${scheme}:`) : `${scheme}:`;
}

/**
 * Returns the address as a source of the `form-action` directive: its scheme alone if the host is an IPv6 literal, which the
 * grammar of the directive lacks, or may contain characters that would end the directive.
 */
export function formActionOf(uri: string): string {
  const origin = originOf(uri);
  return /^[^:]+:(\/\/[\w.-]+(:\d+)?)?$/.test(origin) ? origin : origin.slice(0, origin.indexOf(":") + 1);
}

/** Whether responses to this address are unencrypted, over a network or on the machine itself. */
export function isPlainHttp(uri: string): boolean {
  return schemeOf(uri) === "http";
}

/**
 * Whether an address that matched certainly belongs to the registered site: with https by its certificate, with http if it is
 * exactly the registered address. A loopback port or a scheme can be taken by any program (RFC 8252 §7.1, §7.3, §8.6).
 */
export function isOfSite(uri: string, registered: readonly string[]): boolean {
  const scheme = schemeOf(uri);
  return scheme === "https" || (scheme === "http" && registered.includes(uri));
}

function schemeOf(uri: string): string | undefined {
  return /^([a-z][a-z0-9+.-]*):/i.exec(uri)?.[1]?.toLowerCase();
}

/** Whether it is an http or https address, not one of an installed application. */
export function isWebAddress(uri: string): boolean {
  return /^https?:/i.test(uri);
}
