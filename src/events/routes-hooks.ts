/** The doors of hooks, for the Maintainers of a project (decision 0109). */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { callerOf, needsScope } from "../accounts/caller.ts";
import type { Delivery } from "../outbox/delivery.ts";
import { findAttempts, findDeliveries } from "../outbox/find-deliveries.ts";
import { answering } from "../platform/answers.ts";
import { idIn } from "../platform/number-in.ts";
import { onPage, pageOf, pageParameters, rowsOf, setPageHeaders } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import type { Static } from "../platform/schema.ts";
import Type from "../platform/schema.ts";
import { projectFor } from "../projects/access.ts";
import { ProjectParameters } from "../projects/wire-parameters.ts";
import { changeHook, createHook, removeHook, rotateHookSecret, urlOfHook } from "./configure-hook.ts";
import { type Hook, purposeOf } from "./hook.ts";
import { sendAgain } from "./send-again.ts";
import { findHook, listHooks } from "./store-hooks.ts";
import { tryHook } from "./try-hook.ts";
import {
  HOOK_ANSWERS,
  HOOK_DELIVERIES_ANSWERS,
  HOOK_DELIVERY_ANSWERS,
  HOOK_SENT_ANSWERS,
  HOOKS_ANSWERS,
  NEW_HOOK_ANSWERS,
  REMOVED_HOOK_ANSWERS,
} from "./wire-answers-hooks.ts";
import {
  ChangedHookBody,
  HookDeliveryParameters,
  HookParameters,
  hookDeliveryRecord,
  hookRecord,
  NewHookBody,
} from "./wire-hooks.ts";

const PageQuery = Type.Object(pageParameters);
type OfProject = { Params: Static<typeof ProjectParameters> };
type OfHook = { Params: Static<typeof HookParameters> };
type OfDelivery = { Params: Static<typeof HookDeliveryParameters> };

const HOOK = "/projects/:id/hooks/:hook_id";

export function eventHookRoutes(app: FastifyInstance, platform: Platform): void {
  collectionRoutes(app, platform);
  itemRoutes(app, platform);
  deliveryRoutes(app, platform);
}

function collectionRoutes(app: FastifyInstance, platform: Platform): void {
  const { db, config } = platform;
  app.post<OfProject & { Body: NewHookBody }>(
    "/projects/:id/hooks",
    {
      ...answering(needsScope(platform, "api"), NEW_HOOK_ANSWERS),
      schema: { params: ProjectParameters, body: NewHookBody },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const { id: projectId } = await projectFor(db, caller, request.params.id, "maintainer");
      const {
        url,
        name = "",
        active = true,
        actions = [],
        target_types = [],
        confidential = false,
      } = request.body;
      const fields = { url, name, active, actions, targetTypes: target_types, confidential };
      const { hook, secret } = await createHook(platform, { projectId, makerId: caller.id }, fields);
      return reply.code(201).send(recordOf(platform, hook, secret));
    },
  );

  app.get<OfProject & { Querystring: Static<typeof PageQuery> }>(
    "/projects/:id/hooks",
    {
      ...answering(needsScope(platform, "read_api", "api"), HOOKS_ANSWERS),
      schema: { params: ProjectParameters, querystring: PageQuery },
    },
    async (request, reply) => {
      const project = await projectFor(db, callerOf(request), request.params.id, "maintainer");
      const page = pageOf(request.query);
      const hooks = await listHooks(db, project.id);
      setPageHeaders(request, reply, config.publicUrl, page, hooks.length);
      return onPage(hooks, page).map((hook) => recordOf(platform, hook));
    },
  );
}

