/** The lifetimes of an application's tokens in the API and in forms (decision 0194). */
import type { FastifyRequest } from "fastify";
import { nullable } from "../platform/answer-shapes.ts";
import { formText } from "../platform/form-text.ts";
import Type from "../platform/schema.ts";
import { LIFE_NAMES, LIFE_WORDS, LIVES, type Life, type SetLives } from "./lifetimes.ts";

const WORDS: Readonly<Record<Life, string>> = {
  accessTokenSeconds: "lifetime of its access tokens in seconds",
  refreshIdleSeconds: "lifetime of its unused refresh tokens in seconds",
  refreshAbsoluteSeconds: "seconds after the approval at which its refresh tokens expire",
};

function life(name: Life) {
  const { least: minimum, most: maximum, usual } = LIVES[name];
  const description = `${WORDS[name]}; null: the default, ${usual}`;
  return Type.Optional(Type.Union([Type.Integer({ minimum, maximum }), Type.Null()], { description }));
}

export const lifeBody = {
  access_token_seconds: life("accessTokenSeconds"),
  refresh_idle_seconds: life("refreshIdleSeconds"),
  refresh_absolute_seconds: life("refreshAbsoluteSeconds"),
};

const answer = (name: Life) =>
  nullable(Type.Integer({ description: `${WORDS[name]}; null: ${LIVES[name].usual}` }));

export const lifeAnswers = {
  access_token_seconds: answer("accessTokenSeconds"),
  refresh_idle_seconds: answer("refreshIdleSeconds"),
  refresh_absolute_seconds: answer("refreshAbsoluteSeconds"),
};

type LifeRecord = Record<(typeof LIFE_WORDS)[Life], number | null>;

export function lifeRecord(set: SetLives): LifeRecord {
  return Object.fromEntries(LIFE_NAMES.map((name) => [LIFE_WORDS[name], set[name]])) as LifeRecord;
}

/** The lifetimes in a validated body; absent ones have the default. */
export function livesOfBody(body: Partial<LifeRecord>): SetLives {
  return readLives((word) => body[word] ?? null);
}

/** The lifetimes in a posted form; anything but a number is refused later. */
export function livesOfForm(request: FastifyRequest): SetLives {
  return readLives((word) => numberOf(formText(request, word)));
}

/** The lifetimes in an address that prefills a form; anything but a number is ignored. */
export function livesOfQuery(text: (name: string) => string): SetLives {
  return readLives((word) => numberOf(text(word)) || null);
}

function readLives(read: (word: (typeof LIFE_WORDS)[Life]) => number | null): SetLives {
  return Object.fromEntries(LIFE_NAMES.map((name) => [name, read(LIFE_WORDS[name])])) as SetLives;
}

function numberOf(text: string): number | null {
  return text === "" ? null : Number(text);
}

/** For an address that prefills a form: the lifetimes that are set. */
export function prefilledLives(set: SetLives): Record<string, string> {
  const given = Object.entries(lifeRecord(set)).filter(([, seconds]) => Number.isInteger(seconds));
  return Object.fromEntries(given.map(([word, seconds]) => [word, String(seconds)]));
}
