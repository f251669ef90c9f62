/** Auth.js (@auth/core) with its GitLab provider signs a person in, with and without iss in the response. */
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { before, test } from "node:test";
import { anApplication, decide, signedIn } from "../support/oauth.ts";
import { startWorld, type World } from "../support/world.ts";

// Its types would add browser types to every file.
const require = createRequire(import.meta.url);
const { Auth } = require("@auth/core") as {
  Auth: (request: Request, config: Record<string, unknown>) => Promise<Response>;
};
const { default: GitLab } = require("@auth/core/providers/gitlab") as {
  default: (options: Record<string, string>) => object;
};

const SITE = "http://shop.localhost:4321";

let world: World;

before(async () => {
  world = await startWorld();
});

interface Site {
  /** Sends a request to the site that runs Auth.js, with the cookies it has set so far. */
  ask(path: string, form?: Record<string, string>): Promise<Response>;
  complaints: string[];
}

function aSite(config: { providers: object[] }): Site {
  const cookies = new Map<string, string>();
  const complaints: string[] = [];
  const logger = {
    error: (error: Error) => {
      const { err } = (error.cause ?? {}) as { err?: Error };
      complaints.push(`${error.name}: ${err?.message ?? error.message}`);
    },
  };
  const ask = async (path: string, form?: Record<string, string>) => {
    const headers = new Headers({
      cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
    });
    if (form) headers.set("content-type", "application/x-www-form-urlencoded");
    const body = form ? { method: "POST", body: new URLSearchParams(form).toString() } : {};
    const request = new Request(new URL(path, SITE), { headers, ...body });
    const reply = await Auth(request, {
      basePath: "/auth",
      secret: "x".repeat(32),
      trustHost: true,
      logger,
      ...config,
    });
    for (const line of reply.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    return reply;
  };
  return { ask, complaints };
}

/** Signs a person in, from the site's button to its session. */
async function signIn(options: { id?: string; issuer?: string }, omitIss: boolean) {
  const { id = "gitlab" } = options;
  const application = await anApplication(world, {
    redirectUris: [`${SITE}/auth/callback/${id}`],
    scopes: ["read_user"],
    omitIss,
  });
  const { uid: clientId, secret: clientSecret } = application;
  const site = aSite({
    providers: [GitLab({ clientId, clientSecret, baseUrl: `${world.url}/`, ...options })],
  });
  const { csrfToken } = (await (await site.ask("/auth/csrf")).json()) as { csrfToken: string };
  const away = await site.ask(`/auth/signin/${id}`, { csrfToken, callbackUrl: SITE });
  const to = new URL(away.headers.get("location") ?? "");
  assert.equal(to.origin, world.url);
  assert.equal(to.searchParams.get("code_challenge_method"), "S256");
  const back = await decide(await signedIn(world, "dev"), to.pathname + to.search);
  const location = back.headers.get("location") ?? "";
  const landed = await site.ask(location);
  const session = (await (await site.ask("/auth/session")).json()) as {
    user?: Record<string, string>;
  } | null;
  return { landed, session, complaints: site.complaints, iss: new URL(location).searchParams.get("iss") };
}

test("Auth.js signs Dev in when the application omits iss (reference oauth 0.7, E)", async () => {
  const { landed, session, complaints, iss } = await signIn({}, true);
  assert.equal(iss, null);
  assert.deepEqual(complaints, []);
  assert.equal(landed.headers.get("location"), SITE);
  assert.equal(session?.user?.name, "Dev Developer");
  assert.equal(session?.user?.email, "dev@example.org");
  assert.ok(session?.user?.image?.startsWith(world.url));
});

test("Auth.js signs Dev in with its defaults: iss is omitted for its callback path (decision 0123)", async () => {
  const { landed, session, complaints, iss } = await signIn({}, false);
  assert.equal(iss, null);
  assert.deepEqual(complaints, []);
  assert.equal(landed.headers.get("location"), SITE);
  assert.equal(session?.user?.name, "Dev Developer");
});

test("Auth.js signs Dev in when its provider is given the issuer, with or without iss in the response (RFC 9207 §2.4; reference oauth E)", async () => {
  const unnamed = await signIn({ issuer: world.url }, false);
  assert.deepEqual([unnamed.iss, unnamed.session?.user?.name], [null, "Dev Developer"]);
  const { landed, session, complaints, iss } = await signIn({ id: "house", issuer: world.url }, false);
  assert.equal(iss, world.url);
  assert.deepEqual(complaints, []);
  assert.equal(landed.headers.get("location"), SITE);
  assert.equal(session?.user?.name, "Dev Developer");
});

test("at another callback path Auth.js refuses a response with iss, which is why omit_iss exists (reference oauth 0.7)", async () => {
  const { session, complaints } = await signIn({ id: "house" }, false);
  assert.equal(session, null);
  assert.match(complaints.join(" "), /iss/);
});

test("Auth.js refuses a response when configured with another issuer (RFC 9207 §2.4)", async () => {
  const { session } = await signIn({ id: "house", issuer: "https://elsewhere.example" }, false);
  assert.equal(session, null);
});
