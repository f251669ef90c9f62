/** A pushed authorization request: its name, its maximum size, and the refusal if it cannot be used (RFC 9126 §2.2, §4). */
import { Problem } from "../platform/problem.ts";
import { newIdentifier } from "../platform/secret.ts";
import type { Application } from "./application.ts";

/** RFC 9126 §2.2 leaves the form open and shows this one; the namespace is registered (RFC 6755). */
const PREFIX = "urn:ietf:params:oauth:request_uri:";

/** Returns a name with 256 random bits. */
export function newRequestUri(): string {
  return PREFIX + newIdentifier(64);
}

/** Whether a `request_uri` has the form of ours. Others are never fetched. */
export function isRequestUri(given: unknown): given is string {
  return typeof given === "string" && given.startsWith(PREFIX);
}

/** The maximum size of all parameters together, in bytes of JSON: as much as addresses can carry. */
export const MAX_PUSHED_BYTES = 16 * 1024;

/** A browser came with a name that cannot be used; the person is told no more than that. */
export class PushedRefused extends Problem {
  readonly application: Application;
  /** For those who manage the application. */
  readonly reason: string;

  constructor(application: Application, reason: string) {
    super(
      "invalid",
      "This authorization request is unknown, was already answered, or has expired. Go back to the application and start again.",
    );
    this.application = application;
    this.reason = reason;
  }
}

/** The refusal of a second answer to the same request (§4). */
export function answeredMeanwhile(application: Application): PushedRefused {
  return new PushedRefused(application, "request_uri was answered at this moment");
}
