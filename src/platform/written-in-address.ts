/** Reads the members of a write to the API from the query, where clients of GitLab may put them (decision 0123). */
import type { FastifyInstance } from "fastify";
import { asForm } from "./http.ts";
import { isObject } from "./json-object.ts";
import { TOKENS_IN_ADDRESS } from "./tokens-in-address.ts";

/** Credentials are read from the body alone: addresses are stored by proxies and shells. */
const NEVER: readonly string[] = [...TOKENS_IN_ADDRESS, "password"];

/** `PUT …/issues/85?state_event=close` means the form `state_event=close` if the body is empty. */
export function readsWritesFromAddresses(app: FastifyInstance): void {
  app.addHook("preValidation", async (request) => {
    if (!request.routeOptions.schema?.body || !isEmpty(request.body)) return;
    const given = Object.entries(request.query as Record<string, unknown>);
    const members = given.filter(([name]) => !NEVER.includes(name));
    if (members.length > 0) request.body = asForm(Object.fromEntries(members));
  });
}

function isEmpty(body: unknown): boolean {
  if (body === undefined || body === null) return true;
  return isObject(body) && Object.keys(body).length === 0;
}