function itemRoutes(app: FastifyInstance, platform: Platform): void {
  const writes = needsScope(platform, "api");

  app.get<OfHook>(
    HOOK,
    {
      ...answering(needsScope(platform, "read_api", "api"), HOOK_ANSWERS),
      schema: { params: HookParameters },
    },
    async (request) => recordOf(platform, await hookFor(platform, request)),
  );

  app.put<OfHook & { Body: ChangedHookBody }>(
    HOOK,
    { ...answering(writes, HOOK_ANSWERS), schema: { params: HookParameters, body: ChangedHookBody } },
    async (request) => {
      const hook = await hookFor(platform, request);
      const { target_types: targetTypes, ...given } = request.body;
      return recordOf(
        platform,
        await changeHook(platform, callerOf(request).id, hook, { ...given, targetTypes }),
      );
    },
  );

  app.delete<OfHook>(
    HOOK,
    { ...answering(writes, REMOVED_HOOK_ANSWERS), schema: { params: HookParameters } },
    async (request, reply) => {
      await removeHook(platform, callerOf(request).id, await hookFor(platform, request));
      return reply.code(204).send();
    },
  );

  app.post<OfHook>(
    `${HOOK}/rotate_secret`,
    { ...answering(writes, HOOK_ANSWERS), schema: { params: HookParameters } },
    async (request) => {
      const hook = await hookFor(platform, request);
      const secret = await rotateHookSecret(platform, callerOf(request).id, hook);
      return recordOf(platform, await hookFor(platform, request), secret);
    },
  );

  app.post<OfHook>(
    `${HOOK}/test`,
    { ...answering(writes, HOOK_SENT_ANSWERS), schema: { params: HookParameters } },
    async (request, reply) => {
      const id = await tryHook(platform, await hookFor(platform, request));
      return reply.code(202).send({ id });
    },
  );
}

/** The deliveries of a hook in the last 30 days, and the route that sends one again. */
function deliveryRoutes(app: FastifyInstance, platform: Platform): void {
  const { db, config } = platform;
  const reads = needsScope(platform, "read_api", "api");

  app.get<OfHook & { Querystring: Static<typeof PageQuery> }>(
    `${HOOK}/events`,
    {
      ...answering(reads, HOOK_DELIVERIES_ANSWERS),
      schema: { params: HookParameters, querystring: PageQuery },
    },
    async (request, reply) => {
      const hook = await hookFor(platform, request);
      const page = pageOf(request.query);
      const { deliveries, total } = await findDeliveries(db, filterOf(hook), rowsOf(page));
      setPageHeaders(request, reply, config.publicUrl, page, total);
      return deliveries.map((delivery: Delivery) => hookDeliveryRecord(delivery));
    },
  );

  app.get<OfDelivery>(
    `${HOOK}/events/:event_id/tries`,
    { ...answering(reads, HOOK_DELIVERY_ANSWERS), schema: { params: HookDeliveryParameters } },
    async (request) => {
      const hook = await hookFor(platform, request);
      const delivery = await deliveryOf(platform, hook, request.params.event_id);
      return hookDeliveryRecord(delivery, await findAttempts(db, delivery.id));
    },
  );

  app.post<OfDelivery>(
    `${HOOK}/events/:event_id/resend`,
    {
      ...answering(needsScope(platform, "api"), HOOK_SENT_ANSWERS),
      schema: { params: HookDeliveryParameters },
    },
    async (request, reply) => {
      const hook = await hookFor(platform, request);
      const { id } = await deliveryOf(platform, hook, request.params.event_id);
      await sendAgain(platform, hook, id);
      return reply.code(202).send({ id });
    },
  );
}

/** One delivery of the hook. @throws Problem not_found */
async function deliveryOf({ db }: Platform, hook: Hook, reference: string): Promise<Delivery> {
  const filter = { ...filterOf(hook), id: idIn(reference) };
  const [delivery] = (await findDeliveries(db, filter, { limit: 1, offset: 0 })).deliveries;
  if (!delivery) throw new Problem("not_found", "404 Hook Event Not Found");
  return delivery;
}

function recordOf(platform: Platform, hook: Hook, secret?: string) {
  return hookRecord(hook, urlOfHook(platform, hook), secret);
}

function filterOf(hook: Hook) {
  return { projectId: hook.projectId, purpose: purposeOf(hook) };
}

/** The hook of the address, for a Maintainer. @throws Problem not_found, forbidden */
async function hookFor(platform: Platform, request: FastifyRequest): Promise<Hook> {
  const { id, hook_id: hookId } = request.params as Static<typeof HookParameters>;
  const project = await projectFor(platform.db, callerOf(request), id, "maintainer");
  const hook = await findHook(platform.db, project.id, idIn(hookId));
  if (!hook) throw new Problem("not_found", "404 Hook Not Found");
  return hook;
}
