/** Merge requests as events tell of them: drafts, who merged and who approved. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { about, record } from "../support/events.ts";
import { daysAgo } from "../support/past-days.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
  const first = daysAgo(100).getTime();
  const told = (
    action: "created" | "merged" | "approved" | "closed",
    iid: number,
    as: Person,
    more: object = {},
  ) => ({
    ...about(action, "MergeRequest", iid),
    ...more,
    projectId: world.open.id,
    authorId: world.ids[as],
  });
  const events = [
    told("created", 1, "dev", { title: "Draft: sails" }),
    told("created", 2, "dev", { title: "[draft] Anchor" }),
    told("created", 3, "rep", { title: "Draftsman's rope" }),
    told("approved", 3, "max"),
    told("approved", 3, "olga"),
    told("merged", 3, "max"),
    told("created", 4, "rep", { title: "Keel" }),
    told("approved", 4, "max"),
    told("approved", 4, "max"),
    told("merged", 4, "olga"),
    told("closed", 5, "rep", { title: "Mast" }),
  ];
  await record(
    world,
    events.map((event, index) => ({ ...event, createdAt: new Date(first + index * 60_000) })),
  );
});

const PATH = "/api/v4/projects/acme%2Fopen/merge_requests";

async function found(query: string): Promise<number[]> {
  const reply = await world.call(`${PATH}?sort=asc&${query}`);
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.headers.get("x-total"), String(reply.json.length), query);
  return reply.json.map(({ iid }: { iid: number }) => iid);
}

test("a record says whether its title makes it a draft, and who merged it (GitLab v4 API; decision 0311)", async () => {
  const { json } = await world.call(`${PATH}?sort=asc`);
  assert.deepEqual(
    json.map((one: Record<string, { username: string } | null>) => [
      one.iid,
      one.draft,
      one.work_in_progress,
      one.merged_by?.username,
      one.merge_user?.username,
    ]),
    [
      [1, true, true, undefined, undefined],
      [2, true, true, undefined, undefined],
      [3, false, false, "max", "max"],
      [4, false, false, "olga", "olga"],
      [5, false, false, undefined, undefined],
    ],
  );
});

test("lists are filtered by drafts, by who merged and by who approved (GitLab v4 API; decision 0311)", async () => {
  const { ids } = world;
  for (const [query, iids] of [
    ["wip=yes", [1, 2]],
    ["wip=no", [3, 4, 5]],
    ["draft=true", [1, 2]],
    ["draft=false", [3, 4, 5]],
    [`merge_user_id=${ids.max}`, [3]],
    ["merge_user_username=OLGA", [4]],
    ["merge_user_username=nobody", []],
    [`approved_by_ids[]=${ids.max}`, [3, 4]],
    [`approved_by_ids=${ids.max},${ids.olga}`, [3]],
    [`approved_by_ids[]=${ids.dev}`, []],
    ["approved_by_usernames[]=Max&approved_by_usernames[]=olga", [3]],
    ["approved_by_usernames[]=max&approved_by_usernames[]=nobody", []],
    ["approved_by_ids=Any", [3, 4]],
    ["approved_by_ids=None", [1, 2, 5]],
    [`approved_by_ids=None,${ids.max}`, []],
    ["approved_by_ids[]=", [1, 2, 3, 4, 5]],
    ["environment=production", []],
  ] as const) {
    assert.deepEqual(await found(query), iids, query);
  }
});

test("values that these filters do not have are refused with their names (GitLab v4 API; decision 0311)", async () => {
  for (const query of [
    "wip=maybe",
    "draft=maybe",
    "merge_user_id=max",
    "approved_by_ids[]=max",
    "approved_by_ids[]=0",
    `approved_by_ids=${[1, 2, 3, 4, 5, 6].join(",")}`,
  ]) {
    const { status, json } = await world.call(`${PATH}?${query}`);
    assert.equal(status, 400, query);
    assert.match(JSON.stringify(json), new RegExp(query.split(/[[=]/)[0] ?? ""), query);
  }
});
