/** The claims about a person in identity tokens and userinfo, by scope (OpenID Connect Core §5.1, §5.4). */
import { covers } from "../accounts/scope.ts";
import { avatarUrl } from "../accounts/user.ts";

/** The claims' source: a person, with absolute addresses. */
export interface KnownPerson {
  id: number;
  username: string;
  name: string;
  email: string;
  emailVerified: boolean;
  profileUrl: string;
  /** Empty: there is none that everybody may read. */
  website: string;
  pictureUrl: string;
  /** In the order of their paths, including inherited ones. */
  groups: readonly GroupOfPerson[];
}

/** A group that a person belongs to: as a member of it, with an own level, or by a group above it. */
export interface GroupOfPerson {
  fullPath: string;
  ownLevel: number | null;
}

/** Adds the addresses of the person's page and picture. */
export function knownPerson(
  found: Pick<KnownPerson, "id" | "username" | "name" | "email" | "website"> & { confirmedAt: Date | null },
  groups: readonly GroupOfPerson[],
  publicUrl: string,
): KnownPerson {
  return {
    id: found.id,
    username: found.username,
    name: found.name,
    email: found.email,
    emailVerified: found.confirmedAt !== null,
    profileUrl: `${publicUrl}/${found.username}`,
    website: found.website,
    pictureUrl: avatarUrl(found.id, publicUrl),
    groups,
  };
}

/** Access levels that have a claim of their own, with GitLab's names, which clients look for (decision 0264). */
const LEVEL_OF_CLAIM = {
  "https://gitlab.org/claims/groups/owner": 50,
  "https://gitlab.org/claims/groups/maintainer": 40,
  "https://gitlab.org/claims/groups/developer": 30,
} as const;

export const ROLE_CLAIMS = Object.keys(LEVEL_OF_CLAIM) as (keyof typeof LEVEL_OF_CLAIM)[];

/** All claims that a response may contain, for the metadata. */
export const CLAIMS = [
  "iss",
  "sub",
  "aud",
  "exp",
  "iat",
  "auth_time",
  "amr",
  "acr",
  "nonce",
  "at_hash",
  "sid",
  "name",
  "nickname",
  "preferred_username",
  "profile",
  "website",
  "picture",
  "groups",
  "groups_direct",
  ...ROLE_CLAIMS,
  "email",
  "email_verified",
] as const;

/**
 * Returns the claims of identity tokens and userinfo. `sub` is the number of the account, which never changes and is never
 * reused. Groups are named by their paths, as clients that authorize by group expect (decision 0123).
 */
export function claimsOf(person: KnownPerson, scopes: readonly string[]): Record<string, unknown> {
  return {
    sub: String(person.id),
    ...(covers(scopes, ["profile"])
      ? {
          name: person.name,
          nickname: person.username,
          preferred_username: person.username,
          profile: person.profileUrl,
          ...(person.website === "" ? {} : { website: person.website }),
          picture: person.pictureUrl,
          groups: person.groups.map(({ fullPath }) => fullPath),
          groups_direct: person.groups
            .filter(({ ownLevel }) => ownLevel !== null)
            .map(({ fullPath }) => fullPath),
        }
      : {}),
    ...(covers(scopes, ["email"]) ? { email: person.email, email_verified: person.emailVerified } : {}),
  };
}

/**
 * Returns the claims of userinfo alone: the groups in which the person is a direct Owner, Maintainer or Developer; a role without
 * groups has no claim (decision 0264).
 */
export function roleClaimsOf(person: KnownPerson, scopes: readonly string[]): Record<string, string[]> {
  if (!covers(scopes, ["profile"])) return {};
  const claims = Object.entries(LEVEL_OF_CLAIM).map(([claim, level]) => {
    const held = person.groups.filter(({ ownLevel }) => ownLevel === level);
    return [claim, held.map(({ fullPath }) => fullPath)] as const;
  });
  return Object.fromEntries(claims.filter(([, paths]) => paths.length > 0));
}

/** The values of `acr`: phishing-resistant, and phishing-resistant by a key that is bound to its device. */
export const CLASSES = ["phr", "phrh"] as const;

/**
 * Returns the claim `acr` (OpenID Connect EAP ACR Values 1.0 §2): a passkey works on our own origin only. Other sign-ins have no
 * standardized class, and `acr_values` is a voluntary claim (OpenID Connect Core §3.1.2.1).
 */
export function classClaim(by: readonly string[] | null): (typeof CLASSES)[number] | undefined {
  if (by?.includes("hwk")) return "phrh";
  return by?.includes("swk") ? "phr" : undefined;
}

/**
 * Returns the claim `amr` (OpenID Connect Core §2; RFC 8176 §2): the methods by which the person authenticated in the session,
 * with `mfa` if they were several; a passkey alone is, since it asks for a PIN or biometrics. Null if unknown.
 */
export function methodsClaim(by: readonly string[] | null): string[] | null {
  if (by === null) return null;
  const several = by.length > 1 || by.includes("hwk") || by.includes("swk");
  return several ? [...by, "mfa"] : [...by];
}
