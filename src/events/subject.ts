/** Whose events a list holds. */

/** Known to be visible: by anyone in one project, by one author, or by anyone in many projects. */
export type Subject =
  | { kind: "project"; projectId: number; visibility: string; access: number }
  | { kind: "author"; authorId: number }
  /** In the projects of a group and of the groups below it. */
  | { kind: "group"; groupId: number }
  /** In the projects in which the asker has a role. */
  | { kind: "memberships" };

/** As the request names it, so that the asker may turn out not to see it: a project by id or path, a person by id or username. */
type NamedSubject = { kind: "reference"; reference: string } | { kind: "person"; person: string };

export type SoughtSubject = Subject | NamedSubject;

/** The events of this project, as far as whoever has this access to it may see them. */
export function ofProject(project: { id: number; visibility: string; access: number }): Subject {
  const { id, visibility, access } = project;
  return { kind: "project", projectId: id, visibility, access };
}

/** What callers ask for without naming anybody: by the scope `all` everything in their projects, else what they did themselves. */
export function ofCaller({ id }: { id: number }, scope: unknown): Subject {
  return scope === "all" ? { kind: "memberships" } : { kind: "author", authorId: id };
}

/** Whether a list has events of many people, so that it can be filtered by author. */
export function isOfMany({ kind }: Subject): boolean {
  return kind !== "author";
}

/** Whether a list is over many projects, each of which the asker may see or not. */
export function isWide({ kind }: SoughtSubject): boolean {
  return kind === "memberships" || kind === "group";
}

/** Whether the events are those of one project. */
export function isOfProject({ kind }: SoughtSubject): boolean {
  return kind === "project" || kind === "reference";
}
