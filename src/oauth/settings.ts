/** What the instance allows applications at all: the switches of the administrators (decision 0082). */
import { boolean, integer, nullable, type RowOf, row } from "../platform/row.ts";

/** What `GATEHOUSE_SECURITY_PROFILE` may say: what counts where the administrators have said nothing. */
export type SecurityProfile = "standard" | "hardened";

/** The settings as they are stored; null: the default of the security profile. */
export const SettingsRow = row({
  allowImplicit: nullable(boolean),
  allowPassword: nullable(boolean),
  allowQueryTokens: nullable(boolean),
  requirePkce: nullable(boolean),
  guardAdministrators: nullable(boolean),
  allowDynamicRegistration: nullable(boolean),
  allowLongLives: nullable(boolean),
  codeSeconds: nullable(integer),
});
export type StoredSettings = RowOf<typeof SettingsRow>;

/** The settings that are in effect. */
export interface Settings {
  /** `response_type=token`. */
  allowImplicit: boolean;
  /** `grant_type=password`. */
  allowPassword: boolean;
  /** Tokens in the address: `access_token`, `private_token` and `bearer_token`. */
  allowQueryTokens: boolean;
  /** Whether PKCE is required of confidential applications as well. */
  requirePkce: boolean;
  /** Administrators cannot give `api` to an application that is not trusted. */
  guardAdministrators: boolean;
  /** `POST /oauth/register`; no profile opens it. */
  allowDynamicRegistration: boolean;
  /** Tokens of an application may live longer than those of others, where it says so (decision 0194). */
  allowLongLives: boolean;
  /** Life of an authorization code, 60 to 600. */
  codeSeconds: number;
}

export const CODE_SECONDS = { least: 60, most: 600 } as const;

const PROFILES: Readonly<Record<SecurityProfile, Settings>> = {
  standard: {
    allowImplicit: true,
    allowPassword: true,
    allowQueryTokens: true,
    requirePkce: false,
    guardAdministrators: false,
    allowDynamicRegistration: false,
    allowLongLives: true,
    codeSeconds: 60,
  },
  hardened: {
    allowImplicit: false,
    allowPassword: false,
    allowQueryTokens: false,
    requirePkce: true,
    guardAdministrators: true,
    allowDynamicRegistration: false,
    allowLongLives: false,
    codeSeconds: 60,
  },
};

/** What a profile says by itself. */
export function settingsOf(profile: SecurityProfile): Settings {
  return PROFILES[profile];
}

/** What counts: what was stored, else what the profile says. */
export function settingsNow(stored: StoredSettings, profile: SecurityProfile): Settings {
  const said = Object.entries(stored).filter(([, value]) => value !== null);
  return { ...PROFILES[profile], ...Object.fromEntries(said) };
}

/**
 * Whether this application is kept from the accounts of administrators: of theirs `api` is power over the whole instance,
 * which only trusted applications get (decision 0082).
 */
export function sparesAdministrators(
  { guardAdministrators }: Pick<Settings, "guardAdministrators">,
  { trusted }: { trusted: boolean },
  scopes: readonly string[],
): boolean {
  return guardAdministrators && !trusted && scopes.includes("api");
}

/** The switches that are on or off, in the order in which they are shown. */
export const SWITCHES = [
  "allowImplicit",
  "allowPassword",
  "allowQueryTokens",
  "requirePkce",
  "guardAdministrators",
  "allowDynamicRegistration",
  "allowLongLives",
] as const satisfies readonly (keyof Settings)[];
export type Switch = (typeof SWITCHES)[number];
