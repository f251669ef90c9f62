/** A small web site that signs people in through Gatehouse: code with PKCE, refresh, sign-out by revocation. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import * as oauth from "openid-client";

const { GATEHOUSE = "http://localhost:3000", CLIENT_ID, CLIENT_SECRET, PORT = "4000" } = process.env;
if (!CLIENT_ID || !CLIENT_SECRET) {
  console.error("Set CLIENT_ID and CLIENT_SECRET (and GATEHOUSE, if it is not at http://localhost:3000).");
  process.exit(78);
}
const HOME = `http://127.0.0.1:${PORT}`;

/** A visitor of this site, found by cookie: on the way to Gatehouse, or signed in. */
interface Session {
  state?: string;
  verifier?: string;
  tokens?: oauth.TokenEndpointResponse;
}
const sessions = new Map<string, Session>();
const issuer = new URL(GATEHOUSE);
// Plain HTTP is for a Gatehouse on one's own machine.
const execute = issuer.protocol === "http:" ? [oauth.allowInsecureRequests] : [];
const config = await oauth.discovery(issuer, CLIENT_ID, CLIENT_SECRET, undefined, {
  algorithm: "oauth2",
  execute,
});

const pages: Readonly<Record<string, (visit: Visit) => Promise<void>>> = {
  "GET /": home,
  "GET /sign-in": signIn,
  "GET /callback": callback,
  "POST /refresh": refresh,
  "POST /sign-out": signOut,
};

interface Visit {
  url: URL;
  session: Session;
  show(html: string): void;
  goTo(address: string): void;
}

async function home({ session, show }: Visit): Promise<void> {
  if (!session.tokens)
    return show('<p>Nobody is signed in.</p><p><a href="/sign-in">Sign in with Gatehouse</a></p>');
  const address = new URL("/api/v4/user", GATEHOUSE);
  const reply = await oauth.fetchProtectedResource(config, session.tokens.access_token, address, "GET");
  const me = (await reply.json()) as { name: string; username: string };
  show(`<p>Hello <strong>${escaped(me.name)}</strong> (@${escaped(me.username)}), with scope
    <code>${escaped(session.tokens.scope ?? "")}</code>.</p>
    <form method="post" action="/refresh"><button>Refresh the token</button></form>
    <form method="post" action="/sign-out"><button>Sign out and revoke</button></form>`);
}

/** Sends the browser to Gatehouse; state and verifier stay here, bound to this browser. */
async function signIn({ session, goTo }: Visit): Promise<void> {
  session.state = oauth.randomState();
  session.verifier = oauth.randomPKCECodeVerifier();
  const to = oauth.buildAuthorizationUrl(config, {
    redirect_uri: `${HOME}/callback`,
    scope: "read_user profile",
    state: session.state,
    code_challenge: await oauth.calculatePKCECodeChallenge(session.verifier),
    code_challenge_method: "S256",
  });
  goTo(to.href);
}

/** The library checks state and issuer, and throws what Gatehouse refused. */
async function callback({ url, session, goTo }: Visit): Promise<void> {
  const { state, verifier } = session;
  if (!state || !verifier) return goTo("/");
  delete session.state;
  const checks = { expectedState: state, pkceCodeVerifier: verifier };
  session.tokens = await oauth.authorizationCodeGrant(config, url, checks);
  goTo("/");
}

async function refresh({ session, goTo }: Visit): Promise<void> {
  const { refresh_token: token } = session.tokens ?? {};
  if (token) session.tokens = await oauth.refreshTokenGrant(config, token);
  goTo("/");
}

async function signOut({ session, goTo }: Visit): Promise<void> {
  if (session.tokens) await oauth.tokenRevocation(config, session.tokens.access_token);
  delete session.tokens;
  goTo("/");
}

function sessionOf(request: IncomingMessage, response: ServerResponse): Session {
  const known = /(?:^|; )sample=([\w-]+)/.exec(request.headers.cookie ?? "")?.[1];
  const id = known && sessions.has(known) ? known : oauth.randomState();
  const session = sessions.get(id) ?? {};
  sessions.set(id, session);
  response.setHeader("set-cookie", `sample=${id}; HttpOnly; SameSite=Lax; Path=/`);
  return session;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

createServer(async (request, response) => {
  const url = new URL(request.url ?? "/", HOME);
  const show = (html: string) => {
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(
      `<!doctype html><meta charset="utf-8"><title>Sample client</title><h1>Sample client</h1>${html}`,
    );
  };
  const goTo = (address: string) => response.writeHead(303, { location: address }).end();
  try {
    const page = pages[`${request.method} ${url.pathname}`];
    if (page) await page({ url, session: sessionOf(request, response), show, goTo });
    else response.writeHead(404).end("Nothing here");
  } catch (error) {
    response.statusCode = 502;
    show(`<p>It did not work: ${escaped((error as Error).message)}</p><p><a href="/">Back</a></p>`);
  }
}).listen(Number(PORT), "127.0.0.1", () => console.log(`Sample client at ${HOME}`));
