/** Reads CloudEvents 1.0, structured, binary and in batches, around a forge's payload or an event of ours. */
import { createHash } from "node:crypto";
import { boundedJson } from "../../platform/bounded-json.ts";
import { parseInstant } from "../../platform/instant.ts";
import { isObject, type JsonObject } from "../../platform/json-object.ts";
import { ParameterProblem } from "../../platform/problem.ts";
import { sameSecret } from "../../platform/secret.ts";
import type { ForgeEvent, ForgeReader, Letter, RawDelivery, ReadBody, Reading } from "../source.ts";
import { ignored, one, readGithub } from "./github.ts";
import { readGitlab } from "./gitlab.ts";
import { textOf } from "./payload.ts";
import { repositoryOf } from "./repository.ts";

/** Reads CloudEvents. */
export const cloudevents: ForgeReader = {
  isProven: ({ headers }, secret) => {
    const given = /^bearer +(\S+) *$/i.exec(headers.authorization ?? "")?.[1];
    return given !== undefined && sameSecret(given, secret);
  },
  letters: (delivery, payload, readBody) => {
    const envelopes = envelopesOf(delivery, payload);
    const isBatch = envelopes.length > 1;
    // One for all, since a batch is as long as its sender likes; the body around them has been parsed within a limit of its own.
    const parse = boundedJson();
    return envelopes.map((envelope) => ({
      ...letterOf(envelope, parse, readBody),
      ...(isBatch && { own: alone(envelope) }),
    }));
  },
};

/**
 * An event of a batch as if it had come alone: stored with each of its events, a whole batch would be stored a thousand times.
 */
function alone(envelope: JsonObject): RawDelivery {
  return {
    headers: { "content-type": "application/cloudevents+json" },
    body: Buffer.from(JSON.stringify(envelope)),
  };
}

/** The most events of a batch, as of rows of `POST /events/bulk`: they are written in one transaction. */
const MAX_TOGETHER = 10_000;

/** The events with their attributes as members; in binary mode the attributes are headers. */
function envelopesOf({ headers }: RawDelivery, payload: unknown): JsonObject[] {
  const type = headers["content-type"] ?? "";
  const list = /^application\/cloudevents-batch/i.test(type) ? payload : [payload];
  if (!Array.isArray(list)) throw new ParameterProblem(["The batch is not a JSON array"]);
  if (list.length > MAX_TOGETHER)
    throw new ParameterProblem(["The batch holds more than 10,000 CloudEvents"]);
  if (headers["ce-specversion"] !== undefined) {
    const attribute = (name: string) => one(headers[`ce-${name}`]);
    const [specversion, id, source] = ["specversion", "id", "source"].map(attribute);
    return [{ specversion, id, source, type: attribute("type"), time: attribute("time"), data: payload }];
  }
  return list.map((envelope) => {
    if (!isObject(envelope)) throw new ParameterProblem(["A CloudEvent is a JSON object"]);
    return envelope;
  });
}

/** The type of events in the form of the write API. */
const OUR_TYPE = "gatehouse.event";

type Parse = ReturnType<typeof boundedJson>;

function letterOf(envelope: JsonObject, parse: Parse, readBody: ReadBody): Letter {
  const missing = ["id", "source", "type"].filter((name) => textOf(envelope, name) === undefined);
  const faults = missing.map((name) => `${name} is missing`);
  if (envelope.specversion !== "1.0") faults.push("specversion is not 1.0");
  const time = textOf(envelope, "time");
  const moment = time === undefined ? undefined : parseInstant(time);
  if (time !== undefined && !moment) faults.push("time is invalid");
  if (faults.length > 0) throw new ParameterProblem(faults);
  const kind = textOf(envelope, "type") ?? "";
  const name = JSON.stringify([envelope.source, envelope.id]);
  const deliveryId = name.length <= 200 ? name : createHash("sha256").update(name).digest("hex");
  const data = dataOf(envelope, parse);
  // Our own events have a `project_id`, too, which is the project's number here.
  const repository = kind === OUR_TYPE ? undefined : repositoryOf(data);
  return { deliveryId, kind, reading: at(moment, readData(kind, data, readBody)), repository };
}

function dataOf(envelope: JsonObject, parse: Parse): unknown {
  const encoded = textOf(envelope, "data_base64");
  return encoded === undefined
    ? envelope.data
    : parse(Buffer.from(encoded, "base64").toString("utf8"), "data_base64");
}

function readData(type: string, data: unknown, readBody: ReadBody): Reading {
  if (type === OUR_TYPE) {
    const draft = readBody(data);
    return { result: "events", events: [{ draft, author: draft, moments: [draft.createdAt] }] };
  }
  const [, forge, kind = "", action] = /^com\.(github|gitlab)\.([a-z_]+)(?:\.([a-z_]+))?$/.exec(type) ?? [];
  if (!forge || !isObject(data)) return ignored(`Nothing is known of the type ${type}`);
  if (forge === "github") return readGithub(kind, action === undefined ? data : { action, ...data });
  return readGitlab({ object_kind: kind, ...data });
}

/** Puts the time of the envelope first, as its sender vouches for it. */
function at(moment: Date | undefined, reading: Reading): Reading {
  if (!moment || reading.result === "pong") return reading;
  const timed = <T extends Pick<ForgeEvent, "moments">>(told: T): T => ({
    ...told,
    moments: [moment, ...told.moments],
  });
  if (reading.result === "ignored") return { ...reading, turned: reading.turned && timed(reading.turned) };
  return { ...reading, events: reading.events.map(timed) };
}
