/** A second, simple implementation of event visibility: it uses the rows that people wrote, and no derived data. */
import { rowsOfTargets, type TargetFilter } from "../../src/events/filter.ts";
import type { Db } from "../../src/platform/db.ts";
import { boolean, instant, integer, nullable, type RowOf, row, text } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";

const UserRow = row({ id: integer, username: text, isAdmin: boolean, state: text, isPrivate: boolean });
const GroupRow = row({
  id: integer,
  parent: nullable(integer),
  visibility: text,
  owner: nullable(integer),
  kind: text,
});
const PlaceRow = row({ id: integer, namespace: integer, visibility: text, days: nullable(integer) });
const RoleRow = row({
  user: integer,
  namespace: nullable(integer),
  project: nullable(integer),
  level: integer,
});
const HappenedRow = row({
  id: integer,
  project: integer,
  author: integer,
  action: text,
  type: nullable(text),
  at: instant,
  noteable: nullable(text),
  internal: boolean,
  /** The searched text, besides titles. */
  words: text,
});
export type Happened = RowOf<typeof HappenedRow>;

/** What one event said about its target, and when; a later arrival has a larger number. */
export interface Said {
  arrival: number;
  at: number;
  confidential?: boolean | undefined;
  assignees?: readonly number[] | undefined;
  /** Only events about its creation name the author of a target; an outside person may since be linked to a user. */
  author?: (() => number | undefined) | undefined;
}

/** Everything that was said about a target, by its name. */
export type Sayings = ReadonlyMap<string, readonly Said[]>;

/** The state of the world at one moment. */
export interface Facts {
  now: number;
  users: RowOf<typeof UserRow>[];
  groups: RowOf<typeof GroupRow>[];
  projects: RowOf<typeof PlaceRow>[];
  /** Roles that have not expired. */
  roles: RowOf<typeof RoleRow>[];
  events: Happened[];
}

/** Reads nothing of `cap`, lineage, sums or counts. */
export async function readFacts(db: Db): Promise<Facts> {
  const [now, users, groups, projects, roles, events] = await Promise.all([
    db.one(row({ now: instant }), sql`select now() as now`),
    db.many(
      UserRow,
      sql`select id, username, is_admin, state, private_profile as is_private from users where not is_placeholder`,
    ),
    db.many(
      GroupRow,
      sql`select id, parent_id as parent, visibility, owner_id as owner, kind from namespaces where removal_began_at is null`,
    ),
    db.many(
      PlaceRow,
      sql`select id, namespace_id as namespace, visibility, event_retention_days as days from projects where removal_began_at is null`,
    ),
    db.many(
      RoleRow,
      sql`select user_id as user, namespace_id as namespace, project_id as project, access_level::integer as level
        from members where expires_at is null or expires_at > now()`,
    ),
    db.many(
      HappenedRow,
      sql`select id, project_id as project, author_id as author, action::text as action, target_type::text as type,
        created_at as at, note ->> 'noteableType' as noteable, coalesce((note ->> 'internal')::boolean, false) as internal,
        coalesce(note ->> 'body', push_data ->> 'commitTitle', '') as words from events`,
    ),
  ]);
  return { now: now.now.getTime(), users, groups, projects, roles, events };
}

/** A signed-in person; undefined: nobody. */
export type Viewer = { id: number } | undefined;

/** The filters of a list. */
export interface Wish {
  action?: readonly string[] | undefined;
  target?: readonly TargetFilter[] | undefined;
  notAction?: readonly string[] | undefined;
  notTarget?: readonly TargetFilter[] | undefined;
  authors?: readonly number[] | undefined;
  notAuthors?: readonly number[] | undefined;
  group?: number | undefined;
  search?: string | undefined;
  /** A half-open range, in milliseconds. */
  from?: number | undefined;
  to?: number | undefined;
}

export type Whose =
  | { own: true }
  | { all: true }
  | { user: number }
  | { project: number }
  | { group: number };

const DAY = 86_400_000;
const COUNTED: Readonly<Record<string, readonly string[]>> = {
  issue: ["created", "closed"],
  merge_request: ["created", "closed", "merged", "approved"],
};

/** Judges each event separately, by the rules of contract §4 and reference events A9 in their order. */
export class VisibilityModel {
  readonly #facts: Facts;
  readonly #targetOf: ReadonlyMap<number, string>;
  readonly #sayings: Sayings;
  readonly #isWritten: (id: number) => boolean;

