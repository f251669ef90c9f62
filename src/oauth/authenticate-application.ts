/** Authenticates the application that calls the token endpoint (RFC 6749 §2.3). */
import { timingSafeEqual } from "node:crypto";
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { digest } from "../platform/secret.ts";
import type { Application, ApplicationWithSecrets } from "./application.ts";
import { isBasic, isOfNoApplication, readBasic } from "./basic-credentials.ts";
import { checkAssertion } from "./check-assertion.ts";
import { OAuthError } from "./error.ts";
import { findApplicationWithSecrets } from "./store-presented.ts";
import { isUid } from "./uid.ts";

/** The credentials of an application in a request. */
export interface ClientProof {
  /** Every `Authorization` header of the request; only those of the scheme Basic can authenticate an application. */
  authorizations: readonly string[];
  /** `client_id` and `client_secret` of the body; empty ones are absent (RFC 6749 §3.1). */
  id: string | undefined;
  secret: string | undefined;
  /** `client_assertion` and `client_assertion_type` of the body (RFC 7521 §4.2). */
  assertion: string | undefined;
  assertionType: string | undefined;
  /** The path of the endpoint, which an assertion may name as its audience. */
  path: string;
}

/**
 * Returns the application, authenticated by exactly one of: Basic header, secret in the body, signed assertion, or, if it is
 * public, its id alone.
 * @param options.idIsEnough whether its id alone authenticates this public application; otherwise it needs its secret too,
 *   because an id is not secret
 * @throws OAuthError invalid_client: unknown or not authenticated, in the same words; invalid_request: two methods at once
 */
export async function authenticateApplication(
  platform: Pick<Platform, "db" | "config">,
  proof: ClientProof,
  { idIsEnough }: Pick<Given, "idIsEnough"> = { idIsEnough: () => true },
): Promise<ApplicationWithSecrets> {
  const { authorizations, id, secret, assertion, assertionType } = proof;
  if (authorizations.length > 1)
    throw new OAuthError("invalid_request", "The Authorization header is repeated.");
  const header = clientHeader(proof);
  if (assertion !== undefined || assertionType !== undefined) return byAssertion(platform, proof, header);
  if (header !== undefined) return byBasic(platform.db, header, proof, idIsEnough);
  if (id === undefined) throw invalidClient("no client");
  return byIdAndSecret(platform.db, { id, secret, idIsEnough });
}

/**
 * The header with the credentials of an application, if there is one. Others are ignored: some clients send their access token
 * with every request (decision 0016), or the credentials of a proxy or a ~/.netrc (decision 0221).
 */
function clientHeader({ authorizations, id, assertion }: ClientProof): string | undefined {
  const namesItself = id !== undefined || assertion !== undefined;
  return authorizations.find((one) => isBasic(one) && !(namesItself && isOfNoApplication(one)));
}

async function byAssertion(
  platform: Pick<Platform, "db" | "config">,
  proof: ClientProof,
  header: string | undefined,
): Promise<ApplicationWithSecrets> {
  if (header !== undefined || proof.secret !== undefined) {
    throw new OAuthError("invalid_request", "The request carries client credentials beside an assertion.");
  }
  const proven = await checkAssertion(platform, proof);
  if (typeof proven === "string") throw invalidClient(proven);
  return proven;
}

/** Tries both readings of the header; throws the refusal of the last one if neither authenticates the application. */
async function byBasic(
  db: Queries,
  header: string,
  { id, secret }: ClientProof,
  idIsEnough: Given["idIsEnough"],
): Promise<ApplicationWithSecrets> {
  if (secret !== undefined) {
    throw new OAuthError(
      "invalid_request",
      "The request carries client credentials in the header and in the body.",
    );
  }
  const readings = readBasic(header);
  if (readings.length === 0) throw invalidClient("Basic header is broken");
  if (id !== undefined && !readings.some((reading) => reading.id === id)) {
    throw new OAuthError("invalid_request", "client_id differs between the header and the body.");
  }
  let refusal: unknown;
  for (const reading of readings) {
    try {
      const secret = reading.secret === "" ? undefined : reading.secret;
      return await byIdAndSecret(db, { id: reading.id, secret, idIsEnough });
    } catch (error) {
      refusal = error;
    }
  }
  throw refusal;
}

interface Given {
  id: string;
  secret: string | undefined;
  idIsEnough: (application: Application) => boolean;
}

async function byIdAndSecret(
  db: Queries,
  { id, secret, idIsEnough }: Given,
): Promise<ApplicationWithSecrets> {
  const application = isUid(id) ? await findApplicationWithSecrets(db, id) : undefined;
  const proven = isProven(application, secret);
  if (!application) throw invalidClient("unknown client");
  if (!proven || (secret === undefined && !idIsEnough(application))) {
    const isByKey = application.onlyByKey && secret !== undefined;
    throw invalidClient(
      isByKey ? "the secret does not count: only by key" : "client secret missing or wrong",
    );
  }
  return application;
}

/** For an unknown application a comparison is made as well, so that it takes the same time (reference oauth D33). */
function isProven(application: ApplicationWithSecrets | undefined, secret: string | undefined): boolean {
  const given = digest(secret ?? "");
  const valid = application?.secretDigests ?? [given];
  const matches = valid.map((known) => timingSafeEqual(known, given)).includes(true);
  if (secret === undefined) return application?.confidential === false;
  return application?.onlyByKey === false && matches;
}

function invalidClient(log: string): OAuthError {
  return new OAuthError(
    "invalid_client",
    "Client authentication failed: the application is unknown or its proof is missing or wrong.",
    log,
  );
}
