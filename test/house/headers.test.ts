/** Security headers of every route, for every visitor and status. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { aSource } from "../support/alerts.ts";
import { type Door, doorsOf } from "../support/doors.ts";
import { signedIn, Visitor } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

interface Answer {
  /** `GET /acme/rocket as Ada from null: 200`. */
  name: string;
  status: number;
  type: string;
  headers: Headers;
  text: string;
  origin: string;
}

let world: World;
const answers: Answer[] = [];

/** Other sites; browsers send `null` for a page without an origin. */
const ORIGINS = ["https://evil.example", "null", "http://evil.localhost"];

before(async () => {
  world = await startWorld();
  const source = await aSource(world);
  await source.send({ title: "<b>Down</b>" });
  const people: [string, Visitor, string | undefined][] = [
    ["Ada", await signedIn(world, "ada"), await world.tokenOf("ada", "api")],
    ["Max", await signedIn(world, "max"), await world.tokenOf("max", "api")],
    ["nobody", new Visitor(world.url), undefined],
  ];
  let asked = 0;
  for (const door of doorsOf(world.app).filter(({ method }) => method === "GET")) {
    // Streams do not end; their headers are checked below.
    if (/\/stream$/.test(door.path)) continue;
    for (const [person, visitor, token] of people) {
      const origin = ORIGINS[asked++ % ORIGINS.length] ?? "";
      const address = addressOf(door);
      const isPage = !/^\/(api|oauth\/(token|userinfo|introspect))/.test(address);
      const from = { origin, ...(token && !isPage ? { authorization: `Bearer ${token}` } : {}) };
      const { status, headers, text } = await visitor.get(address, from);
      const type = headers.get("content-type") ?? "";
      const name = `GET ${address} as ${person} from ${origin}: ${status}`;
      answers.push({ name, status, type, headers, text, origin });
    }
  }
  await visitWrong();
});

const addressOf = ({ path }: Door): string =>
  path
    .replace(/^\/:project/, "/acme/rocket")
    .replace(/^(\/api\/v4\/projects\/):id/, "$1acme%2Frocket")
    .replace(/^(\/(?:api\/v4\/)?groups\/):[a-z_]+/, "$1acme")
    .replace(/:[a-z_]+(\|:[a-z_]+)*/g, "1");

/** Refused and unknown requests, in every response format of the service. */
async function visitWrong(): Promise<void> {
  for (const [method, path] of [
    ["GET", "/-/nothing/<script>alert(1)</script>"],
    ["GET", "/%ff"],
    ["GET", "/-/assets/app.css"],
    ["POST", "/users/sign_in"],
    ["POST", "/oauth/token"],
    ["POST", "/api/v4/projects"],
    ["PUT", "/users/sign_in"],
    ["POST", "/acme/rocket/alerts/notify.json"],
    ["POST", "/v2/enqueue"],
    ["GET", "/acme/rocket.atom"],
  ] as const) {
    const origin = ORIGINS[0] ?? "";
    const { status, headers, text } = await world.call(path, { method, headers: { origin } });
    const type = headers.get("content-type") ?? "";
    answers.push({ name: `${method} ${path}: ${status}`, status, type, headers, text, origin });
  }
}

/** Asserts that `isWrong` holds for none of at least so many responses. */
function without(least: number, chosen: Answer[], isWrong: (answer: Answer) => boolean): void {
  assert.ok(chosen.length >= least, `${chosen.length} responses`);
  assert.deepEqual(
    chosen.filter(isWrong).map(({ name, type }) => `${name} ${type}`),
    [],
  );
}

const isHtml = ({ type }: Answer) => /^text\/html/.test(type);

describe("every response", () => {
  it("that is a page cannot be framed, runs no inline script, and is not cached (CSP level 3; reference reliability S71, S72)", () => {
    const pages = answers.filter(isHtml);
    without(150, pages, ({ headers }) => {
      const policy = headers.get("content-security-policy") ?? "";
      const rules = new Map(policy.split(";").map((rule) => rule.trim().split(/ (.*)/s) as [string, string]));
      const isStrict =
        rules.get("default-src") === "'none'" &&
        rules.get("frame-ancestors") === "'none'" &&
        rules.get("base-uri") === "'none'" &&
        /^('none'|'self')$/.test(rules.get("script-src") ?? "'none'") &&
        !/unsafe|nonce|\*/.test(policy);
      return !isStrict || headers.get("x-frame-options") !== "DENY";
    });
    without(150, pages, ({ headers }) => !/no-store/.test(headers.get("cache-control") ?? ""));
  });

  it("of whatever kind cannot be framed, and loads and runs nothing if it is opened by itself (ASVS 3.4.3, 3.4.6)", () => {
    without(300, answers, ({ headers }) => {
      const rules = (headers.get("content-security-policy") ?? "").split("; ");
      return !["default-src", "base-uri", "frame-ancestors"].every((rule) =>
        rules.includes(`${rule} 'none'`),
      );
    });
  });

  it("declares its media type, with nosniff (reference reliability S73)", () => {
    without(300, answers, ({ headers }) => headers.get("x-content-type-options") !== "nosniff");
    const bodies = answers.filter(({ text }) => text !== "");
    const looksLikeJson = ({ text }: Answer) => /^\s*[[{]/.test(text);
    without(250, bodies, ({ type }) => type === "");
    without(
      100,
      bodies.filter(looksLikeJson),
      ({ type }) => !/^application\/(?:[\w.-]+\+|x-nd)?json/.test(type),
    );
    without(150, bodies.filter(isHtml), ({ text }) => !/^<!doctype html>/i.test(text));
  });

  it("is unreadable for other sites with the visitor's cookies, streams included (contract §4, CORS; reference reliability S75, S76)", async () => {
    without(300, answers, ({ headers, origin }) => {
      const allowed = headers.get("access-control-allow-origin");
      return headers.has("access-control-allow-credentials") || allowed === origin;
    });
    without(150, answers.filter(isHtml), ({ headers }) => headers.has("access-control-allow-origin"));
    // Streams do not end, so only their headers are requested.
    const visitor = await signedIn(world, "max");
    const origin = ORIGINS[0] ?? "";
    const cookie = `session=${visitor.cookie("session") ?? ""}`;
    const alerts = await world.call("/acme/rocket/-/alerts/stream", {
      method: "HEAD",
      headers: { origin, cookie },
    });
    assert.equal(alerts.headers.get("access-control-allow-origin"), null);
    const events = await world.call("/api/v4/events/stream", { headers: { origin, cookie } });
    assert.equal(events.status, 401, "the API does not accept cookies");
  });

  it("reveals neither its software nor a stack trace, and no status is 5xx (reference reliability S132)", () => {
    without(300, answers, ({ headers }) => headers.has("server") || headers.has("x-powered-by"));
    without(300, answers, ({ text }) => /\n\s+at .*\.ts:\d|node_modules|SQLSTATE/.test(text));
    without(300, answers, ({ status }) => status >= 500);
  });
});
