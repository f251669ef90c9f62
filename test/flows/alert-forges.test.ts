/**
 * Webhooks of code forges: failures and findings open alerts, successes resolve them, everything else opens nothing.
 */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { aSource, readsAlerts, type Source } from "../support/alerts.ts";
import { exampleOf, githubExamples } from "../support/forge.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let source: Source;
const { receiptOf, alertOf } = readsAlerts(() => world);
before(async () => {
  world = await startWorld();
  source = await aSource(world);
});

const iidOf = async (payload: object): Promise<number | undefined> =>
  (await source.send(payload)).json[0]?.iid;

test("of all GitHub webhooks only findings and failures open an alert, always with a title (decision 0124)", async () => {
  const opened = new Set<string>();
  for (const { name, examples } of githubExamples) {
    for (const example of examples) {
      const reply = await source.send(example);
      assert.equal(reply.status, 200, name);
      const receipt = await receiptOf(reply);
      if (receipt.decision === "nothing") {
        assert.match(receipt.warnings.join(), /GitHub.* tells of something that is no alert/, name);
        continue;
      }
      if (receipt.decision === "orphan") continue;
      opened.add(name);
      assert.ok(!receipt.warnings.join().includes("title"), `${name}: ${receipt.warnings}`);
    }
  }
  assert.deepEqual([...opened].sort(), [
    ...["check_run", "code_scanning_alert", "dependabot_alert", "repository_vulnerability_alert"],
    ...["security_advisory", "workflow_job"],
  ]);
});

const job = (build_status: string, more: object = {}) => ({
  ...{
    object_kind: "build",
    ref: "main",
    tag: false,
    build_id: 1977,
    build_name: "test",
    build_stage: "test",
  },
  ...{ build_status, build_failure_reason: "script_failure", project_id: 380, project_name: "acme / rocket" },
  ...{ user: { username: "dev" }, commit: { message: "Ship it" }, ...more },
});
const deployment = (status: string) => ({
  ...{ object_kind: "deployment", status, status_changed_at: "2026-05-01 10:00:00 +0000", deployment_id: 15 },
  ...{
    environment: "production",
    project: { path_with_namespace: "acme/rocket", web_url: "https://g/acme" },
  },
  ...{ deployable_url: "https://gitlab.example.org/acme/rocket/-/jobs/796", commit_title: "Ship it" },
});
const finding = (state: string) => ({
  object_kind: "vulnerability",
  object_attributes: {
    ...{ url: "https://gitlab.example.org/v/1", title: "REXML denial of service", state, severity: "high" },
    ...{ location: { file: "Gemfile.lock" }, updated_at: "2026-05-01T10:00:00Z" },
  },
});
const incident = (state: string) => ({
  ...{ object_kind: "issue", event_type: "incident", user: { username: "dev" } },
  project: { id: 1, path_with_namespace: "acme/rocket", web_url: "https://gitlab.example.org/acme/rocket" },
  object_attributes: {
    ...{ id: 301, iid: 23, title: "Queue stands", type: "Incident", severity: "high", state },
    ...{ created_at: "2026-05-01 10:00:00 UTC", url: "https://gitlab.example.org/acme/rocket/-/issues/23" },
  },
});
const status = (state: string) => ({
  ...exampleOf("status"),
  ...{ state, context: "ci/build", branches: [{ name: "main" }] },
});
const checkRun = (conclusion: string) => {
  const example = exampleOf("check_run", ({ action }) => action === "completed");
  return { ...example, check_run: { ...example.check_run, name: "linter", conclusion } };
};
const deployed = (state: string) => {
  const example = exampleOf("deployment_status");
  // The payload includes a running workflow run, which is not what it reports about.
  const workflow_run = { name: "Deploy", conclusion: null, status: "in_progress" };
  return { ...example, workflow_run, deployment_status: { ...example.deployment_status, state } };
};
const bitbucket = (state: string) => ({
  actor: { nickname: "dev" },
  repository: { full_name: "acme/rocket" },
  commit_status: {
    ...{ name: "Unit tests", key: "unit", refname: "main", state, description: "2 failed", type: "build" },
    ...{ url: "https://ci.example.org/1", updated_on: "2026-05-01T10:00:00+00:00" },
  },
});

for (const [name, firing, over, title] of [
  ["a job of GitLab", job("failed"), job("success"), "test of main failed in acme / rocket"],
  [
    "a deployment of GitLab",
    deployment("failed"),
    deployment("success"),
    "Deployment of acme/rocket to production failed",
  ],
  ["a finding of GitLab", finding("detected"), finding("resolved"), "REXML denial of service"],
  ["an incident of GitLab", incident("opened"), incident("closed"), "Queue stands"],
  ["a status of a commit", status("failure"), status("success"), "ci/build failed in Codertocat/Hello-World"],
  ["a check", checkRun("timed_out"), checkRun("success"), "linter failed in Codertocat/Hello-World"],
  [
    "a deployment of GitHub",
    deployed("error"),
    deployed("success"),
    "Deployment of Codertocat/Hello-World to production failed",
  ],
  [
    "a build told to Bitbucket",
    bitbucket("FAILED"),
    bitbucket("SUCCESSFUL"),
    "Unit tests failed in acme/rocket",
  ],
] as const) {
  test(`${name} that fails opens an alert, and its next success resolves it (decision 0124)`, async () => {
    const iid = await iidOf(firing);
    assert.ok(iid);
    assert.equal(await iidOf(firing), iid);
    const alert = await alertOf(iid);
    assert.deepEqual([alert.title, alert.severity, alert.events], [title, "high", 2]);
    assert.equal(await iidOf(over), iid);
    assert.equal((await alertOf(iid)).status, "resolved");
  });
}

test("other webhooks of GitLab, Gitea and Bitbucket open no alert, and the receipt says why (decision 0124)", async () => {
  const repository = { full_name: "acme/rocket" };
  for (const [name, body] of [
    [
      "GitLab",
      { object_kind: "push", event_name: "push", ref: "refs/heads/main", project_id: 15, user_id: 4 },
    ],
    ["GitLab", { object_kind: "note", user: { username: "dev" }, project: { id: 5 }, object_attributes: {} }],
    ["GitLab", job("running")],
    ["GitLab", deployment("created")],
    [
      "GitHub or its like",
      { ref: "refs/heads/main", repository, pusher: { login: "dev" }, sender: { login: "dev" } },
    ],
    ["GitHub or its like", deployed("in_progress")],
    ["GitHub or its like", checkRun("neutral")],
    ["Bitbucket", { actor: {}, repository, push: { changes: [{ new: { name: "main" } }] } }],
    ["Bitbucket", bitbucket("INPROGRESS")],
  ] as const) {
    const reply = await source.send(body);
    assert.deepEqual([reply.status, reply.json], [200, []], JSON.stringify(body));
    const { warnings, decision } = await receiptOf(reply);
    assert.equal(decision, "nothing");
    assert.match(warnings.join(), new RegExp(`^${name} tells of something that is no alert`));
  }
});

test("a forge's payload with a title of its own opens an alert with that title (spec: Alert payload title)", async () => {
  const iid = await iidOf({ ...exampleOf("push"), title: "A push that matters" });
  assert.equal((await alertOf(iid ?? 0)).title, "A push that matters");
});
