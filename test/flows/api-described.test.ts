/** The OpenAPI document describes the responses of every operation, and no member that never occurs (house §2.7). */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { before, test } from "node:test";
import { feedHooks } from "../../src/events/feed-hooks.ts";
import { hookLetter } from "../../src/events/wire-hooks.ts";
import { deliverDue } from "../../src/outbox/deliver-due.ts";
import { aKey as aSigningKey } from "../support/assertions.ts";
import {
  type Json,
  operationAt,
  operationsOf,
  responsesOf,
  successesOf,
  whole,
} from "../support/described.ts";
import { Answers, aDescribedWorld } from "../support/described-members.ts";
import { aKey, proofBy } from "../support/dpop.ts";
import { aCode, anApplication, exchange, setRegistration, signedIn, tokenCall } from "../support/oauth.ts";
import { codeOf } from "../support/two-factor.ts";
import { until } from "../support/until.ts";
import { type CallOptions, PASSWORD, type Reply, type World } from "../support/world.ts";

/** What has its own tests: alerts and events. */
const ELSEWHERE =
  /\/(alert_\w+|incident_templates|issues(_statistics)?|labels|pushes|calendar|liveness|readiness)\b|^\w+ \/api\/v4\/((users|groups|projects)\/\{id\}\/)?events\b/;

let world: World;
let document: Json;
let hook: string;
before(async () => {
  ({ world, document, hook } = await aDescribedWorld());
});

function objectsIn(schema: Json): Json[] {
  if (Array.isArray(schema)) return schema.flatMap(objectsIn);
  if (schema === null || typeof schema !== "object") return [];
  return [...(schema.type === "object" ? [schema] : []), ...Object.values(schema).flatMap(objectsIn)];
}

test("each operation documents its successes by status and by schemas without additional members, and paginated lists document their headers (house §2.7; decision 0074)", () => {
  const all = operationsOf(document);
  assert.ok(all.length > 150);
  for (const { name, told } of all) {
    for (const [status, { description }] of Object.entries(responsesOf(document, told))) {
      assert.match(status, /^[2-5]\d\d$/, name);
      assert.ok(description.length > 0, `${name} ${status}`);
    }
    const successes = successesOf(told);
    assert.ok(successes.length > 0, name);
    for (const [status, { content, headers = {} }] of successes) {
      const schemas = Object.values<Json>(content ?? {}).map(({ schema }) => schema);
      assert.equal(schemas.length === 0, status === "204", `${name} ${status}`);
      for (const one of objectsIn(whole(schemas, document))) {
        if (one.properties) assert.equal(one.additionalProperties, false, name);
      }
      const isInPages =
        told.parameters?.some((one: Json) => one.name === "page") && schemas[0].type === "array";
      assert.equal("X-Total-Pages" in headers, isInPages === true, name);
    }
  }
});

