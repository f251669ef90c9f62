/** User records as the API shows them. */
import type { User } from "./user.ts";

/** The short record that stands as `author` on events, notes and members (spec: Event author). */
export interface AuthorRecord {
  id: number;
  username: string;
  name: string;
  state: string;
  locked: boolean;
  avatar_url: string;
  web_url: string;
}

type Person = Pick<User, "id" | "username" | "name" | "state">;

/** Folds a user to the short record; addresses are absolute. */
export function authorRecord(user: Person, publicUrl: string): AuthorRecord {
  return {
    id: user.id,
    username: user.username,
    name: user.name,
    state: user.state,
    locked: false,
    avatar_url: `${publicUrl}/-/avatars/${user.id}.svg`,
    web_url: `${publicUrl}/${user.username}`,
  };
}

/** What anyone with `read_user` sees of a user: no address, no sign-in times (reference events B1). */
export function publicRecord(user: User, publicUrl: string) {
  return {
    ...authorRecord(user, publicUrl),
    public_email: user.publicEmail,
    created_at: user.createdAt,
    bio: "",
    location: "",
    skype: "",
    linkedin: "",
    twitter: "",
    discord: "",
    website_url: "",
    github: "",
    organization: "",
    job_title: "",
    pronouns: null,
    bot: user.bot !== null,
    work_information: null,
    local_time: null,
    followers: 0,
    following: 0,
    is_followed: false,
  };
}

/** A user as seen by themselves and by administrators, who also learn who is one (contract §3, `GET /user`). */
export function ownRecord(user: User, seenByAdmin: boolean, publicUrl: string) {
  const { is_followed: _, ...visible } = publicRecord(user, publicUrl);
  return {
    ...visible,
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
    ...(seenByAdmin ? { is_admin: user.isAdmin, note: null, created_by: null } : {}),
  };
}

/** The one mail address of an account, in a list of its own (GitLab v4 API shape, `GET /user/emails`). */
export function emailRecord({ id, email, confirmedAt }: Pick<User, "id" | "email" | "confirmedAt">) {
  return { id, email, confirmed_at: confirmedAt };
}
