/** How many rows a statement reads with the service's plans, which are generic. */
import pg from "pg";
import type { Queries } from "../../src/platform/db.ts";
import type { Sql } from "../../src/platform/sql.ts";
import type { World } from "./world.ts";

interface Node {
  "Relation Name"?: string;
  "Actual Rows"?: number;
  "Actual Loops"?: number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Join Filter"?: number;
  Plans?: Node[];
}

/** Runs the statements of `ask`, and counts the rows of the table that they read. */
export function rowsRead(
  world: Pick<World, "connection">,
  table: string,
  ask: (db: Queries) => Promise<unknown>,
): Promise<number> {
  return sumOver(world, (node) => (node["Relation Name"] === table ? rowsAt(node) : 0), ask);
}

/** Runs the statements of `ask`, and counts the rows that all their plan nodes handle, including discarded ones. */
export function rowsHandled(
  world: Pick<World, "connection">,
  ask: (db: Queries) => Promise<unknown>,
): Promise<number> {
  return sumOver(world, rowsAt, ask);
}

async function sumOver(
  { connection }: Pick<World, "connection">,
  of: (node: Node) => number,
  ask: (db: Queries) => Promise<unknown>,
): Promise<number> {
  const client = new pg.Client(connection);
  await client.connect();
  await client.query("set plan_cache_mode = 'force_generic_plan'; set jit = off; set random_page_cost = 1.1");
  let rows = 0;
  const explain = async ({ statement, values }: Sql) => {
    await client.query(`prepare asked as ${statement.text}`);
    const given = values.length > 0 ? `(${values.map(literal).join(", ")})` : "";
    const answer = await client.query(`explain (analyze, timing off, format json) execute asked${given}`);
    rows += sumOf(answer.rows[0]["QUERY PLAN"][0].Plan, of);
    await client.query("deallocate asked");
    return [];
  };
  const many = (_shape: unknown, statement: Sql) => explain(statement);
  const one = async (_shape: unknown, statement: Sql) => {
    await explain(statement);
    return {};
  };
  try {
    await ask({ many, one, find: one, run: explain } as unknown as Queries);
  } finally {
    await client.end();
  }
  return rows;
}

function sumOf(node: Node, of: (node: Node) => number): number {
  return (node.Plans ?? []).reduce((sum, inner) => sum + sumOf(inner, of), of(node));
}

function rowsAt(node: Node): number {
  const { "Actual Rows": found = 0, "Rows Removed by Filter": dropped = 0, "Actual Loops": loops = 1 } = node;
  return (found + dropped + (node["Rows Removed by Join Filter"] ?? 0)) * loops;
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return "null";
  const plain = (one: unknown) => (one instanceof Date ? one.toISOString() : String(one));
  const text = Array.isArray(value)
    ? `{${value.map((one) => JSON.stringify(plain(one))).join(",")}}`
    : plain(value);
  return pg.escapeLiteral(text);
}
