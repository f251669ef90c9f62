/** @gitbeaker/rest, a client of the GitLab v4 API, pages through lists of events and uses OAuth tokens. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { Gitlab } from "@gitbeaker/rest";
import { about, comment, push, recordOnly } from "../support/events.ts";
import { aCode, anApplication, exchange, signedIn } from "../support/oauth.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
const numbers: number[] = [];
before(async () => {
  world = await startWorld();
  for (let n = 1; n <= 75; n++) {
    const kind = [push, about("created", "Issue", n), comment("Issue", n)][n % 3] ?? push;
    const createdAt = new Date(Date.now() - n * 3_600_000);
    const authorId = world.ids.dev;
    numbers.push(
      ...(await recordOnly(world, [{ ...kind, projectId: world.rocket.id, authorId, createdAt }])),
    );
  }
});

const client = async (...scopes: string[]) =>
  new Gitlab({ host: world.url, token: await world.tokenOf("dev", ...scopes) });
const idsOf = (events: readonly { id: number }[]) => events.map(({ id }) => id);

test("gitbeaker reads all pages of the three event lists, newest first (spec: What the service does 4; spec: GET /events; spec: GET /users/:id/events; spec: GET /projects/:project_id/events)", async () => {
  const api = await client("api");
  assert.deepEqual(idsOf((await api.Events.all({ perPage: 20 })) as { id: number }[]), numbers);
  assert.deepEqual(
    idsOf((await api.Events.all({ projectId: world.rocket.id, perPage: 20 })) as { id: number }[]),
    numbers,
  );
  assert.deepEqual(
    idsOf((await api.Events.all({ projectId: "acme/rocket", perPage: 50 })) as { id: number }[]),
    numbers,
  );
  const reader = await client("read_user");
  assert.deepEqual(
    idsOf((await reader.Events.all({ userId: world.ids.dev, perPage: 7 })) as { id: number }[]),
    numbers,
  );
});

test("filters and totals have the format that gitbeaker expects (spec: GET /events action; spec: GET /events target_type; spec: GET /events sort)", async () => {
  const api = await client("api");
  const { data, paginationInfo } = (await api.Events.all({
    action: "commented",
    targetType: "note",
    sort: "asc",
    perPage: 10,
    page: 2,
    showExpanded: true,
  } as never)) as unknown as {
    data: { id: number; action_name: string; note: { noteable_iid: number } }[];
    paginationInfo: Record<string, number | null>;
  };
  assert.ok(data.every((event) => event.action_name === "commented on" && event.note.noteable_iid > 0));
  assert.deepEqual(
    [paginationInfo.total, paginationInfo.current, paginationInfo.next, paginationInfo.previous],
    [25, 2, 3, 1],
  );
  const pushes = (await api.Events.all({ action: "pushed" } as never)) as unknown as {
    push_data: { ref: string };
  }[];
  assert.equal(pushes.length, 25);
  assert.ok(pushes.every((event) => event.push_data.ref === "main"));
});

test("with an OAuth token gitbeaker reads the user, personal access tokens and, for administrators, applications (spec: Authentication 5; reference oauth E)", async () => {
  const application = await anApplication(world);
  const tokenOf = async (person: "dev" | "ada") =>
    (await exchange(world, application, await aCode(await signedIn(world, person), application))).json
      .access_token;
  const oauthToken = await tokenOf("dev");
  const api = new Gitlab({ host: world.url, oauthToken });
  const me = await api.Users.showCurrentUser();
  assert.deepEqual(
    [me.id, me.username, me.state, me.email],
    [world.ids.dev, "dev", "active", "dev@example.org"],
  );
  assert.deepEqual(idsOf((await api.Events.all({ perPage: 100 })) as { id: number }[]), numbers);
  await world.tokenOf("dev", "read_user");
  const tokens = await api.PersonalAccessTokens.all();
  assert.ok(tokens.length > 0 && tokens.every((token) => token.user_id === world.ids.dev));
  await assert.rejects(api.Applications.all(), /403|Forbidden/);

  const administrator = new Gitlab({ host: world.url, oauthToken: await tokenOf("ada") });
  const made = await administrator.Applications.create("Importer", "https://import.example/cb", "read_user");
  assert.equal(made.application_name, "Importer");
  const all = await administrator.Applications.all();
  assert.ok(all.some(({ id }) => id === made.id));
  await administrator.Applications.remove(made.id);
  assert.equal(
    (await administrator.Applications.all()).some(({ id }) => id === made.id),
    false,
  );

  await world.call("/oauth/revoke", {
    form: { token: oauthToken },
    headers: { authorization: application.basic },
  });
  await assert.rejects(api.Users.showCurrentUser(), /invalid_token/);
});

test("gitbeaker reads the events of all projects by page and by keyset pagination (spec: GET /events scope; contract-events §4, keyset)", async () => {
  const api = await client("api");
  const all = { scope: "all", action: "pushed", perPage: 7 } as never;
  const paged = idsOf((await api.Events.all(all)) as { id: number }[]);
  const walked = idsOf(
    (await api.Events.all({ ...(all as object), pagination: "keyset" } as never)) as never,
  );
  assert.ok(paged.length > 7);
  assert.deepEqual(walked, paged);
});

test("gitbeaker changes a user, which it sends as a multipart form (GitLab v4 API, PUT /users/:id; decision 0287)", async () => {
  const api = new Gitlab({ host: world.url, token: await world.tokenOf("ada", "api") });
  const changed = await api.Users.edit(world.ids.gus, { bio: "Guest of honour" });
  assert.equal(changed.bio, "Guest of honour");
  const picture = { filename: "me.png", content: new Blob(["not a picture"]) };
  const again = await api.Users.edit(world.ids.gus, { location: "Pier 3", avatar: picture });
  assert.deepEqual([again.location, again.bio], ["Pier 3", "Guest of honour"]);
});
