/** Creates the demo's people, groups and projects, with everybody's roles. */
import { createUser } from "../accounts/create-user.ts";
import type { Namespace } from "../accounts/namespace.ts";
import { readablePassword } from "../accounts/password.ts";
import type { Db } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import { addEnvironment } from "../projects/add-environment.ts";
import { addMembers } from "../projects/change-members.ts";
import { createGroup } from "../projects/create-group.ts";
import { createProject } from "../projects/create-project.ts";
import type { RecordHappenings } from "../projects/happenings.ts";
import { ROLES, type Role } from "../projects/role.ts";
import { type DemoProject, GROUPS, MAIL_DOMAIN, PEOPLE, PROJECTS, type Username } from "./cast.ts";

export interface SettledPerson {
  id: number;
  username: Username;
  name: string;
  email: string;
  /** Shown once; only its hash is stored. */
  password: string;
}

export type SettledProject = DemoProject & { id: number; fullPath: string; ownerId: number };

export interface SettledCast {
  people: readonly SettledPerson[];
  groups: readonly Namespace[];
  projects: readonly SettledProject[];
  idOf(username: Username): number;
}

/**
 * Creates everything; refuses names that are taken.
 * @throws Problem conflict: a username or path is taken
 */
export async function settleCast(platform: Platform): Promise<SettledCast> {
  const { db } = platform;
  const people: SettledPerson[] = [];
  for (const { username, name } of PEOPLE) {
    const email = `${username}@${MAIL_DOMAIN}`;
    const password = readablePassword();
    const fields = { username, name, email, password };
    const id = await named(username, createUser(platform, fields, db));
    people.push({ id, username, name, email, password });
  }
  const ids = new Map(people.map(({ username, id }) => [username, id]));
  const idOf = (username: Username) => ids.get(username) as number;
  const groups: Namespace[] = [];
  for (const { owner, ...fields } of GROUPS) {
    groups.push(await named(fields.path, createGroup(db, { id: idOf(owner), isAdmin: false }, fields)));
  }
  const projects: SettledProject[] = [];
  for (const project of PROJECTS) projects.push(await settleProject(db, project, groups, idOf));
  return { people, groups, projects, idOf };
}

async function settleProject(
  db: Db,
  project: DemoProject,
  groups: readonly Namespace[],
  idOf: SettledCast["idOf"],
): Promise<SettledProject> {
  const namespace = groups.find(({ path }) => path === project.group) as Namespace;
  const owner = GROUPS.find(({ path }) => path === project.group)?.owner as Username;
  const { path, name, description, visibility } = project;
  const ownerId = idOf(owner);
  const actor = { id: ownerId, isAdmin: false };
  const id = await createProject(db, ownerId, { namespace, path, name, description, visibility });
  const place = { source: { projectId: id }, access: ROLES.owner };
  for (const [username, role] of Object.entries(project.members) as [Username, Role][]) {
    const member = { accessLevel: ROLES[role], expiresAt: null };
    await addMembers({ db, record: recordNothing, place, actor }, [idOf(username)], member);
  }
  for (const environment of project.environments) await addEnvironment(db, ownerId, id, environment);
  return { ...project, id, fullPath: `${namespace.fullPath}/${path}`, ownerId };
}

/** The demo's history contains these events already, with their own times. */
const recordNothing: RecordHappenings = async () => {};

/** Adds the name to the error if it is taken. */
async function named<T>(name: string, making: Promise<T>): Promise<T> {
  try {
    return await making;
  } catch (error) {
    if (!(error instanceof FieldProblem)) throw error;
    throw new Problem("conflict", `The demo needs the name ${name}: ${error.message}. Nothing was created.`);
  }
}
