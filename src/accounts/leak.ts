/** A secret of ours that was reported as found in public (decision 0208). */
import { cutText } from "../platform/cut-text.ts";
import type { Platform } from "../platform/platform.ts";
import { digest, type SecretKind, secretKindOf, withoutSecrets } from "../platform/secret.ts";
import type { AuditNote } from "./audit.ts";

/** A reported secret and where it was found; empty: unknown. */
export interface LeakReport {
  token: string;
  url: string;
  source: string;
}

/** A secret with our form and a valid checksum, not looked up yet. */
export interface Leak {
  kind: SecretKind;
  digest: Buffer;
  /** Network address of the reporter. */
  ip: string;
  /** For the audit log and the mail; never contains the secret. */
  details: NonNullable<AuditNote["details"]>;
}

/** Revokes the secret, or notifies those who can, if the handler knows its kind and it is still valid. */
export type AnswerLeak = (platform: Platform, leak: Leak) => Promise<void>;

/** The names of the kinds that are handled; reports of other kinds are ignored. */
const WORDS: Partial<Readonly<Record<SecretKind, string>>> = {
  personalAccessToken: "personal access token",
  accessToken: "access token of an application",
  refreshToken: "refresh token of an application",
  clientSecret: "client secret of an application",
  authorizationKey: "authorization key for alerts",
  eventSourceSecret: "secret of an event source",
  feedToken: "feed token",
  session: "session of a browser",
};

const MAX_OF_ADDRESS = 500;

/**
 * Returns the reports that may be secrets of ours, each once; another form or a wrong checksum costs no lookup (reference
 * reliability S52).
 */
export function leaksIn(reports: readonly LeakReport[], ip: string): Leak[] {
  const first = new Map(reports.toReversed().map((report) => [report.token, report]));
  return [...first.values()].flatMap((report) => {
    const kind = secretKindOf(report.token);
    if (kind === undefined || WORDS[kind] === undefined) return [];
    const id = digest(report.token);
    const details = { what: WORDS[kind], sha256: id.toString("hex").slice(0, 12), ...placeOf(report) };
    return [{ kind, digest: id, ip, details }];
  });
}

/**
 * Keeps the address if it is a web address, without a password in it, and the source if it is one word of the reporting program.
 */
function placeOf({ url, source }: LeakReport): Record<string, string> {
  const address = URL.parse(url);
  const isPlace = address !== null && /^https?:$/.test(address.protocol);
  if (isPlace) {
    address.username = "";
    address.password = "";
  }
  return {
    ...(isPlace ? { found_at: cutText(withoutSecrets(address.href), MAX_OF_ADDRESS) } : {}),
    ...(/^[a-z][a-z_]{1,39}$/.test(source) ? { found_in: source.replaceAll("_", " ") } : {}),
  };
}
