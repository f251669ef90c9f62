/** API routes for users: the caller, people by id and name, and their administration. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { answering } from "../platform/answers.ts";
import { onPage, pageOf, rowsOf, setPageHeaders } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { ParameterProblem, Problem } from "../platform/problem.ts";
import { momentOf } from "../platform/query-members.ts";
import { actOf, type Caller, callerOf, needsAdministrator, needsScope } from "./caller.ts";
import { changeState } from "./change-state.ts";
import { changeUser, type UserEdit } from "./change-user.ts";
import { createUser } from "./create-user.ts";
import { createUserWithLink } from "./create-user-with-link.ts";
import { randomPassword } from "./password.ts";
import type { UserFields } from "./prepare-user.ts";
import type { RemovePerson } from "./removal.ts";
import { countUsers, findUserByReference, listUsers, type UserFilter } from "./store-users.ts";
import type { User } from "./user.ts";
import { aboutOf, emailRecord, ownRecord, seenRecord } from "./wire.ts";
import {
  CHANGED_USER_ANSWERS,
  EMAILS_ANSWERS,
  NEW_USER_ANSWERS,
  OWN_USER_ANSWERS,
  REMOVED_USER_ANSWERS,
  USER_ANSWERS,
  USER_EMAILS_ANSWERS,
  USER_STATE_ANSWERS,
  USERS_ANSWERS,
} from "./wire-answers.ts";
import {
  EmailsQuery,
  NewUserBody,
  RemovalQuery,
  UserBody,
  UserParameters,
  UsersQuery,
} from "./wire-users.ts";

type ById = { Params: { id: string } };

/** `/user`, `/users…` below `/api/v4` (contract §3). */
export function userRoutes(app: FastifyInstance, platform: Platform, remove: RemovePerson): void {
  readRoutes(app, platform);
  administrationRoutes(app, platform, remove);
}

function readRoutes(app: FastifyInstance, platform: Platform): void {
  const { config } = platform;
  const reads = needsScope(platform, "read_user", "read_api", "api");
  // The lookup of the token has read the user already: no further statement is needed.
  app.get("/user", answering(reads, OWN_USER_ANSWERS), async (request) => {
    const caller = callerOf(request);
    return ownRecord(caller, caller.isAdmin, config.publicUrl);
  });
  // Some sign-in clients read this besides `GET /user`; an account has exactly one address.
  app.get<{ Querystring: EmailsQuery }>(
    "/user/emails",
    { ...answering(reads, EMAILS_ANSWERS), schema: { querystring: EmailsQuery } },
    async (request, reply) => {
      const page = pageOf(request.query);
      setPageHeaders(request, reply, config.publicUrl, page, 1);
      return onPage([emailRecord(callerOf(request))], page);
    },
  );
  app.get<{ Querystring: UsersQuery }>(
    "/users",
    { ...answering(reads, USERS_ANSWERS), schema: { querystring: UsersQuery } },
    async (request, reply) => sendUsers(platform, request, reply),
  );
  app.get<ById>(
    "/users/:id",
    { ...answering(reads, USER_ANSWERS), schema: { params: UserParameters } },
    async (request) =>
      seenRecord(callerOf(request), await userFor(platform, request.params.id), config.publicUrl),
  );
}

/** Creating, changing, blocking and removing users, and their mail addresses, for administrators. */
function administrationRoutes(app: FastifyInstance, platform: Platform, remove: RemovePerson): void {
  const { db, config } = platform;
  const administers = needsAdministrator(platform, "api");
  app.post<{ Body: NewUserBody }>(
    "/users",
    { ...answering(administers, NEW_USER_ANSWERS), schema: { body: NewUserBody } },
    async (request, reply) => {
      const fields = newUserOf(request.body);
      const id = request.body.reset_password
        ? await createUserWithLink(platform, fields, actOf(request))
        : await createUser(platform, fields, undefined, actOf(request));
      return reply.code(201).send(ownRecord(await userFor(platform, String(id)), true, config.publicUrl));
    },
  );
  app.put<ById & { Body: UserBody }>(
    "/users/:id",
    { ...answering(administers, CHANGED_USER_ANSWERS), schema: { params: UserParameters, body: UserBody } },
    async (request) => {
      const user = await userFor(platform, request.params.id);
      await changeUser(platform, user, editOf(request.body), actOf(request));
      return ownRecord(await userFor(platform, String(user.id)), true, config.publicUrl);
    },
  );
  app.get<ById & { Querystring: EmailsQuery }>(
    "/users/:id/emails",
    {
      ...answering(needsAdministrator(platform, "read_user", "read_api", "api"), USER_EMAILS_ANSWERS),
      schema: { params: UserParameters, querystring: EmailsQuery },
    },
    async (request, reply) => {
      const user = await userFor(platform, request.params.id);
      const page = pageOf(request.query);
      setPageHeaders(request, reply, config.publicUrl, page, 1);
      return onPage([emailRecord(user)], page);
    },
  );
  app.delete<ById & { Querystring: RemovalQuery }>(
    "/users/:id",
    {
      ...answering(administers, REMOVED_USER_ANSWERS),
      schema: { params: UserParameters, querystring: RemovalQuery },
    },
    async (request, reply) => {
      const user = await userFor(platform, request.params.id);
      await remove(platform, user, request.query.erase ?? false, actOf(request));
      return reply.code(204).send();
    },
  );
  for (const [verb, state] of [
    ["block", "blocked"],
    ["unblock", "active"],
  ] as const) {
    app.post<ById>(
      `/users/:id/${verb}`,
      { ...answering(administers, USER_STATE_ANSWERS), schema: { params: UserParameters } },
      async (request, reply) => {
        const user = await userFor(platform, request.params.id);
        await changeState(db, user, state, actOf(request));
        return reply.code(201).header("content-type", "application/json").send("true");
      },
    );
  }
}

