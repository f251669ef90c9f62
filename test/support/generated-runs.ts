/** Sends generated requests as they are, which `fetch` would correct or refuse, and collects what is wrong with the answers. */
import assert from "node:assert/strict";
import { Agent, request } from "node:http";
import type { TestContext } from "node:test";
import fc from "fast-check";
import { verifyAudit } from "../../src/accounts/verify-audit.ts";
import { assertDescribed } from "./described.ts";
import type { Generated } from "./generated-requests.ts";
import type { Reply, World } from "./world.ts";

/** Of the generators; the same requests come again with the same one, as far as they do not depend on earlier answers. */
const SEED = Number(process.env.GATEHOUSE_TEST_SEED ?? 1);
/** How many times as many requests. */
const RUNS = Number(process.env.GATEHOUSE_TEST_RUNS ?? 1);

/** Adds what is made at the time of sending, such as a signature. */
type Finish = (asked: Generated) => Generated | Promise<Generated>;

export class GeneratedRuns {
  readonly #world: World;
  readonly #faults: string[] = [];
  readonly #statuses: Record<number, number> = {};
  #sent = 0;
  #subjects = 0;

  readonly #heard: ((reply: Reply) => void) | undefined;

  /** `heard` is called with every answer. */
  constructor(world: World, heard?: (reply: Reply) => void) {
    this.#world = world;
    this.#heard = heard;
  }

  /** Sends this many requests about one subject, and stores its first fault with the smallest request that has it. */
  async ask(
    subject: string,
    requests: fc.Arbitrary<Generated>,
    many: number,
    finish: Finish = (one) => one,
  ): Promise<void> {
    const property = fc.asyncProperty(requests, async (generated) => this.#judge(await finish(generated)));
    const { failed, errorInstance } = await fc.check(property, {
      seed: SEED + this.#subjects++,
      numRuns: many * RUNS,
    });
    if (failed)
      this.#faults.push(
        `${subject}: ${errorInstance instanceof Error ? errorInstance.message : errorInstance}`,
      );
  }

  async #judge(asked: Generated): Promise<void> {
    const { url, app } = this.#world;
    const reply = await sent(url, asked);
    this.#sent++;
    this.#heard?.(reply);
    this.#statuses[reply.status] = (this.#statuses[reply.status] ?? 0) + 1;
    const words = `${wordsOf(asked)} → ${reply.status} ${reply.text.slice(0, 600)}`;
    assert.ok(reply.status >= 200 && reply.status < 500, words);
    assert.match(reply.headers.get("x-request-id") ?? "", /^[0-9a-f-]{36}$/, words);
    assertExplained(reply, words);
    await assertDescribed(app, asked.method, url + asked.target, reply).catch((fault: Error) => {
      throw new Error(`${fault.message}\n${words}`);
    });
  }

  /** Asserts that nothing was wrong, that the service still works, and that at least this many requests were sent. */
  async assertNoFault(t: TestContext, atLeast: number): Promise<void> {
    t.diagnostic(
      `GATEHOUSE_TEST_SEED=${SEED} GATEHOUSE_TEST_RUNS=${RUNS}: ${this.#sent} requests ${JSON.stringify(this.#statuses)}`,
    );
    assert.deepEqual(this.#faults, []);
    assert.ok(this.#sent >= atLeast, `${this.#sent} requests`);
    assert.equal((await this.#world.call("/-/readiness")).status, 200);
    assert.equal((await verifyAudit(this.#world.platform.db)).broken, undefined);
  }
}

/** Asserts that a refusal says in words what is wrong: to programs in JSON, with a code or a sentence, and to people on a page. */
function assertExplained({ status, headers, text: body, json }: Reply, words: string): void {
  if (status < 400 || body === "") return;
  const type = headers.get("content-type") ?? "";
  if (type.startsWith("text/html")) {
    assert.match(body, /<h1/, words);
    return;
  }
  assert.match(type, /^application\/json/, words);
  const said = json?.error ?? json?.message ?? json?.status ?? json?.result;
  assert.ok(typeof said === "string" ? said !== "" : typeof said === "object" && said !== null, words);
}

const agent = new Agent({ keepAlive: true, maxSockets: 8 });

/** The answer to a request; of a stream, only its head. @throws Error if there is none */
function sent(url: string, { method, target, headers, body }: Generated): Promise<Reply> {
  const { hostname, port } = new URL(url);
  // Node.js writes it by itself only for some methods.
  const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const asked = request(
      { agent, hostname, port, method, path: target, headers: { ...headers, ...length } },
      (answer) => {
        const parts: Buffer[] = [];
        const done = () => resolve(replyOf(answer.statusCode ?? 0, answer.rawHeaders, Buffer.concat(parts)));
        const isStream = answer.headers["content-type"]?.startsWith("text/event-stream");
        answer.on("error", isStream ? () => {} : reject);
        if (isStream) {
          answer.destroy();
          return done();
        }
        answer.on("data", (part: Buffer) => parts.push(part));
        answer.on("end", done);
      },
    );
    asked.on("error", reject);
    asked.end(body);
  });
}

function replyOf(status: number, raw: readonly string[], body: Buffer): Reply {
  const headers = new Headers();
  for (let n = 0; n < raw.length; n += 2) headers.append(raw[n] ?? "", raw[n + 1] ?? "");
  const words = body.toString();
  let json: unknown;
  try {
    json = JSON.parse(words);
  } catch {
    json = undefined;
  }
  return { status, headers, text: words, json };
}

/** A request in one line, cut. */
function wordsOf({ method, target, headers, body }: Generated): string {
  const content = body === undefined ? "" : Buffer.from(body).toString("latin1").slice(0, 1500);
  return `${method} ${target.slice(0, 600)} ${JSON.stringify(headers)} ${JSON.stringify(content)}`;
}
