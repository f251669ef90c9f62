/** A request whose headers arrive, while its body is still to come. */
import { once } from "node:events";
import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { integer, row } from "../../src/platform/row.ts";
import { digest } from "../../src/platform/secret.ts";
import { sql } from "../../src/platform/sql.ts";
import { whenDone } from "./cleanup.ts";
import { until } from "./until.ts";
import type { Reply, World } from "./world.ts";

type Answer = Pick<Reply, "status" | "text" | "json"> & { headers: Readonly<Record<string, unknown>> };

interface Head {
  method: string;
  path: string;
  headers: Readonly<Record<string, string>>;
}

/** Sends the headers of a request. */
export async function headOf({ url }: { url: string }, { method, path, headers }: Head, length: number) {
  const outgoing = request(url + path, { method, headers: { ...headers, "content-length": length } });
  whenDone(async () => void outgoing.destroy());
  const answer = new Promise<Answer>((resolve, reject) => {
    outgoing.on("error", reject);
    outgoing.on("response", async (incoming) => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk);
      const text = Buffer.concat(chunks).toString();
      const isJson = incoming.headers["content-type"]?.includes("json");
      const json = isJson ? JSON.parse(text) : undefined;
      resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, json });
    });
  });
  // Whoever is refused before the body was sent has an answer to look at, too.
  answer.catch(() => {});
  outgoing.flushHeaders();
  if (outgoing.socket === null) await once(outgoing, "socket");
  return {
    /** The answer, which may come before the body was sent. */
    answer,
    /** Sends the body. */
    send: (body: string | Uint8Array): Promise<Answer> => {
      outgoing.end(body);
      return answer;
    },
  };
}

/** Sends a request whose guard runs before `change`, and whose body comes after it. Ordinary guards take less than the pause. */
export async function aroundBody(
  world: Pick<World, "url">,
  { body, ...head }: Head & { body: string | Uint8Array },
  change: () => Promise<unknown>,
): Promise<Answer> {
  const { send } = await headOf(world, head, Buffer.byteLength(body));
  await sleep(300);
  await change();
  return send(body);
}

/** Like `aroundBody`, with JSON and a new token, whose first use is noted: then the guard has run. */
export async function aroundJson(
  world: World,
  { method = "POST", path, token, json }: { method?: string; path: string; token: string; json: object },
  change: () => Promise<unknown>,
): Promise<Answer> {
  const text = JSON.stringify(json);
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const { send } = await headOf(world, { method, path, headers }, Buffer.byteLength(text));
  const used = sql`select 1 as used from access_tokens
    where digest = ${digest(token)} and last_used_at is not null`;
  await until(async () => (await world.owner.find(row({ used: integer }), used)) !== undefined);
  await change();
  return send(text);
}
