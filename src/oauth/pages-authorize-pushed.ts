/**
 * Reads the parameters for `/oauth/authorize`: from the address, or from a pushed request that it names (RFC 9126 §4;
 * decision 0205).
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import { type Browser, keepReturnPath } from "../accounts/browser.ts";
import type { Platform } from "../platform/platform.ts";
import { digest } from "../platform/secret.ts";
import type { Application } from "./application.ts";
import {
  type AuthorizationParameter,
  type GivenParameters,
  unreadableIn,
} from "./authorization-parameters.ts";
import { provenApplication } from "./check-authorization.ts";
import { isRequestUri, PushedRefused } from "./pushed-request.ts";
import { findSessionAge } from "./store-openid.ts";
import { beginPushedRequest, findPushedFacts } from "./store-pushed.ts";
import { authorizationParameters } from "./wire.ts";

/** A pushed request that a browser came with. */
export interface Pushed {
  digest: Buffer;
  /** The path by which the browser returns: after the sign-in, or by reloading. */
  path: string;
  requestUri: string;
  /** When a browser first came with it. */
  takenAt: Date;
}

export interface ReceivedRequest {
  parameters: GivenParameters;
  /** Parameters in the address whose encoding is broken or not UTF-8. */
  unreadable: readonly AuthorizationParameter[];
  pushed?: Pushed;
}

const requests = new WeakMap<FastifyRequest, ReceivedRequest>();
const answering = new WeakMap<FastifyRequest, Buffer>();

/**
 * Returns the parameters of a request. If a pushed request is named, nothing else in the address counts but the application
 * (RFC 9101 §5, §6.3); any other `request_uri` is refused later, without being fetched.
 * @throws PushedRefused: the name is unknown, another application's, was answered before, or has expired
 * @throws Problem invalid: unknown application
 */
export async function readRequest({ db }: Platform, request: FastifyRequest): Promise<ReceivedRequest> {
  const found = requests.get(request);
  if (found) return found;
  const parameters = authorizationParameters(request.query);
  const { request_uri: requestUri } = parameters;
  if (request.method !== "GET" || !isRequestUri(requestUri)) {
    return { parameters, unreadable: unreadableIn(request.url) };
  }
  const application = await provenApplication(db, parameters);
  const key = digest(requestUri);
  const taken = await beginPushedRequest(db, key, application.id);
  if (!taken) throw new PushedRefused(application, await reasonOf({ db }, application, key));
  const path = pushedRequestPath(application.uid, requestUri);
  const received = {
    parameters: taken.parameters,
    unreadable: [],
    pushed: { digest: key, path, requestUri, takenAt: taken.takenAt },
  };
  requests.set(request, received);
  answering.set(request, key);
  return received;
}

/** Stores the parameters of the waiting request that this request answers, since its address does not contain them. */
export function noteParameters(request: FastifyRequest, parameters: GivenParameters): void {
  requests.set(request, { parameters, unreadable: [] });
}

/** Stores which pushed request this request answers; null: none, or it was used up already. */
export function notePushed(request: FastifyRequest, key: Buffer | null): void {
  if (key) answering.set(request, key);
  else answering.delete(request);
}

/** The pushed request that is used up by the response. */
export function notedPushed(request: FastifyRequest): Buffer | undefined {
  return answering.get(request);
}

/** The path with which a browser opens a pushed request (RFC 9126 §4). */
export function pushedRequestPath(uid: string, requestUri: string): string {
  return `/oauth/authorize?${new URLSearchParams({ client_id: uid, request_uri: requestUri })}`;
}

async function reasonOf({ db }: Pick<Platform, "db">, { id }: Application, key: Buffer): Promise<string> {
  const facts = await findPushedFacts(db, key);
  if (!facts) return "request_uri is unknown: it was never given out, or has expired and is forgotten";
  if (facts.applicationId !== id) return "request_uri was given to another application";
  if (facts.used) return "request_uri was answered before";
  return `request_uri expired ${facts.expiredFor ?? 0} s before`;
}

/**
 * Whether the person has signed in since a browser came with the pushed request, so that no further sign-in is needed for it.
 * Compares times instead of changing the request, so that one browser cannot mark it as fulfilled for the session of another.
 */
export async function hasSignedInFor(
  { db }: Platform,
  { viewer, digest: session }: Browser,
  pushed: Pushed | undefined,
): Promise<boolean> {
  if (!viewer || !pushed) return false;
  const age = await findSessionAge(db, session);
  return age?.authenticatedAt != null && age.authenticatedAt >= pushed.takenAt;
}

/** Redirects to the sign-in page, and from there back to the pushed request; only the sign-in page gets the login hint. */
export async function signInForPushed(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  { path }: Pushed,
  loginHint: string | undefined,
): Promise<FastifyReply> {
  const hint =
    loginHint === undefined ? "" : `&${new URLSearchParams({ login_hint: loginHint.slice(0, 255) })}`;
  await keepReturnPath(platform, request, reply, path + hint);
  return reply.redirect("/users/sign_in", 302);
}