  /**
   * @param isWritten whether somebody sent this event: of the service's own events, those about incidents are for Reporters
   */
  constructor(
    facts: Facts,
    targetOf: ReadonlyMap<number, string>,
    sayings: Sayings,
    isWritten: (id: number) => boolean,
  ) {
    this.#facts = facts;
    this.#targetOf = targetOf;
    this.#sayings = sayings;
    this.#isWritten = isWritten;
  }

  /** Undefined: the list does not exist for this viewer. */
  list(viewer: Viewer, whose: Whose, wish: Wish = {}): Happened[] | undefined {
    if (!viewer && ("own" in whose || "all" in whose || "user" in whose)) return undefined;
    if ("project" in whose && !this.seesProject(viewer, whose.project)) return undefined;
    if ("group" in whose && !this.seesGroup(viewer, whose.group)) return undefined;
    if (wish.group !== undefined && !this.seesGroup(viewer, wish.group)) return undefined;
    if ("user" in whose) {
      const user = this.#facts.users.find(({ id }) => id === whose.user);
      if (!user) return undefined;
      if (user.isPrivate && user.id !== viewer?.id && !this.#isAdmin(viewer)) return [];
    }
    return this.#facts.events
      .filter(
        (event) =>
          this.#isOf(event, viewer, whose) && this.#isWished(event, wish) && this.sees(viewer, event),
      )
      .sort((a, b) => b.at.getTime() - a.at.getTime() || b.id - a.id);
  }

  /** Contributions by UTC day. */
  calendar(viewer: { id: number }, user: number, from: number): Record<string, number> | undefined {
    const days: Record<string, number> = {};
    const seen = this.list(viewer, { user }, { from });
    for (const { action, type, at } of seen ?? []) {
      const kind =
        type === "MergeRequest"
          ? "merge_request"
          : ["Issue", "WorkItem", "Incident"].includes(type ?? "")
            ? "issue"
            : "";
      if (action !== "pushed" && action !== "commented" && !COUNTED[kind]?.includes(action)) continue;
      const day = at.toISOString().slice(0, 10);
      days[day] = (days[day] ?? 0) + 1;
    }
    return seen && days;
  }

  seesProject(viewer: Viewer, id: number): boolean {
    const project = this.#facts.projects.find((one) => one.id === id);
    if (!project) return false;
    return this.#isOpen(viewer, project.visibility) || this.#isAdmin(viewer) || this.level(viewer, id) > 0;
  }

  /** A private group is visible to people with a role in it, or in a group above or below it. */
  seesGroup(viewer: Viewer, id: number): boolean {
    const group = this.#facts.groups.find((one) => one.id === id && one.kind === "group");
    if (!group) return false;
    if (this.#isOpen(viewer, group.visibility) || this.#isAdmin(viewer)) return true;
    const around = this.#chain(id);
    return this.#rolesOf(viewer).some(({ namespace, project }) => {
      if (namespace !== null && around.includes(namespace)) return true;
      const below = namespace ?? this.#facts.projects.find((one) => one.id === project)?.namespace;
      return below !== undefined && this.#chain(below).includes(id);
    });
  }

  /** The highest role in the project and all groups above it, not counting administrator rights. */
  level(viewer: Viewer, projectId: number): number {
    const project = this.#facts.projects.find(({ id }) => id === projectId);
    if (!project || !viewer) return 0;
    const around = this.#chain(project.namespace);
    const owns = this.#facts.groups.some(({ id, owner }) => around.includes(id) && owner === viewer.id);
    const levels = this.#rolesOf(viewer)
      .filter(
        (role) => role.project === projectId || (role.namespace !== null && around.includes(role.namespace)),
      )
      .map(({ level }) => level);
    return Math.max(0, owns ? 50 : 0, ...levels);
  }

