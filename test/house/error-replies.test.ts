/** Error responses of the API, OAuth endpoints and pages: status, message, headers, and what is only logged. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { FastifyInstance } from "fastify";
import { speaksErrors, speaksPages } from "../../src/error-replies.ts";
import { createServer } from "../../src/platform/http.ts";
import { createLog } from "../../src/platform/log.ts";
import { Problem, type ProblemKind, ScopeProblem, UnknownToken } from "../../src/platform/problem.ts";
import { newSecret } from "../../src/platform/secret.ts";
import { whenDone } from "../support/cleanup.ts";
import { startWorld } from "../support/world.ts";

const WORDS = "Something is not as it should be.";
const INNER = "for the operator alone";

const TOKEN = newSecret("accessToken");
/** As it may be percent-encoded in an address, also within another address. */
const WRITTEN = TOKEN.replace("_", "%5F").replaceAll("%", "%25");

/** Status, OAuth error code and challenge (house §2.6; RFC 6749 §5.2; RFC 6750 §3). */
const KINDS: Readonly<Record<ProblemKind, readonly [status: number, oauth: string, challenge?: string]>> = {
  invalid: [400, "invalid_request"],
  unauthenticated: [401, "invalid_token", 'Bearer realm="Gatehouse"'],
  forbidden: [403, "invalid_request"],
  not_found: [404, "invalid_request"],
  not_allowed: [405, "invalid_request"],
  conflict: [409, "invalid_request"],
  too_large: [413, "invalid_request"],
  unsupported: [415, "invalid_request"],
  unprocessable: [422, "invalid_request"],
  too_many: [429, "temporarily_unavailable"],
  unavailable: [503, "temporarily_unavailable"],
};

const thrown: Readonly<Record<string, () => Error>> = {
  ...Object.fromEntries(
    (Object.keys(KINDS) as ProblemKind[]).map((kind) => [
      kind,
      () => new Problem(kind, WORDS, { log: INNER, retryAfterSeconds: 7 }),
    ]),
  ),
  bug: () => new Error(INNER),
  quoting: () => new Problem("invalid", WORDS, { log: `sent https://a.example/?t=${TOKEN}&u=${WRITTEN}.` }),
  scope: () => new ScopeProblem(["api", "read_api"]),
  token: () => new UnknownToken(),
};

let app: FastifyInstance;
const logged: Record<string, unknown>[] = [];

before(async () => {
  const { platform } = await startWorld();
  const log = createLog({ logLevel: "info" }, { write: (line) => void logged.push(JSON.parse(line)) });
  app = await createServer({ ...platform, log });
  whenDone(() => app.close());
  const doors: Readonly<Record<string, (door: FastifyInstance) => void>> = {
    api: (door) => speaksErrors(door, "api"),
    oauth: (door) => speaksErrors(door, "oauth"),
    pages: (door) => speaksPages(door, platform),
  };
  for (const [name, speaks] of Object.entries(doors)) {
    await app.register(async (door) => {
      speaks(door);
      for (const [what, make] of Object.entries(thrown)) {
        door.get(`/${name}/${what}`, async () => {
          throw make();
        });
      }
    });
  }
});

async function ask(path: string) {
  const reply = await app.inject(path);
  assert.ok(!reply.body.includes(INNER), path);
  const { "www-authenticate": challenge, "retry-after": retryAfter, "content-type": type } = reply.headers;
  return { status: reply.statusCode, body: reply.body, challenge, retryAfter, type, headers: reply.headers };
}

for (const [kind, [status, code, challenge]] of Object.entries(KINDS)) {
  test(`${kind} is ${status} at API, OAuth endpoints and pages, each in its own format, with Retry-After and no-store (house §2.6, §2.10)`, async () => {
    const api = await ask(`/api/${kind}`);
    assert.deepEqual([api.status, api.challenge], [status, challenge]);
    assert.match(String(api.type), /^application\/json\b/);
    assert.deepEqual(JSON.parse(api.body), { [kind === "not_allowed" ? "error" : "message"]: WORDS });
    const oauth = await ask(`/oauth/${kind}`);
    assert.deepEqual([oauth.status, JSON.parse(oauth.body).error], [status, code]);
    assert.deepEqual([oauth.challenge, oauth.headers.pragma], [challenge, "no-cache"]);
    const page = await ask(`/pages/${kind}`);
    assert.deepEqual(
      [page.status, page.type, page.challenge],
      [status, "text/html; charset=utf-8", undefined],
    );
    assert.equal(page.body.includes(WORDS), kind !== "not_found");
    for (const { retryAfter, headers } of [api, oauth, page]) {
      assert.deepEqual([retryAfter, headers["cache-control"]], ["7", "no-store"]);
    }
  });
}

test("an unexpected error is 500 with a fixed message, and its cause is only logged (house §2.6)", async () => {
  const [api, oauth, page] = await Promise.all(["api", "oauth", "pages"].map((door) => ask(`/${door}/bug`)));
  assert.deepEqual([api?.status, oauth?.status, page?.status], [500, 500, 500]);
  assert.deepEqual(JSON.parse(api?.body ?? ""), { message: "500 Internal Server Error" });
  assert.equal(JSON.parse(oauth?.body ?? "").error, "server_error");
  const bugs = logged.filter(({ msg }) => msg === "bug");
  assert.deepEqual(
    bugs.map(({ err }) => (err as Error).message),
    [INNER, INNER, INNER],
  );
});

test("the challenge says what is wrong with a token (RFC 6750 §3.1; house §2.6)", async () => {
  for (const door of ["api", "oauth"]) {
    const scope = await ask(`/${door}/scope`);
    assert.equal(scope.status, 403);
    assert.equal(JSON.parse(scope.body).error, "insufficient_scope");
    assert.equal(
      scope.challenge,
      'Bearer realm="Gatehouse", error="insufficient_scope", scope="api read_api"',
    );
    const token = await ask(`/${door}/token`);
    assert.deepEqual(
      [token.status, token.challenge],
      [401, 'Bearer realm="Gatehouse", error="invalid_token"'],
    );
  }
});

test("the log has kind, route, request id and the detail meant for the operator (house §2.6)", async () => {
  logged.length = 0;
  const { headers } = await ask("/api/conflict?secret=1");
  const [line] = logged.filter(({ msg }) => msg === "refused");
  const { kind, route, detail, reqId } = line ?? {};
  assert.deepEqual(
    [kind, route, detail, reqId],
    ["conflict", "/api/conflict", INNER, headers["x-request-id"]],
  );
  assert.ok(!JSON.stringify(logged).includes("secret"));
});

test("a secret quoted in a refusal is masked in the log, also percent-encoded (reference reliability E, S51, S127)", async () => {
  logged.length = 0;
  for (const door of ["api", "oauth", "pages"]) await ask(`/${door}/quoting`);
  const told = logged.filter(({ msg }) => msg === "refused").map(({ detail }) => detail);
  assert.deepEqual(told, Array(3).fill("sent https://a.example/?t=SECRET&u=SECRET."));
});
