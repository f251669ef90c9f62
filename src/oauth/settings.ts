/** The settings of the instance for applications, which administrators change (decision 0082). */
import { boolean, integer, nullable, type RowOf, row } from "../platform/row.ts";

/** The values of `GATEHOUSE_SECURITY_PROFILE`, which sets the defaults. */
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
  /** Whether tokens in the address are accepted: `access_token`, `private_token` and `bearer_token`. */
  allowQueryTokens: boolean;
  /** Whether PKCE is required of confidential applications as well. */
  requirePkce: boolean;
  /** Whether applications that are not trusted cannot get `api` for the accounts of administrators. */
  guardAdministrators: boolean;
  /** `POST /oauth/register`; off in every profile. */
  allowDynamicRegistration: boolean;
  /** Whether an application may have its own longer lifetimes of tokens (decision 0194). */
  allowLongLives: boolean;
  /** Lifetime of an authorization code, 60 to 600. */
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

/** The defaults of a profile. */
export function settingsOf(profile: SecurityProfile): Settings {
  return PROFILES[profile];
}

/** The settings in effect: the stored ones, else the defaults of the profile. */
export function settingsNow(stored: StoredSettings, profile: SecurityProfile): Settings {
  const said = Object.entries(stored).filter(([, value]) => value !== null);
  return { ...PROFILES[profile], ...Object.fromEntries(said) };
}

/**
 * Whether the settings keep this application from the accounts of administrators, where `api` means full access to the instance,
 * which only trusted applications may have (decision 0082).
 */
export function mayNotActForAdministrators(
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