  sees(viewer: Viewer, event: Happened): boolean {
    const project = this.#facts.projects.find(({ id }) => id === event.project);
    if (!project) return false;
    if (event.at.getTime() < this.#facts.now - (project.days ?? 730) * DAY) return false;
    if (this.#isAdmin(viewer)) return true;
    const level = this.level(viewer, project.id);
    if (level >= 20) return true;
    if (!this.#isWritten(event.id) && ["Incident", "Note"].includes(event.type ?? "")) return false;
    const isOpen = this.#isOpen(viewer, project.visibility);
    const subject = event.noteable ?? event.type;
    const isCode = event.action === "pushed" || subject === "MergeRequest" || subject === "Commit";
    // Visibility of the project's events, apart from confidentiality.
    if (!isOpen && (level < 10 || isCode)) return false;
    const isPlanners = !isCode && level >= 15;
    if (event.internal) return isPlanners;
    const target = this.#targetOf.get(event.id);
    if (target === undefined || !this.isConfidential(target)) return true;
    return isPlanners || (viewer !== undefined && this.#isTheirs(target, viewer.id));
  }

  /** Whether the event is visible only because the viewer created its target or is assigned to it. */
  seesAsTheirs(viewer: Viewer, event: Happened): boolean {
    const target = this.#targetOf.get(event.id);
    if (target === undefined || !this.isConfidential(target) || !this.sees(viewer, event)) return false;
    return !this.#isAdmin(viewer) && this.level(viewer, event.project) < 15;
  }

  isConfidential(target: string): boolean {
    return newest(this.#sayings.get(target) ?? [], ({ confidential }) => confidential) ?? false;
  }

  #isTheirs(target: string, user: number): boolean {
    const sayings = this.#sayings.get(target) ?? [];
    const assignees = newest(sayings, (said) => said.assignees) ?? [];
    const authors = sayings.filter(({ author }) => author !== undefined);
    const first = authors.sort((a, b) => a.at - b.at || a.arrival - b.arrival)[0]?.author?.();
    return first === user || assignees.includes(user);
  }

  #isOf(event: Happened, viewer: Viewer, whose: Whose): boolean {
    if ("own" in whose) return event.author === viewer?.id;
    if ("all" in whose) return this.level(viewer, event.project) > 0;
    if ("user" in whose) return event.author === whose.user;
    if ("project" in whose) return event.project === whose.project;
    return this.#isIn(event, whose.group);
  }

  #isIn(event: Happened, group: number): boolean {
    const project = this.#facts.projects.find(({ id }) => id === event.project);
    return project !== undefined && this.#chain(project.namespace).includes(group);
  }

  #isWished(event: Happened, wish: Wish): boolean {
    const isAny = (words: readonly TargetFilter[]) => {
      const { types, targetless } = rowsOfTargets(words);
      return event.type === null
        ? (targetless as string[]).includes(event.action)
        : (types as string[]).includes(event.type);
    };
    const at = event.at.getTime();
    return (
      (!wish.action || wish.action.includes(event.action)) &&
      !wish.notAction?.includes(event.action) &&
      (!wish.target || isAny(wish.target)) &&
      !(wish.notTarget && isAny(wish.notTarget)) &&
      (!wish.authors || wish.authors.includes(event.author)) &&
      !wish.notAuthors?.includes(event.author) &&
      (wish.group === undefined || this.#isIn(event, wish.group)) &&
      (wish.search === undefined || event.words.toLowerCase().includes(wish.search.toLowerCase())) &&
      at >= (wish.from ?? 0) &&
      at < (wish.to ?? Number.POSITIVE_INFINITY)
    );
  }

  #isOpen(viewer: Viewer, visibility: string): boolean {
    return visibility === "public" || (visibility === "internal" && viewer !== undefined);
  }

  #isAdmin(viewer: Viewer): boolean {
    return this.#facts.users.some(({ id, isAdmin }) => id === viewer?.id && isAdmin);
  }

  #rolesOf(viewer: Viewer) {
    return this.#facts.roles.filter(({ user }) => user === viewer?.id);
  }

  /** A namespace and all above it, by their parents. */
  #chain(id: number): number[] {
    const namespace = this.#facts.groups.find((one) => one.id === id);
    if (!namespace) return [];
    return [id, ...(namespace.parent === null ? [] : this.#chain(namespace.parent))];
  }
}

/** The newest value by time, and by arrival if times are equal. */
function newest<T>(sayings: readonly Said[], member: (said: Said) => T | undefined): T | undefined {
  const said = sayings.filter((one) => member(one) !== undefined);
  const last = said.sort((a, b) => b.at - a.at || b.arrival - a.arrival)[0];
  return last && member(last);
}
