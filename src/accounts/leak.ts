/** A secret of ours that somebody reports as found where others can read it (decision 0208). */
import { cutText } from "../platform/cut-text.ts";
import type { Platform } from "../platform/platform.ts";
import { digest, type SecretKind, secretKindOf, withoutSecrets } from "../platform/secret.ts";
import type { AuditNote } from "./audit.ts";

/** What a reporter says of one, and where it was; empty: nothing. */
export interface LeakReport {
  token: string;
  url: string;
  source: string;
}

/** One that has our form and a right checksum; nobody has looked it up yet. */
export interface Leak {
  kind: SecretKind;
  digest: Buffer;
  /** Of the reporter. */
  ip: string;
  /** For the log and the mail; never holds the secret. */
  details: NonNullable<AuditNote["details"]>;
}

/** Ends it, or tells those who can, if it is of a kind that it knows and counts still. */
export type AnswerLeak = (platform: Platform, leak: Leak) => Promise<void>;

/** What people call them; of the others nothing is known once they are reported. */
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

const MOST_OF_ADDRESS = 500;

/** Those that may be ours, each once; what has another form or a wrong checksum costs no lookup (reference reliability S52). */
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

/** As far as it is an address of the web, without a password in it, and one of the program's words. */
function placeOf({ url, source }: LeakReport): Record<string, string> {
  const address = URL.parse(url);
  const isPlace = address !== null && /^https?:$/.test(address.protocol);
  if (isPlace) {
    address.username = "";
    address.password = "";
  }
  return {
    ...(isPlace ? { found_at: cutText(withoutSecrets(address.href), MOST_OF_ADDRESS) } : {}),
    ...(/^[a-z][a-z_]{1,39}$/.test(source) ? { found_in: source.replaceAll("_", " ") } : {}),
  };
}
