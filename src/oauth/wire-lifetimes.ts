/** The lifetimes of an application's tokens in the API and in forms (decision 0194). */
import type { FastifyRequest } from "fastify";
import { nullable } from "../platform/answer-shapes.ts";
import { formText } from "../platform/form-text.ts";
import Type from "../platform/schema.ts";
import { LIFETIME_FIELDS, LIFETIME_NAMES, LIFETIMES, type Lifetime, type OwnLifetimes } from "./lifetimes.ts";

const WORDS: Readonly<Record<Lifetime, string>> = {
  accessTokenSeconds: "lifetime of its access tokens in seconds",
  refreshIdleSeconds: "lifetime of its unused refresh tokens in seconds",
  refreshAbsoluteSeconds: "seconds after the approval at which its refresh tokens expire",
};

function lifetime(name: Lifetime) {
  const { least: minimum, most: maximum, usual } = LIFETIMES[name];
  const description = `${WORDS[name]}; null: the default, ${usual}`;
  return Type.Optional(Type.Union([Type.Integer({ minimum, maximum }), Type.Null()], { description }));
}

export const lifetimeBody = {
  access_token_seconds: lifetime("accessTokenSeconds"),
  refresh_idle_seconds: lifetime("refreshIdleSeconds"),
  refresh_absolute_seconds: lifetime("refreshAbsoluteSeconds"),
};

const answer = (name: Lifetime) =>
  nullable(Type.Integer({ description: `${WORDS[name]}; null: ${LIFETIMES[name].usual}` }));

export const lifetimeAnswers = {
  access_token_seconds: answer("accessTokenSeconds"),
  refresh_idle_seconds: answer("refreshIdleSeconds"),
  refresh_absolute_seconds: answer("refreshAbsoluteSeconds"),
};

type LifetimeRecord = Record<(typeof LIFETIME_FIELDS)[Lifetime], number | null>;

export function lifetimeRecord(set: OwnLifetimes): LifetimeRecord {
  return Object.fromEntries(
    LIFETIME_NAMES.map((name) => [LIFETIME_FIELDS[name], set[name]]),
  ) as LifetimeRecord;
}

/** The lifetimes in a validated body; absent ones have the default. */
export function lifetimesOfBody(body: Partial<LifetimeRecord>): OwnLifetimes {
  return readLifetimes((word) => body[word] ?? null);
}

/** The lifetimes in a posted form; anything but a number is refused later. */
export function lifetimesOfForm(request: FastifyRequest): OwnLifetimes {
  return readLifetimes((word) => numberOf(formText(request, word)));
}

/** The lifetimes in an address that prefills a form; anything but a number is ignored. */
export function lifetimesOfQuery(text: (name: string) => string): OwnLifetimes {
  return readLifetimes((word) => numberOf(text(word)) || null);
}

function readLifetimes(read: (word: (typeof LIFETIME_FIELDS)[Lifetime]) => number | null): OwnLifetimes {
  return Object.fromEntries(
    LIFETIME_NAMES.map((name) => [name, read(LIFETIME_FIELDS[name])]),
  ) as OwnLifetimes;
}

function numberOf(text: string): number | null {
  return text === "" ? null : Number(text);
}

/** For an address that prefills a form: the lifetimes that are set. */
export function prefilledLifetimes(set: OwnLifetimes): Record<string, string> {
  const given = Object.entries(lifetimeRecord(set)).filter(([, seconds]) => Number.isInteger(seconds));
  return Object.fromEntries(given.map(([word, seconds]) => [word, String(seconds)]));
}
