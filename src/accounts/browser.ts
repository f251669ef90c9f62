/** The session of a page request: read from its cookie, stored once there is something to store, replaced at sign-in. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { checkClock } from "../platform/clock-mark.ts";
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { partyOf } from "../platform/rate-limit.ts";
import { digest, maySecretBe, newSecret } from "../platform/secret.ts";
import { type Theme, themeOf, type Viewer } from "../ui/navigation.ts";
import { isAnonymousSecret, newAnonymousSecret } from "./anonymous-session.ts";
import { type Flash, openFlash, sealFlash } from "./flash.ts";
import { isForeign } from "./foreign-form.ts";
import { type FormToken, formTokenOf } from "./form-token.ts";
import { openReturnPath, sealReturnPath } from "./sealed-return-path.ts";
import {
  type Method,
  ownPath,
  type SessionRecord,
  type SignedIn,
  sessionCookieName,
  signedInOf,
} from "./session.ts";
import { agentOf, setSessionCookie } from "./session-cookie.ts";
import {
  findSession,
  insertAnonymousSession,
  replaceSession,
  type SessionOf,
  takeSessionFlash,
  updateSessionFlash,
  updateSessionReturn,
  updateSessionSeen,
} from "./store-sessions.ts";

/** The session of one request. */
export interface Browser {
  /** Undefined until the person has passed every step of sign-in. */
  readonly viewer: SignedIn | undefined;
  /** The user whose password was right and whose second factor is still missing. */
  readonly pendingUserId: number | undefined;
  readonly csrfToken: string;
  /** The digest of the session's secret, by which other records refer to the session. */
  readonly digest: Buffer;
  /** The message that the redirect to this page left; it is read once. */
  readonly flash: Flash | undefined;
  readonly theme: Theme;
  /** Whether the password was entered recently enough for sensitive actions. */
  readonly fresh: boolean;
}

/** The browser of somebody who is signed in. */
export type SignedInBrowser = Browser & { viewer: SignedIn };

interface Frame {
  viewer: Viewer | undefined;
  theme: Theme;
  messages: { kind: Flash["kind"]; text: string }[];
}

/** What the frame of every page needs: the viewer, the theme and the message of the redirect to it. */
export function frameOf(browser: SignedInBrowser): Frame & { viewer: Viewer };
export function frameOf(browser: Browser): Frame;
export function frameOf(browser: Browser): Frame {
  const { viewer, csrfToken, theme, flash } = browser;
  return {
    viewer: viewer && {
      username: viewer.username,
      name: viewer.name,
      isAdmin: viewer.isAdmin,
      csrfToken,
      theme,
    },
    theme,
    messages: flash?.text ? [{ kind: flash.kind, text: flash.text }] : [],
  };
}

/** With what only this file uses: the return path, whether the session has a row, and how the person signed in. */
type Known = Browser &
  FormToken & {
    returnTo: string | null;
    isStored: boolean;
    authenticatedBy: readonly Method[];
    kept: boolean;
  };
const browsers = new WeakMap<FastifyRequest, Known>();

