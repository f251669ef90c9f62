/** Pushed authorization requests, and the addresses at which people open them (RFC 9126). */
import assert from "node:assert/strict";
import type { TestApplication } from "./oauth.ts";
import type { Reply, World } from "./world.ts";

type More = Readonly<Record<string, string | undefined>>;

/** Pushes the request that `authorizePath` would make, with the application's credentials in the body. */
export function push(
  world: World,
  application: TestApplication,
  more: More = {},
  headers: Record<string, string> = {},
): Promise<Reply> {
  const form = {
    client_id: application.uid,
    client_secret: application.secret || undefined,
    redirect_uri: application.redirectUri,
    response_type: "code",
    state: "s-1",
    ...more,
  };
  const given = Object.entries(form).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return world.call("/oauth/par", { form: given, headers });
}

/** The request_uri of a pushed request. */
export async function pushed(world: World, application: TestApplication, more: More = {}): Promise<string> {
  const reply = await push(world, application, more);
  assert.equal(reply.status, 201, reply.text);
  return reply.json.request_uri;
}

/** The path at which a person opens it. */
export function pushedPath(application: { uid: string }, requestUri: string, more: More = {}): string {
  const given = Object.entries({ client_id: application.uid, request_uri: requestUri, ...more });
  return `/oauth/authorize?${new URLSearchParams(given as [string, string][])}`;
}

/** Pushes a request, and returns the path at which a person opens it. */
export async function pushedWay(
  world: World,
  application: TestApplication,
  more: More = {},
): Promise<string> {
  return pushedPath(application, await pushed(world, application, more));
}
