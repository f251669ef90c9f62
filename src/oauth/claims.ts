/** What identity tokens and userinfo say of a person, scope by scope (OpenID Connect Core §5.1, §5.4). */
import { covers } from "../accounts/scope.ts";
import { avatarUrl } from "../accounts/user.ts";

/** What is known of a person, with absolute addresses. */
export interface KnownPerson {
  id: number;
  username: string;
  name: string;
  email: string;
  emailVerified: boolean;
  profileUrl: string;
  /** Empty: none that everybody may read. */
  website: string;
  pictureUrl: string;
  /** In the order of their paths, inherited ones too. */
  groups: readonly GroupOfPerson[];
}

/** A group that a person belongs to: itself, with a level of its own, or by a group above it. */
export interface GroupOfPerson {
  fullPath: string;
  ownLevel: number | null;
}

/** A person with the addresses of their page and their picture. */
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

/** Access levels that have a claim of their own, under GitLab's very names, since programs look for those (decision 0264). */
const LEVEL_OF_CLAIM = {
  "https://gitlab.org/claims/groups/owner": 50,
  "https://gitlab.org/claims/groups/maintainer": 40,
  "https://gitlab.org/claims/groups/developer": 30,
} as const;

export const ROLE_CLAIMS = Object.keys(LEVEL_OF_CLAIM) as (keyof typeof LEVEL_OF_CLAIM)[];

/** All that may ever stand in an answer, for the metadata. */
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
 * `sub` is the number of the account: it never changes and is never given again. Groups are named by their paths, as
 * programs that let people in by their groups read them (decision 0123).
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
 * What userinfo alone tells besides: the groups in which a membership in the very group makes the person Owner, Maintainer or
 * Developer; nothing of a role that they have in none (decision 0264).
 */
export function roleClaimsOf(person: KnownPerson, scopes: readonly string[]): Record<string, string[]> {
  if (!covers(scopes, ["profile"])) return {};
  const claims = Object.entries(LEVEL_OF_CLAIM).map(([claim, level]) => {
    const held = person.groups.filter(({ ownLevel }) => ownLevel === level);
    return [claim, held.map(({ fullPath }) => fullPath)] as const;
  });
  return Object.fromEntries(claims.filter(([, paths]) => paths.length > 0));
}

/** The classes that `acr` can name: proof against phishing, the second of a key that never leaves its device. */
export const CLASSES = ["phr", "phrh"] as const;

/**
 * The claim `acr` (OpenID Connect EAP ACR Values 1.0 §2): a passkey answers only to our own address. Other sign-ins have
 * no class that a standard names, and `acr_values` asks for none with force (OpenID Connect Core §3.1.2.1).
 */
export function classClaim(by: readonly string[] | null): (typeof CLASSES)[number] | undefined {
  if (by?.includes("hwk")) return "phrh";
  return by?.includes("swk") ? "phr" : undefined;
}

/**
 * The claim `amr` (OpenID Connect Core §2; RFC 8176 §2): by what the person proved themselves in the session, and `mfa`
 * where that was more than one thing; a passkey has asked its owner for a PIN or a finger. Null where it is not known.
 */
export function methodsClaim(by: readonly string[] | null): string[] | null {
  if (by === null) return null;
  const several = by.length > 1 || by.includes("hwk") || by.includes("swk");
  return several ? [...by, "mfa"] : [...by];
}
