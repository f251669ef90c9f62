/** Authorization requests that an application pushes ahead, and the addresses with which its people come (RFC 9126). */
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

/** The name of a request that was pushed. */
export async function pushed(world: World, application: TestApplication, more: More = {}): Promise<string> {
  const reply = await push(world, application, more);
  assert.equal(reply.status, 201, reply.text);
  return reply.json.request_uri;
}

/** The address with which a person comes. */
export function pushedPath(application: { uid: string }, requestUri: string, more: More = {}): string {
  const given = Object.entries({ client_id: application.uid, request_uri: requestUri, ...more });
  return `/oauth/authorize?${new URLSearchParams(given as [string, string][])}`;
}

/** Pushes a request, and returns the address with which a person comes. */
export async function pushedWay(
  world: World,
  application: TestApplication,
  more: More = {},
): Promise<string> {
  return pushedPath(application, await pushed(world, application, more));
}
