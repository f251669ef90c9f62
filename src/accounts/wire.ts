/** User records on the API. */
import type { Described } from "../platform/answers.ts";
import { ABOUT_FIELDS, ABOUT_NAMES, type About, workWords } from "./about.ts";
import { avatarUrl, type User } from "./user.ts";
import type { AUTHOR } from "./wire-answers-author.ts";

/** The short record used as `author` of events, notes and members (spec: Event author). */
export type AuthorRecord = Described<typeof AUTHOR>;

type Person = Pick<User, "id" | "username" | "name" | "state">;

/** Returns the short record of a user; addresses are absolute. */
export function authorRecord(user: Person, publicUrl: string): AuthorRecord {
  return {
    id: user.id,
    username: user.username,
    name: user.name,
    state: user.state,
    locked: false,
    avatar_url: avatarUrl(user.id, publicUrl),
    web_url: `${publicUrl}/${user.username}`,
  };
}

/**
 * What every caller with `read_user` sees of a user: no mail address, no sign-in times (reference events B1), and no optional
 * fields of a private profile (decision 0157).
 */
function publicRecord(user: User, publicUrl: string) {
  return { ...recordOf(user, user.privateProfile ? {} : (user.about ?? {}), publicUrl), is_followed: false };
}

/** A user as the caller sees them: administrators see everything, others the public part (reference events B1). */
export function seenRecord(caller: { isAdmin: boolean }, user: User, publicUrl: string) {
  return caller.isAdmin ? ownRecord(user, true, publicUrl) : publicRecord(user, publicUrl);
}

function recordOf(user: User, about: About, publicUrl: string) {
  return {
    ...authorRecord(user, publicUrl),
    public_email: user.publicEmail,
    created_at: user.createdAt,
    ...aboutRecord(about),
    bot: user.bot !== null,
    local_time: null,
    followers: 0,
    following: 0,
  };
}

function aboutRecord(about: About) {
  const {
    bio = "",
    location = "",
    skype = "",
    linkedin = "",
    twitter = "",
    discord = "",
    github = "",
  } = about;
  const { websiteUrl = "", organization = "", jobTitle = "", pronouns = null } = about;
  return {
    ...{ bio, location, skype, linkedin, twitter, discord, website_url: websiteUrl, github, organization },
    ...{ job_title: jobTitle, pronouns, work_information: workWords(about) ?? null },
  };
}

/** Reads the optional profile fields from a body; null clears a field. */
export function aboutOf(body: Readonly<Record<string, unknown>>): About {
  const fields = ABOUT_NAMES.flatMap((field) => {
    const value = body[ABOUT_FIELDS[field].wire];
    if (value === undefined) return [];
    return [[field, typeof value === "string" ? value.replaceAll(/\r\n?/g, "\n").trim() : ""]];
  });
  return Object.fromEntries(fields);
}

/** A user as they see themselves, and as administrators see them, with the administrators' fields (contract §3, `GET /user`). */
export function ownRecord(user: User, seenByAdmin: boolean, publicUrl: string) {
  return {
    ...recordOf(user, user.about ?? {}, publicUrl),
    last_sign_in_at: user.lastSignInAt,
    confirmed_at: user.confirmedAt,
    last_activity_on: user.lastActivityOn,
    email: user.email,
    theme_id: 1,
    color_scheme_id: 1,
    projects_limit: 100_000,
    current_sign_in_at: user.currentSignInAt,
    identities: [],
    can_create_group: true,
    can_create_project: true,
    two_factor_enabled: user.twoFactor,
    external: false,
    private_profile: user.privateProfile,
    commit_email: user.email,
    namespace_id: user.namespaceId,
    ...(seenByAdmin ? { is_admin: user.isAdmin, note: user.note, created_by: null } : {}),
  };
}

/** The only mail address of an account, as an item of a list (GitLab v4 API shape, `GET /user/emails`). */
export function emailRecord({ id, email, confirmedAt }: Pick<User, "id" | "email" | "confirmedAt">) {
  return { id, email, confirmed_at: confirmedAt };
}
