/** Counts the cost of a request in statements and hashes, where a clock would make a test depend on the machine. */
import assert from "node:assert/strict";
import { buildApp } from "../../src/app.ts";
import { flushRefusals } from "../../src/oauth/record-refusal.ts";
import type { Db, Queries } from "../../src/platform/db.ts";
import { metricsText, processFamilies } from "../../src/platform/metrics.ts";
import type { Platform } from "../../src/platform/platform.ts";
import type { Sql } from "../../src/platform/sql.ts";
import type { World } from "./world.ts";

interface Counting {
  app: Awaited<ReturnType<typeof buildApp>>;
  platform: Platform;
  /** Statements since the last call. */
  statements: () => number;
  /** Waits until refusals, which are recorded after the response, are stored, and resets the count. */
  quiet: () => Promise<void>;
  /** The number of statements of a token request with this form, which must get this status. */
  tokenCost: (form: Record<string, string>, status: number) => Promise<number>;
}

/** A second app on the same platform, which counts the statements sent to the database. */
export async function counting(world: World): Promise<Counting> {
  let n = 0;
  const counted = (db: object): Db =>
    new Proxy(db, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (name === "pooled") return counted(value as object);
        if (typeof value !== "function") return value;
        return (...given: unknown[]) => {
          n++;
          return (value as (...all: unknown[]) => unknown).apply(target, given);
        };
      },
    }) as Db;
  const platform = { ...world.platform, db: counted(world.platform.db) };
  const app = await buildApp(platform);
  const statements = () => {
    const taken = n;
    n = 0;
    return taken;
  };
  const quiet = async () => {
    await flushRefusals(platform);
    statements();
  };
  const tokenCost = async (form: Record<string, string>, status: number) => {
    await quiet();
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const payload = new URLSearchParams(form).toString();
    const reply = await app.inject({ url: "/oauth/token", method: "POST", payload, headers });
    assert.equal(reply.statusCode, status, reply.payload);
    return statements();
  };
  return { app, platform, statements, quiet, tokenCost };
}

/** The same database, with a list of the statements sent through it so far. */
export function noting(db: Db): { db: Db; statements: Sql[] } {
  const statements: Sql[] = [];
  const noted = (statement: Sql) => {
    statements.push(statement);
    return statement;
  };
  const through = (queries: Queries): Queries => ({
    many: (shape, statement) => queries.many(shape, noted(statement)),
    find: (shape, statement) => queries.find(shape, noted(statement)),
    one: (shape, statement) => queries.one(shape, noted(statement)),
    run: (statement) => queries.run(noted(statement)),
  });
  return {
    db: { ...db, ...through(db), pooled: through(db.pooled), searching: through(db.searching) },
    statements,
  };
}

/** Number of passwords that this process has hashed so far. */
export function hashes(): number {
  return Number(/^gatehouse_password_hashes_total (\d+)$/m.exec(metricsText(processFamilies()))?.[1] ?? 0);
}
