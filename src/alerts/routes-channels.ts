/** The API of a project's notification channels (decision 0097). */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { actOf, callerOf, needsScope } from "../accounts/caller.ts";
import { resend } from "../outbox/resend.ts";
import { answering } from "../platform/answers.ts";
import { idIn, numberIn } from "../platform/number-in.ts";
import { onPage, pageOf, rowsOf, setPageHeaders } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import type { Static } from "../platform/schema.ts";
import { projectFor } from "../projects/access.ts";
import { ProjectParameters } from "../projects/wire-parameters.ts";
import { type Channel, purposeOf } from "./channel.ts";
import { findChannelDeliveries } from "./find-channel-deliveries.ts";
import { changeChannel, channelOf, createChannel, removeChannel, testChannel } from "./save-channel.ts";
import { listChannels } from "./store-channels.ts";
import {
  CHANGED_CHANNEL_ANSWERS,
  CHANNEL_ANSWERS,
  CHANNEL_TEST_ANSWERS,
  CHANNELS_ANSWERS,
  DELIVERIES_ANSWERS,
  NEW_CHANNEL_ANSWERS,
  REMOVED_CHANNEL_ANSWERS,
  RESEND_ANSWERS,
} from "./wire-answers-channels.ts";
import {
  ChannelBody,
  ChannelParameters,
  ChannelsQuery,
  channelFieldsOf,
  channelRecord,
  DeliveriesQuery,
  DeliveryParameters,
  deliveryRecord,
  NewChannelBody,
} from "./wire-channels.ts";

type InProject = { Params: Static<typeof ProjectParameters> };
type OfChannel = { Params: ChannelParameters };
const COLLECTION = "/projects/:id/alert_channels";
const ITEM = `${COLLECTION}/:channel_id`;

export function channelRoutes(app: FastifyInstance, platform: Platform): void {
  collectionRoutes(app, platform);
  itemRoutes(app, platform);
  deliveryRoutes(app, platform);
}

function collectionRoutes(app: FastifyInstance, platform: Platform): void {
  app.get<InProject & { Querystring: Static<typeof ChannelsQuery> }>(
    COLLECTION,
    {
      ...answering(needsScope(platform, "read_api", "api"), CHANNELS_ANSWERS),
      schema: { params: ProjectParameters, querystring: ChannelsQuery },
    },
    async (request, reply) => {
      const project = await projectOf(platform, request);
      const page = pageOf(request.query);
      const channels = await listChannels(platform.db, project.id);
      setPageHeaders(request, reply, platform.config.publicUrl, page, channels.length);
      return onPage(channels, page).map((one) => channelRecord(one));
    },
  );
  app.post<InProject & { Body: NewChannelBody }>(
    COLLECTION,
    {
      ...answering(needsScope(platform, "api"), NEW_CHANNEL_ANSWERS),
      schema: { params: ProjectParameters, body: NewChannelBody },
    },
    async (request, reply) => {
      const project = await projectOf(platform, request);
      const { kind } = request.body;
      const fields = channelFieldsOf(request.body, kind);
      const { channel, secret } = await createChannel(platform, actOf(request), project, kind, fields);
      reply.code(201).header("cache-control", "no-store");
      return reply.send(channelRecord(channel, secret));
    },
  );
}

function itemRoutes(app: FastifyInstance, platform: Platform): void {
  app.get<OfChannel>(
    ITEM,
    {
      ...answering(needsScope(platform, "read_api", "api"), CHANNEL_ANSWERS),
      schema: { params: ChannelParameters },
    },
    async (request) => channelRecord((await channelFor(platform, request)).channel),
  );
  app.put<OfChannel & { Body: ChannelBody }>(
    ITEM,
    {
      ...answering(needsScope(platform, "api"), CHANGED_CHANNEL_ANSWERS),
      schema: { params: ChannelParameters, body: ChannelBody },
    },
    async (request) => {
      const { project, channel } = await channelFor(platform, request);
      const { id, kind } = channel;
      const given = (before: Channel) => channelFieldsOf(request.body, kind, before);
      return channelRecord(await changeChannel(platform, actOf(request), project, id, given));
    },
  );
  app.delete<OfChannel>(
    ITEM,
    {
      ...answering(needsScope(platform, "api"), REMOVED_CHANNEL_ANSWERS),
      schema: { params: ChannelParameters },
    },
    async (request, reply) => {
      const { project, channel } = await channelFor(platform, request);
      await removeChannel(platform, actOf(request), project, channel);
      return reply.code(204).send();
    },
  );
  app.post<OfChannel>(
    `${ITEM}/test`,
    {
      ...answering(needsScope(platform, "api"), CHANNEL_TEST_ANSWERS),
      schema: { params: ChannelParameters },
    },
    async (request, reply) => {
      const { project, channel } = await channelFor(platform, request);
      return reply.code(202).send({ messages: await testChannel(platform, project, channel) });
    },
  );
}

function deliveryRoutes(app: FastifyInstance, platform: Platform): void {
  const { db, config } = platform;
  app.get<OfChannel & { Querystring: Static<typeof DeliveriesQuery> }>(
    `${ITEM}/deliveries`,
    {
      ...answering(needsScope(platform, "read_api", "api"), DELIVERIES_ANSWERS),
      schema: { params: ChannelParameters, querystring: DeliveriesQuery },
    },
    async (request, reply) => {
      const { channel } = await channelFor(platform, request);
      const page = pageOf(request.query);
      const { deliveries, total } = await findChannelDeliveries(db, channel, rowsOf(page));
      setPageHeaders(request, reply, config.publicUrl, page, total);
      return deliveries.map(deliveryRecord);
    },
  );
  app.post<{ Params: DeliveryParameters }>(
    `${ITEM}/deliveries/:delivery_id/resend`,
    { ...answering(needsScope(platform, "api"), RESEND_ANSWERS), schema: { params: DeliveryParameters } },
    async (request, reply) => {
      const { project, channel } = await channelFor(platform, request);
      const id = idIn(request.params.delivery_id);
      const filter = { projectId: project.id, purpose: purposeOf(channel) };
      if (!(await resend(db, id, filter))) throw new Problem("not_found", "404 Delivery Not Found");
      return reply.code(202).send({ id });
    },
  );
}

function projectOf(platform: Platform, request: FastifyRequest<InProject>) {
  return projectFor(platform.db, callerOf(request), request.params.id, "maintainer");
}

async function channelFor(platform: Platform, request: FastifyRequest<OfChannel>) {
  const project = await projectOf(platform, request);
  return {
    project,
    channel: await channelOf(platform.db, project.id, numberIn(request.params.channel_id)),
  };
}