test("every documented member of users, groups, projects, applications, tokens, hooks and event sources occurs in a response (contract §3, §4; contract-events §3)", async () => {
  const mine = operationsOf(document).filter(({ name }) => !ELSEWHERE.test(name));
  assert.ok(mine.length > 90);
  const answers = new Answers(document);
  /** Sends a request and collects its response. */
  const ask = async (words: string, options: CallOptions = {}): Promise<Reply> => {
    const [method = "", address = ""] = words.split(" ");
    const path = address.startsWith("/oauth") || address.startsWith("/.") ? address : `/api/v4${address}`;
    const reply = await world.call(path, { method, ...options });
    const operation = operationAt(mine, method, new URL(path, world.url).pathname);
    assert.ok(operation, words);
    answers.add(operation, reply);
    return reply;
  };
  const [ada, olga, max, dev] = (["ada", "olga", "max", "dev"] as const).map((as) => ({ as }));

  for (const as of [ada, dev])
    for (const path of ["/user", "/users", "/users/max"]) await ask(`GET ${path}`, as);
  await ask("GET /user/emails", dev);
  const person = { username: "nina", name: "Nina", email: "nina@example.org", password: "a long enough one" };
  const nina = (await ask("POST /users", { ...ada, json: { ...person, bio: "Bakes" } })).json.id;
  await ask(`PUT /users/${nina}`, { ...ada, json: { name: "Nina N" } });
  await ask(`POST /users/${nina}/block`, ada);
  await ask(`POST /users/${nina}/unblock`, ada);
  const own = { name: "night", scopes: ["api"] };
  const pat = (await ask(`POST /users/${nina}/personal_access_tokens`, { ...ada, json: own })).json;
  await ask("GET /personal_access_tokens", ada);
  await ask(`GET /personal_access_tokens/${pat.id}`, ada);
  const rotated = (await ask(`POST /personal_access_tokens/${pat.id}/rotate`, { ...ada, json: {} })).json;
  await ask("GET /personal_access_tokens/self", { token: rotated.token });
  const again = { token: rotated.token, json: {} };
  const { token: newest } = (await ask("POST /personal_access_tokens/self/rotate", again)).json;
  await ask("DELETE /personal_access_tokens/self", { token: newest });
  const last = (await ask(`POST /users/${nina}/personal_access_tokens`, { ...ada, json: own })).json;
  await ask(`DELETE /personal_access_tokens/${last.id}`, ada);
  await ask(`DELETE /users/${nina}`, ada);
  const password = { as: "rep", json: { password: PASSWORD } } as const;
  const { secret } = (await ask("POST /user/two_factor", password)).json;
  await ask("POST /user/two_factor/confirm", { as: "rep", json: { code: codeOf(secret) } });
  await ask("DELETE /user/two_factor", password);
  await ask("POST /invitations", { ...ada, json: { email: "otto@example.org" } });
  const [invited] = (await ask("GET /invitations", ada)).json;
  await ask(`POST /invitations/${invited.id}/resend`, ada);
  await ask(`DELETE /invitations/${invited.id}`, ada);

  const group = (await ask("POST /groups", { ...olga, json: { name: "Depot", path: "depot" } })).json.id;
  await ask(`PUT /groups/${group}`, { ...olga, json: { description: "Pumps" } });
  const made = { ...olga, json: { name: "Pump", namespace_id: group } };
  const pump = (await ask("POST /projects", made)).json.id;
  await ask(`PUT /projects/${pump}`, { ...olga, json: { event_retention_days: 30 } });
  for (const path of [
    "/projects",
    `/projects/${pump}`,
    "/groups",
    `/groups/${group}`,
    `/groups/${group}/projects`,
    "/namespaces",
    `/namespaces/${group}`,
  ])
    await ask(`GET ${path}`, olga);
  await ask(`PUT /namespaces/${group}`, { ...ada, json: { plan: "free" } });
  await ask("GET /projects/acme%2Frocket", dev);
  await ask("GET /projects/acme%2Frocket/users", dev);
  await ask("GET /projects/acme%2Frocket/groups", dev);
  await ask("GET /users/dev/memberships", ada);
  await ask("GET /users/dev/emails", ada);
  await ask("GET /user/activities", ada);
  const given = (await ask("POST /projects/user/dev", { ...ada, json: { name: "Given" } })).json.id;
  await ask(`POST /groups/${group}/projects/${given}`, ada);
  await ask("POST /groups", { ...olga, json: { name: "Shed", path: "shed", parent_id: group } });
  await ask(`GET /groups/${group}/subgroups`, olga);
  await ask(`GET /groups/${group}/descendant_groups`, olga);
  await ask("POST /projects", { ...olga, json: { name: "Own" } });
  await ask("GET /users/olga/projects", olga);
  await ask("GET /search?scope=projects&search=e", olga);
  await ask("GET /search?scope=projects&search=rocket", dev);
  await ask("GET /search?scope=users&search=olga", dev);
  await ask("GET /search?scope=users&search=olga", ada);
  const incident = { ...dev, method: "POST", json: { title: "Rocket leaks" } };
  for (const step of [{}, { method: "PUT", json: { state_event: "close" } }]) {
    const path = `/api/v4/projects/acme%2Frocket/issues${"method" in step ? "/1" : ""}`;
    assert.ok((await world.call(path, { ...incident, ...step })).status < 300);
  }
  for (const place of ["", "/groups/acme", "/projects/acme%2Frocket"])
    await ask(`GET ${place}/search?scope=issues&search=leaks`, dev);
  for (const as of [dev, olga]) await ask("GET /groups/acme/search?scope=projects&search=rocket", as);
  await ask("GET /namespaces/acme/exists", dev);
  const [event] = (await ask("GET /audit_events", ada)).json;
  await ask(`GET /audit_events/${event.id}`, ada);
  const level = { access_level: 30 };
  for (const place of [`/projects/${pump}`, `/groups/${group}`]) {
    await ask(`POST ${place}/members`, { ...olga, json: { ...level, user_id: world.ids.dev } });
    await ask(`POST ${place}/members`, {
      ...olga,
      json: { ...level, user_id: `${world.ids.rep},${world.ids.gus}` },
    });
    const until = { ...level, expires_at: "2999-01-01" };
    await ask(`PUT ${place}/members/${world.ids.dev}`, { ...olga, json: until });
    for (const path of ["members", "members/all", `members/${world.ids.dev}`, `members/all/${world.ids.dev}`])
      await ask(`GET ${place}/${path}`, olga);
    await ask(`DELETE ${place}/members/${world.ids.dev}`, olga);
    const invitees = { ...level, email: "ida@example.org,nobody" };
    await ask(`POST ${place}/invitations`, { ...olga, json: invitees });
    await ask(`POST ${place}/invitations`, { ...olga, json: { ...level, email: "eva@example.org" } });
    await ask(`GET ${place}/invitations`, olga);
    await ask(`PUT ${place}/invitations/eva%40example.org`, { ...olga, json: until });
    await ask(`POST ${place}/invitations/eva%40example.org/resend`, olga);
    await ask(`DELETE ${place}/invitations/eva%40example.org`, olga);
    for (const word of ["archive", "unarchive"]) await ask(`POST ${place}/${word}`, olga);
    await ask(`DELETE ${place}`, olga);
    await ask(`POST ${place}/restore`, olga);
  }
  await ask(`PUT /projects/${pump}/transfer`, { ...olga, json: { namespace: "acme" } });
  await ask(`POST /groups/${group}/transfer`, { ...ada, json: { group_id: "acme" } });
  const environments = "/projects/acme%2Frocket/environments";
  const place = (await ask(`POST ${environments}`, { ...max, json: { name: "live" } })).json.id;
  await ask(`GET ${environments}`, max);
  await ask(`GET ${environments}/${place}`, max);
  await ask(`PUT ${environments}/${place}`, { ...max, json: { external_url: "https://example.org" } });
  await ask(`DELETE ${environments}/${place}`, max);

  const scopes = ["openid", "profile", "email", "api"] as const;
  const site = await anApplication(world, {
    owner: null,
    scopes,
    grantTypes: ["authorization_code", "refresh_token", "device_code"],
  });
  const visitor = await signedIn(world, "dev");
  const code = await aCode(visitor, site, { scope: scopes.join(" ") });
  const issued = await exchange(world, site, code);
  const ofTokens = mine.find(({ name }) => name === "POST /oauth/token");
  assert.ok(ofTokens);
  answers.add(ofTokens, issued);
  const { access_token: token } = issued.json;
  await ask("GET /oauth/token/info", { token });
  const website = { as: "ada", method: "PUT", json: { website_url: "https://dev.example" } } as const;
  assert.equal((await world.call(`/api/v4/users/${world.ids.dev}`, website)).status, 200);
  for (const access_level of [50, 40, 30]) {
    const path = `crew-${access_level}`;
    const crew = await world.call("/api/v4/groups", { as: "ada", json: { name: path, path } });
    const member = { as: "ada", json: { user_id: world.ids.dev, access_level } } as const;
    assert.equal((await world.call(`/api/v4/groups/${crew.json.id}/members`, member)).status, 201);
  }
  await ask("GET /oauth/userinfo", { token });
  await ask("POST /oauth/userinfo", { token });
  const proof = { authorization: site.basic };
  await ask("POST /oauth/introspect", { form: { token }, headers: proof });
  await ask("POST /oauth/introspect", { form: { token: "none" }, headers: proof });
  const dpop = proofBy(await aKey(), { method: "POST", url: `${world.url}/oauth/token` });
  const renewal = { grant_type: "refresh_token", refresh_token: issued.json.refresh_token };
  const bound = await tokenCall(world, renewal, { ...proof, dpop });
  answers.add(ofTokens, bound);
  await ask("POST /oauth/introspect", { form: { token: bound.json.access_token }, headers: proof });
  await ask("POST /oauth/authorize_device", { form: { scope: "openid" }, headers: proof });
  const pushed = { response_type: "code", redirect_uri: site.redirectUri };
  await ask("POST /oauth/par", { form: pushed, headers: proof });
  const refused = await tokenCall(world, { grant_type: "authorization_code" }, proof);
  assert.deepEqual([refused.status, refused.json.error], [400, "invalid_request"]);
  const guessed = await tokenCall(world, { grant_type: "refresh_token", refresh_token: "no" }, proof);
  assert.deepEqual([guessed.status, guessed.json.error], [400, "invalid_grant"]);
  const redirected = { grant_type: "authorization_code", code: await aCode(visitor, site) };
  const strayed = await tokenCall(world, { ...redirected, redirect_uri: "https://other.example.org" }, proof);
  assert.deepEqual([strayed.status, strayed.json.error], [400, "invalid_grant"]);
  await setRegistration(world, true);
  await ask("POST /oauth/register", { json: { redirect_uris: ["https://app.example.org/callback"] } });
  const described = {
    redirect_uris: ["http://127.0.0.1/cb"],
    client_uri: "http://127.0.0.1/",
    require_pushed_authorization_requests: true,
    dpop_bound_access_tokens: true,
  };
  await ask("POST /oauth/register", { json: described });
  for (const path of [
    "/oauth/discovery/keys",
    "/.well-known/openid-configuration",
    "/.well-known/oauth-authorization-server",
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/api/v4",
  ])
    await ask(`GET ${path}`);
  await ask("GET /.well-known/webfinger?resource=acct:dev@example.org");
  await ask(`GET /applications/${site.id}/usage`, ada);
  await until(async () =>
    (await ask(`GET /applications/${site.id}/events`, ada)).json.some(({ user }: Json) => user),
  );
  await ask("POST /oauth/revoke", { form: { token }, headers: proof });
  const { jwk } = aSigningKey("ES256", "desk");
  const jwks = { keys: [{ ...jwk, alg: "ES256" }, aSigningKey("RS256").jwk] };
  const body = { name: "Console", redirect_uri: "https://console.example.org/cb", scopes: "api", jwks };
  const application = (await ask("POST /applications", { ...ada, json: body })).json.id;
  await ask("GET /applications", ada);
  await ask(`GET /applications/${application}`, ada);
  await ask(`PUT /applications/${application}`, { ...ada, json: { name: "Desk" } });
  await ask(`POST /applications/${application}/renew-secret`, { ...ada, json: {} });
  await ask(`DELETE /applications/${application}`, ada);

  const hooks = "/projects/acme%2Frocket/hooks";
  const { id } = (await ask(`POST ${hooks}`, { ...max, json: { url: hook } })).json;
  await ask(`GET ${hooks}`, max);
  await ask(`PUT ${hooks}/${id}`, { ...max, json: { name: "Ops" } });
  await ask(`POST ${hooks}/${id}/rotate_secret`, max);
  await ask(`POST ${hooks}/${id}/test`, max);
  await feedHooks(world.platform, hookLetter);
  await deliverDue(world.platform);
  await ask(`GET ${hooks}/${id}`, max);
  const [sent] = (await ask(`GET ${hooks}/${id}/events`, max)).json;
  await ask(`GET ${hooks}/${id}/events/${sent.id}/tries`, max);
  await ask(`POST ${hooks}/${id}/events/${sent.id}/resend`, max);
  await ask(`DELETE ${hooks}/${id}`, max);

  const sources = "/projects/acme%2Frocket/event_sources";
  const forge = { name: "GitHub", type: "github", identities: { max: world.ids.max } };
  const source = (await ask(`POST ${sources}`, { ...max, json: forge })).json;
  const send = (secret: string, event: string) => {
    const sender = { login: "octo", name: "Octo", html_url: "https://github.com/octo" };
    const issue = { id: 7, number: 7, title: "Leak", created_at: new Date().toISOString() };
    const body = JSON.stringify({ action: "opened", issue, sender });
    const signature = createHmac("sha256", secret).update(body).digest("hex");
    const headers = {
      "content-type": "application/json",
      "x-github-event": event,
      "x-github-delivery": event,
      "x-hub-signature-256": `sha256=${signature}`,
    };
    return ask(`POST ${new URL(source.url).pathname.replace("/api/v4", "")}`, { body, headers });
  };
  await send(source.secret, "issues");
  await send(source.secret, "watch");
  await send(source.secret, "ping");
  await world.call(new URL(source.url).pathname, {
    body: "{}",
    headers: { "x-github-event": "issues" },
    method: "POST",
  });
  await ask(`GET ${sources}`, max);
  await ask(`GET ${sources}/${source.id}`, max);
  await ask(`PUT ${sources}/${source.id}`, { ...max, json: { name: "Forge" } });
  await ask(`POST ${sources}/${source.id}/rotate_secret`, max);
  const [delivery] = (await ask(`GET ${sources}/${source.id}/deliveries`, max)).json;
  await ask(`POST ${sources}/${source.id}/deliveries/${delivery.id}/replay`, max);
  const [refusal] = (await ask(`GET ${sources}/${source.id}/refusals`, max)).json;
  await ask(`GET ${sources}/${source.id}/refusals/${refusal.id}`, max);

  const identities = "/user/outside_identities";
  const claim = (username: string) => ({ ...dev, json: { host: "github.com", username } });
  const claimed = (await ask(`POST ${identities}`, claim("octo"))).json.id;
  await ask(`POST ${identities}`, claim("octo"));
  await ask("GET /projects/acme%2Frocket/outside_identities", max);
  await ask(`POST /projects/acme%2Frocket/outside_identities/${claimed}/approve`, max);
  await ask(`POST /outside_identities/${claimed}/refuse`, ada);
  await ask(`POST /outside_identities/${claimed}/approve`, ada);
  await ask(`GET ${identities}`, dev);
  await ask("GET /outside_identities", ada);
  const other = (await ask(`POST ${identities}`, claim("hexa"))).json.id;
  await ask(`DELETE ${identities}/${other}`, dev);
  await ask(`POST /projects/acme%2Frocket/outside_identities/${claimed}/refuse`, max);
  await ask(`DELETE ${sources}/${source.id}`, max);
  const asks = { target_type: "MergeRequest", target_iid: 3, target_title: "Valve" };
  for (const action of ["created", "merged"]) {
    await world.call("/api/v4/projects/acme%2Frocket/events", { ...dev, json: { ...asks, action } });
  }
  await ask("GET /projects/acme%2Frocket/merge_requests", dev);
  await ask("GET /user/feed_token", dev);
  await ask("POST /user/feed_token/reset", dev);
  await ask("POST /leak_reports", { json: [{ token: "gpat_unknown" }] });
  await ask("GET /metadata", dev);
  await ask("GET /version", dev);

  answers.assertComplete(mine);
});
