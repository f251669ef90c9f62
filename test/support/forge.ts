/** A world with an event source for GitHub in acme/rocket, its signed deliveries, and GitHub's example payloads. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import examples from "@octokit/webhooks-examples" with { type: "json" };
import { sign } from "@octokit/webhooks-methods";
import { type Reply, startWorld, type World } from "./world.ts";

/** The secret of the source. */
export const SECRET = "a secret of sixteen";
export const sources = "/api/v4/projects/acme%2Frocket/event_sources";

/** Payloads of many shapes, of which a test reads any member. */
export type Payload = Reply["json"];

interface Example {
  name: string;
  examples: Payload[];
}

interface DeliveryOptions {
  to?: string;
  secret?: string;
  id?: string;
  body?: string;
  headers?: Record<string, string>;
}

export interface Forge {
  world: World;
  /** The path at which the source accepts deliveries. */
  url: string;
  /** Delivers as GitHub does, signed with the source's secret unless the options say otherwise. */
  deliver(kind: string, payload: unknown, options?: DeliveryOptions): Promise<Reply>;
  /** The records of these events in the project's list. */
  listed(ids: number[]): Promise<Payload[]>;
}

export async function startForge(settings: Record<string, string> = {}): Promise<Forge> {
  const world = await startWorld(settings);
  const made = await world.call(sources, { as: "max", json: { name: "GitHub", secret: SECRET } });
  assert.equal(made.status, 201, made.text);
  const url = made.json.url.slice(world.url.length);
  return {
    world,
    url,
    deliver: async (kind, payload, options = {}) => {
      const body = options.body ?? JSON.stringify(payload);
      return world.call(options.to ?? url, {
        method: "POST",
        body,
        headers: {
          "content-type": "application/json",
          "x-github-event": kind,
          "x-github-delivery": options.id ?? randomUUID(),
          "x-hub-signature-256": await sign(options.secret ?? SECRET, body),
          ...options.headers,
        },
      });
    },
    listed: async (ids) => {
      const list = await world.call("/api/v4/projects/acme%2Frocket/events?per_page=100", { as: "max" });
      return ids.map((id) => list.json.find((event: { id: number }) => event.id === id));
    },
  };
}

/** Every example of GitHub's webhooks, by kind. */
export const githubExamples = examples as unknown as Example[];

/** A copy of the first example of this kind that fits. */
export function exampleOf(kind: string, fits: (payload: Payload) => boolean = () => true): Payload {
  const found = githubExamples.find(({ name }) => name === kind)?.examples.find(fits);
  assert.ok(found, kind);
  return structuredClone(found);
}
