/** Pages past the end of their list: from an old bookmark, or because the rows are gone. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { fullProject } from "../support/full-project.ts";
import { anApplication } from "../support/oauth.ts";
import { signedIn, type Visitor } from "../support/visitor.ts";
import { PASSWORD, type Person, startWorld } from "../support/world.ts";

const visitors: Partial<Record<Person, Visitor>> = {};
before(async () => {
  const world = await startWorld();
  await fullProject(world);
  const { basic } = await anApplication(world, { owner: null, scopes: ["api"] });
  const form = { grant_type: "password", username: "olga", password: PASSWORD };
  const used = await world.call("/oauth/token", { form, headers: { authorization: basic } });
  assert.equal(used.status, 200, used.text);
  for (const name of ["olga", "ada"] as const) visitors[name] = await signedIn(world, name);
});

for (const [path, things, first] of [
  ["/ship/hull/activity?page=900", "events", "/ship/hull/activity"],
  ["/ship/hull/activity?action=created&page=900", "events", "/ship/hull/activity?action=created"],
  ["/groups/ship/-/activity?page=900", "events", "/groups/ship/-/activity"],
  ["/-/activity?page=900", "events", "/-/activity"],
  ["/-/alerts?severity=high&page=900", "alerts", "/-/alerts?severity=high"],
  ["/olga?page=900", "events", "/olga"],
  ["/ship/hull/-/alerts?page=900", "alerts", "/ship/hull/-/alerts"],
  ["/ship/hull/-/alerts?severity=high&page=900", "alerts", "/ship/hull/-/alerts?severity=high"],
  ["/ship/hull/-/incidents?page=900", "incidents", "/ship/hull/-/incidents"],
  [
    "/ship/hull/-/settings/operations/receipts?page=900",
    "receipts",
    "/ship/hull/-/settings/operations/receipts",
  ],
  ["/groups?page=900", "groups", "/groups?page=1"],
  ["/projects?page=900", "projects", "/projects?page=1"],
  ["/ship/hull/-/members?page=900", "members", "/ship/hull/-/members"],
  ["/ship?page=900", "projects", "/ship"],
  ["/ship/hull/-/environments?page=900", "environments", "/ship/hull/-/environments"],
  ["/ship/hull/-/silences?page=900", "silences", "/ship/hull/-/silences"],
  [
    "/ship/hull/-/settings/operations/channels/1?page=900",
    "deliveries",
    "/ship/hull/-/settings/operations/channels/1",
  ],
  ["/ship/hull/-/settings/hooks/1?page=900", "deliveries", "/ship/hull/-/settings/hooks/1?page=1#deliveries"],
  ["/ship/hull/-/settings/sources/1?page=900", "deliveries", "/ship/hull/-/settings/sources/1"],
  ["/profile/personal_access_tokens?page=900", "tokens", "/profile/personal_access_tokens"],
  ["/profile/applications?page=900", "applications", "/profile/applications?page=1"],
  ["/admin/users?page=900", "users", "/admin/users?search=&page=1"],
  ["/admin/users/applications?page=900", "accounts", "/admin/users/applications?search=&page=1"],
  ["/admin/identities?page=900", "claims", "/admin/identities"],
  ["/admin/applications/1/events?page=900", "refused requests", "/admin/applications/1/events?page=1"],
  ["/admin/invitations?page=900", "invitations", "/admin/invitations"],
  ["/admin/applications/1/usage?page=900", "people", "/admin/applications/1/usage?page=1"],
  ["/admin/audit?before=1", "entries", "/admin/audit?name=&action="],
  ["/profile/security_log?before=1", "entries", "/profile/security_log"],
  ["/profile/sessions?page=900", "sessions", "/profile/sessions"],
  ["/ship/hull/-/alerts/1?occurrences=900", "occurrences", "/ship/hull/-/alerts/1#occurrences"],
] as const) {
  test(`${path} says that it is past the end of the list, and links to the first page (reference ux §8)`, async () => {
    const visitor = visitors[path.startsWith("/admin") ? "ada" : "olga"] as Visitor;
    const { status, text } = await visitor.get(path);
    assert.equal(status, 200);
    assert.match(
      text,
      new RegExp(`<h[23]>No more ${things}</h[23]><p>This page is past the end of the list.`),
    );
    const href = /<a [^>]*href="([^"]*)"[^>]*>Go to the first page</.exec(text)?.[1];
    assert.equal(href?.replaceAll("&amp;", "&"), first);
    assert.doesNotMatch(text, /Newer<\/a>/, "the previous page is empty as well");
    const there = await visitor.get(first);
    assert.equal(there.status, 200);
    assert.doesNotMatch(there.text, /past the end/);
  });
}