/** Reads the session of a page request, or begins an anonymous one, which is not stored (decision 0114). */
export async function browserOf(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Browser> {
  const known = browsers.get(request);
  if (known) return known;
  await checkClock(platform);
  const { db, keys, config, log } = platform;
  let secret = request.cookies[sessionCookieName(config.secure)] ?? "";
  let record: SessionRecord | undefined;
  const isAnonymous = isAnonymousSecret(keys, secret);
  if (isAnonymous || (secret && maySecretBe("session", secret))) {
    record = await findSession(db, digest(secret));
  }
  if (!record && !isAnonymous) {
    secret = newAnonymousSecret(keys);
    // A form from another site comes without the cookie: setting a new one would end the session of the browser.
    if (request.method === "GET" || !isForeign(platform, request))
      setSessionCookie(platform, reply, secret, false);
  } else if (record?.stale) {
    updateSessionSeen(db, record.digest).catch((error) => log.warn({ err: error }, "session use not noted"));
  }
  const isMine = record?.flash && (await takeSessionFlash(db, record.digest, record.flash)) === 1;
  const flash = isMine && record?.flash ? openFlash(platform, record.flash) : undefined;
  const browser: Known = {
    viewer: signedInOf(record),
    pendingUserId: record?.pendingUserId ?? undefined,
    ...formTokenOf(keys, secret),
    digest: digest(secret),
    flash,
    theme: themeOf(request.cookies),
    fresh: record?.fresh ?? false,
    returnTo: record?.returnTo ? (openReturnPath(platform, record.returnTo) ?? null) : null,
    isStored: record !== undefined,
    authenticatedBy: record?.authenticatedBy ?? [],
    kept: record?.kept ?? false,
  };
  browsers.set(request, browser);
  return browser;
}

/** The session as this request has read or renewed it; undefined if it has not. */
export function knownBrowserOf(request: FastifyRequest): Browser | undefined {
  return browsers.get(request);
}

/** The session of the request, stored if it was not, so that other records can refer to it. */
export async function storedBrowserOf(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Browser> {
  const browser = await browserOf(platform, request, reply);
  const known = browsers.get(request);
  if (!known || known.isStored) return browser;
  const from = { party: partyOf(request.ip), userAgent: agentOf(request) };
  await insertAnonymousSession(platform.db, known.digest, from);
  browsers.set(request, { ...known, isStored: true });
  return browser;
}

/** The signed-in person. @throws SignInNeeded: nobody is signed in; the pages answer with the sign-in form */
export async function needsViewer(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SignedInBrowser> {
  const browser = await browserOf(platform, request, reply);
  if (!browser.viewer) throw new SignInNeeded();
  return { ...browser, viewer: browser.viewer };
}

/** Refuses a page that needs a signed-in person; its reply keeps the return path and shows the sign-in page. */
export class SignInNeeded extends Problem {
  constructor() {
    super("unauthenticated", "Sign in to continue.");
  }
}

/**
 * Asks for the password again before a sensitive action on a page, if it was last entered more than 15 minutes ago.
 * @param path where the person returns to if the form may not wait (decision 0289); its query may fill it in (decision 0047)
 * @throws ProofNeeded, which the pages answer with the password form
 */
export async function needsFreshProof(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
): Promise<void> {
  const browser = await needsViewer(platform, request, reply);
  if (browser.fresh) return;
  await keepReturnPath(platform, request, reply, path);
  throw new ProofNeeded();
}

/** Refuses a sensitive action until the password is entered again. */
export class ProofNeeded extends Problem {
  constructor() {
    super("unauthenticated", "Enter your password again to continue.");
  }
}

/**
 * Refuses a form that did not come from our own page: foreign Origin or Sec-Fetch-Site, or a missing or outdated token.
 * @throws Problem forbidden
 */
export async function checkForm(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Browser> {
  const browser = await browserOf(platform, request, reply);
  if (isForeign(platform, request) || !browsers.get(request)?.isOwnForm(request)) throw new StaleForm();
  return browser;
}

/** Checks the form and returns the signed-in person. @throws Problem forbidden, or SignInNeeded */
export async function checkFormOfViewer(platform: Platform, request: FastifyRequest, reply: FastifyReply) {
  const browser = await checkForm(platform, request, reply);
  if (!browser.viewer) throw new SignInNeeded();
  return { ...browser, viewer: browser.viewer };
}

/** Refuses a form without the token of the browser's session, or from another site. */
export class StaleForm extends Problem {
  constructor() {
    super("forbidden", "This form is too old or was sent from another site.");
  }
}

/** The return path of the session. */
export function returnPathOf(request: FastifyRequest): string | null {
  return browsers.get(request)?.returnTo ?? null;
}

/** Stores the return path in the session before the sign-in page is shown; a path that is not ours is ignored. */
export async function keepReturnPath(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
): Promise<void> {
  const safe = ownPath(path);
  if (!safe) return;
  const { digest: id } = await storedBrowserOf(platform, request, reply);
  await updateSessionReturn(platform.db, id, sealReturnPath(platform, safe));
  const known = browsers.get(request);
  if (known) browsers.set(request, { ...known, returnTo: safe });
}

/**
 * Replaces the session by one with a new secret: after the password (with `pendingUserId`) and after the last step.
 * @param also further writes of the same transaction
 * @throws SignInNeeded: the person may no longer sign in (`replaceSession`)
 */
export async function renewSession(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  who: SessionOf,
  also?: (tx: Queries) => Promise<unknown>,
): Promise<void> {
  const old = await browserOf(platform, request, reply);
  const secret = newSecret("session");
  // The old row may be gone already: a change of the password or second factor ends all sessions.
  const isSame = "userId" in who && who.userId === old.viewer?.userId;
  const isNext = "userId" in who && who.userId === old.pendingUserId;
  const known = browsers.get(request);
  const before = (isSame && known?.authenticatedBy) || [];
  const kept = who.kept ?? ((isSame || isNext) && known?.kept === true);
  const write = async (db: Queries) => {
    const made = await replaceSession(db, {
      ...{ digest: digest(secret), replaces: old.digest, userId: null, pendingUserId: null },
      ...who,
      kept,
      by: [...before, ...(who.by ?? [])],
      ip: request.ip,
      userAgent: agentOf(request),
    });
    if (made === 0) throw new SignInNeeded();
    await also?.(db);
  };
  // It may wait for a lock on the person, so it takes a pooled connection and does not delay statements of others (decision 0051).
  await (also ? platform.db.transaction(write) : write(platform.db.pooled));
  setSessionCookie(platform, reply, secret, kept);
  // Whatever else this request writes belongs to the new session.
  browsers.set(request, {
    ...old,
    ...{ returnTo: known?.returnTo ?? null, isStored: true, fresh: "userId" in who },
    authenticatedBy: before,
    kept,
    digest: digest(secret),
    ...formTokenOf(platform.keys, secret),
  });
}

/** Leaves a message for the next page and redirects there, by 303, so that the browser uses GET. */
export async function redirectWith(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
  flash: Flash,
): Promise<FastifyReply> {
  const { digest: id } = await storedBrowserOf(platform, request, reply);
  await updateSessionFlash(platform.db, id, sealFlash(platform, flash));
  return reply.redirect(path, 303);
}
