/** @gitbeaker/rest, a client of the GitLab v4 API, reads the lists of events to their end. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { Gitlab } from "@gitbeaker/rest";
import { about, comment, push, record } from "../support/events.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
const numbers: number[] = [];
before(async () => {
  world = await startWorld();
  for (let n = 1; n <= 75; n++) {
    const kind = [push, about("created", "Issue", n), comment("Issue", n)][n % 3] ?? push;
    const createdAt = new Date(Date.now() - n * 3_600_000);
    const authorId = world.ids.dev;
    numbers.push(...(await record(world, [{ ...kind, projectId: world.rocket.id, authorId, createdAt }])));
  }
});

const client = async (...scopes: string[]) =>
  new Gitlab({ host: world.url, token: await world.tokenOf("dev", ...scopes) });
const idsOf = (events: readonly { id: number }[]) => events.map(({ id }) => id);

test("reads every page of the three lists, newest first (spec: What the service does 4; spec: GET /events; spec: GET /users/:id/events; spec: GET /projects/:project_id/events)", async () => {
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

test("filters and totals reach the client as it expects them (spec: GET /events action; spec: GET /events target_type; spec: GET /events sort)", async () => {
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