function newUserOf(body: NewUserBody): UserFields {
  const { username, name, email, note } = body;
  const { admin: isAdmin = false, private_profile: privateProfile = false } = body;
  const told = { about: aboutOf(body), note: note ?? "" };
  const isRandom = body.reset_password || body.force_random_password;
  const password = (isRandom ? undefined : body.password) ?? randomPassword();
  return { username, name, email, password, isAdmin, privateProfile, ...told };
}

/** @throws ParameterProblem if the body names nothing to change */
function editOf(body: UserBody): UserEdit {
  if (Object.keys(body).length === 0) {
    const known = Object.keys(UserBody.properties).join(", ");
    throw new ParameterProblem([`${known} are missing, at least one parameter must be provided`]);
  }
  const { username, name, email, password, admin: isAdmin, private_profile: privateProfile } = body;
  const publicEmail = body.public_email === null ? "" : body.public_email;
  const told = { about: aboutOf(body), note: body.note === null ? "" : body.note };
  return { username, name, email, password, isAdmin, privateProfile, publicEmail, ...told };
}

async function userFor({ db }: Platform, reference: string): Promise<User> {
  const user = await findUserByReference(db, reference);
  if (!user) throw new Problem("not_found", "404 User Not Found");
  return user;
}

async function sendUsers(
  { db, config }: Platform,
  request: FastifyRequest<{ Querystring: UsersQuery }>,
  reply: FastifyReply,
) {
  const caller = callerOf(request);
  const filter = filterOf(caller, request.query);
  const page = pageOf(request.query);
  // A search reads all users, so it must not delay pipelined statements.
  const slow = db.pooled;
  const [total, users] = await Promise.all([countUsers(slow, filter), listUsers(slow, filter, rowsOf(page))]);
  setPageHeaders(request, reply, config.publicUrl, page, total);
  return users.map((user) => seenRecord(caller, user, config.publicUrl));
}

/**
 * Whether the query asks for a kind of user that does not exist here: a client that got all users instead would change or remove
 * the wrong ones.
 */
const asksForNobody = ({ external, auditors, extern_uid, provider, saml_provider_id }: UsersQuery): boolean =>
  external === true ||
  auditors === true ||
  [extern_uid, provider, saml_provider_id].some((reference) => reference !== undefined);

function filterOf({ isAdmin }: Caller, query: UsersQuery): UserFilter {
  const { username, search, public_email: publicEmail, humans, exclude_humans } = query;
  const isBlocked = query.blocked || query.exclude_active;
  const forAll = {
    username,
    search,
    publicEmail,
    state: isBlocked ? ("blocked" as const) : query.active ? ("active" as const) : undefined,
    people: humans ? true : exclude_humans ? false : undefined,
    notService: query.exclude_internal,
    nobody: asksForNobody(query),
    createdAfter: momentOf(query.created_after),
    createdBefore: momentOf(query.created_before),
    byEmail: isAdmin,
  };
  // Who is an administrator, and how people sign in, is visible to administrators only, as in GitLab.
  if (!isAdmin) return forAll;
  return {
    ...forAll,
    admins: query.admins === true,
    twoFactor: query.two_factor && query.two_factor === "enabled",
    withoutProjects: query.without_projects,
    orderBy: query.order_by,
    ascending: query.sort === "asc",
  };
}
