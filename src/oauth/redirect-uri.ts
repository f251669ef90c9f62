/** Redirect URIs: which may be registered, which one a request may name, and how an answer is attached to one. */

/** Schemes that run script or show local content; never a place to send an answer to (reference oauth A3, D5). */
const FORBIDDEN = new Set(
  "javascript data vbscript blob file filesystem about view-source chrome chrome-extension ws wss ftp intent mailto".split(
    " ",
  ),
);
const LONGEST = 2048;
const MOST = 50;

/** The lines of a registration: separated by blanks or line breaks, each once. */
export function splitRedirectUris(text: string): string[] {
  return [...new Set(text.split(/[ \t\r\n]+/).filter((uri) => uri !== ""))];
}

const ROOM_IN_REASONS = 500;

/** The addresses of a registration for a reason: as many as there is room for, none cut unmarked, and how many more there are. */
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

/** What is wrong with the whole list of a registration, in the words that follow the field's name, each once. */
export function redirectUriFaults(uris: readonly string[]): string[] {
  if (uris.length > MOST) return [`has too many entries (maximum is ${MOST})`];
  return [...new Set(uris.map(redirectUriFault).filter((fault) => fault !== undefined))];
}

/** The same for the addresses after a sign-out, which cannot be a page of this server. */
export function postLogoutUriFaults(uris: readonly string[]): string[] {
  const wrong = redirectUriFaults(uris);
  return uris.some(isOutOfBand) ? [...wrong, "cannot be a page of this server"] : wrong;
}

/** For programs without a page of their own: the code is shown to the person, who copies it (reference oauth A1). */
const OUT_OF_BAND = ["urn:ietf:wg:oauth:2.0:oob", "urn:ietf:wg:oauth:2.0:oob:auto"];

/** The page of ours that shows a code. */
export const OUT_OF_BAND_PAGE = "/oauth/authorize/native";

/** Whether this stands for the page of ours that shows the code. */
export function isOutOfBand(uri: string): boolean {
  return OUT_OF_BAND.includes(uri);
}

/** What is wrong with one address, or undefined. Plain http is for development and allowed (spec: Authentication 9). */
export function redirectUriFault(uri: string): string | undefined {
  if (uri.length > LONGEST) return `is too long (maximum is ${LONGEST} characters)`;
  // Anything that two parsers could read differently: controls, blanks, non-ASCII, backslashes, quotes.
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
  // Addresses are compared as they stand, so that one with a star would fit nothing (reference oauth C14).
  if (url.host.includes("*")) return "cannot contain a wildcard.";
  if (url.username || url.password || uri.split("/")[2]?.includes("@")) {
    return "cannot contain a user name or password.";
  }
  return undefined;
}

/**
 * Whether a request may name this address: equal, character by character, to a registered one; only the port of a
 * loopback IP literal may differ (RFC 8252 §7.3; reference oauth A3).
 */
export function matchesRedirectUri(registered: readonly string[], asked: string): boolean {
  // Rows may be older than the rules.
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

/** Whether an answer to this address stays on the machine of the person, unencrypted: a loopback IP, or its name (RFC 8252 §7.3, §8.3). */
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

/** How an answer travels; `form_post` is carried as a fragment until the page makes a form of it. */
export const RESPONSE_MODES = ["query", "fragment", "form_post"] as const;
export type ResponseMode = (typeof RESPONSE_MODES)[number];

/**
 * The address with an answer attached. A query that was registered stays as it is written; members of the answer
 * replace members of the same name, so that each stands once (RFC 6749 §3.1.2, §4.1.2, §4.2.2). A blank is `%20`, which
 * a client reads as one whether it takes an answer for a form or for parts of an address; as `+` the second would keep it.
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

/** The origin of a web address, or the bare scheme (`tidewatch:`) of any other: what people are told, and CSP allows. */
export function originOf(uri: string): string {
  const scheme = schemeOf(uri) ?? "";
  return scheme === "http" || scheme === "https" ? (URL.parse(uri)?.origin ?? `${scheme}:`) : `${scheme}:`;
}

/**
 * As a source of the `form-action` directive. Its grammar knows no IPv6 literals, and a host may hold signs that would end
 * the directive, so there the scheme stands.
 */
export function formActionOf(uri: string): string {
  const origin = originOf(uri);
  return /^[^:]+:(\/\/[\w.-]+(:\d+)?)?$/.test(origin) ? origin : origin.slice(0, origin.indexOf(":") + 1);
}

/** Whether answers to this address travel unencrypted over a network or the machine itself. */
export function isPlainHttp(uri: string): boolean {
  return schemeOf(uri) === "http";
}

/**
 * Whether an address is that of a site which was registered: behind https a certificate says so, with http it is the very
 * address. A port that was left open and a scheme are whoever's that takes them (RFC 8252 §7.1, §7.3, §8.6).
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
