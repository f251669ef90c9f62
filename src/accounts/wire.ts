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
