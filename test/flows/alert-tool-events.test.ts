/**
 * CloudEvents of tools with their own types: a failure opens an alert, the next success resolves it, progress opens
 * none.
 */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { aSource, readsAlerts, type Source } from "../support/alerts.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let source: Source;
before(async () => {
  world = await startWorld();
  source = await aSource(world);
});

const { receiptOf, alertOf } = readsAlerts(() => world);

let sent = 0;
const event = (type: string, data: object, from = "/apis/tekton.dev/v1/namespaces/ci") => ({
  ...{ specversion: "1.0", id: `e-${++sent}`, type, source: from, datacontenttype: "application/json" },
  ...{ time: "2026-05-01T10:00:00Z", data },
});
const condition = (reason: string) => ({
  conditions: [{ type: "Succeeded", reason, message: `it ${reason}` }],
});
const pipelineRun = (name: string, reason: string, pipeline = "build") => ({
  pipelineRun: {
    metadata: { name, namespace: "ci", generateName: `${pipeline}-` },
    ...{ spec: { pipelineRef: { name: pipeline } }, status: condition(reason) },
  },
});
const taskRun = (name: string, pipelineTask: string, reason: string) => ({
  taskRun: {
    metadata: {
      ...{ name, namespace: "ci" },
      labels: { "tekton.dev/pipeline": "build", "tekton.dev/pipelineTask": pipelineTask },
    },
    ...{ spec: { taskRef: { name: "npm" } }, status: condition(reason) },
  },
});
const replication = (job_status: string, namespace = "library") => ({
  replication: {
    ...{ harbor_hostname: "harbor", job_status, artifact_type: "image", execution_timestamp: 1777629600 },
    src_resource: { registry_name: "hub", endpoint: "https://hub.example.org", namespace },
    dest_resource: { registry_type: "harbor", endpoint: "http://harbor", namespace: "mirror" },
  },
});
const harbor = (type: string, data: object) =>
  event(`harbor.${type}`, data, "/projects/2/webhook/policies/15");

const iidsOf = async (payload: object): Promise<number[]> =>
  (await source.send(payload)).json.map(({ iid }: { iid: number }) => iid);

describe("Tekton", () => {
  const told = (kind: string, state: string, data: object) =>
    event(`dev.tekton.event.${kind}.${state}.v1`, data);

  test("a failed pipeline run opens an alert of its pipeline, and the next successful run resolves it (decision 0266)", async () => {
    for (const state of ["started", "running", "unknown"]) {
      const reply = await source.send(told("pipelinerun", state, pipelineRun("build-1", "Running")));
      assert.deepEqual(reply.json, [], state);
      assert.match((await receiptOf(reply)).warnings.join(" "), /Tekton tells of something that is no alert/);
    }
    assert.deepEqual(
      await iidsOf(told("pipelinerun", "successful", pipelineRun("build-1", "Succeeded"))),
      [],
    );
    const [iid = 0] = await iidsOf(told("pipelinerun", "failed", pipelineRun("build-2", "Failed")));
    const alert = await alertOf(iid);
    assert.deepEqual(
      [alert.title, alert.severity, alert.service, alert.monitoring_tool, alert.description],
      ["build failed", "high", "build", "Tekton", "it Failed"],
    );
    assert.equal(alert.started_at, "2026-05-01T10:00:00.000Z");
    assert.deepEqual(await iidsOf(told("pipelinerun", "failed", pipelineRun("build-3", "Failed"))), [iid]);
    const other = told("pipelinerun", "failed", pipelineRun("ship-1", "Failed", "ship"));
    assert.notDeepEqual(await iidsOf(other), [iid]);
    assert.deepEqual(await iidsOf(told("pipelinerun", "successful", pipelineRun("build-4", "Completed"))), [
      iid,
    ]);
    assert.equal((await alertOf(iid)).status, "resolved");
  });

  test("a failed task is an alert of its pipeline's task, and a cancelled run opens none (decision 0266)", async () => {
    const [unit = 0] = await iidsOf(told("taskrun", "failed", taskRun("r1", "unit", "Failed")));
    const [lint = 0] = await iidsOf(told("taskrun", "failed", taskRun("r2", "lint", "Failed")));
    assert.equal((await alertOf(unit)).title, "unit of build failed");
    assert.notEqual(unit, lint);
    assert.deepEqual(await iidsOf(told("taskrun", "successful", taskRun("r3", "unit", "Succeeded"))), [unit]);
    assert.equal((await alertOf(lint)).status, "triggered");
    assert.deepEqual(await iidsOf(told("taskrun", "failed", taskRun("r4", "e2e", "TaskRunCancelled"))), []);
  });

  test("runs with an inline definition are identified by generateName, and their tasks by pipeline and task name (decision 0266)", async () => {
    const label = "pipelinesascode.tekton.dev/original-prname";
    const written = (run: string, labels: object = {}) => ({
      metadata: {
        ...{ name: run, namespace: "ci", generateName: "deploy-" },
        labels: { "tekton.dev/pipeline": run, ...labels },
      },
      ...{ spec: {}, status: condition("Failed") },
    });
    const failed = { pipelineRun: written("deploy-x1") };
    const [iid = 0] = await iidsOf(told("pipelinerun", "failed", failed));
    assert.equal((await alertOf(iid)).title, "deploy- failed");
    assert.deepEqual(await iidsOf(told("pipelinerun", "successful", { pipelineRun: written("deploy-x2") })), [
      iid,
    ]);
    const task = (run: string) => {
      const { metadata, ...rest } = written(run, { [label]: "pr", "tekton.dev/pipelineTask": "unit" });
      return {
        taskRun: { ...rest, metadata: { ...metadata, name: `${run}-unit`, generateName: undefined } },
      };
    };
    const [part = 0] = await iidsOf(told("taskrun", "failed", task("pr-1")));
    assert.equal((await alertOf(part)).title, "unit of pr failed");
    assert.deepEqual(await iidsOf(told("taskrun", "successful", task("pr-2"))), [part]);
  });

  test("runs of Pipelines as Code are separate alerts per source branch (decision 0266)", async () => {
    const on = (branch: string, name: string) => ({
      pipelineRun: {
        metadata: {
          ...{ name, namespace: "ci", generateName: "quay-" },
          labels: { "pipelinesascode.tekton.dev/original-prname": "quay" },
          annotations: { "pipelinesascode.tekton.dev/source-branch": branch },
        },
        ...{ spec: {}, status: condition("Failed") },
      },
    });
    const [iid = 0] = await iidsOf(told("pipelinerun", "failed", on("main", "quay-1")));
    assert.deepEqual(await iidsOf(told("pipelinerun", "successful", on("fix", "quay-2"))), []);
    assert.equal((await alertOf(iid)).status, "triggered");
    assert.deepEqual(await iidsOf(told("pipelinerun", "successful", on("main", "quay-3"))), [iid]);
  });

  test("events in binary mode are read too (CloudEvents 1.0, binary content mode; decision 0266)", async () => {
    const send = (state: string) =>
      source.send(pipelineRun("nightly-1", "Failed", "nightly"), {
        "ce-specversion": "1.0",
        "ce-id": `h-${state}`,
        "ce-source": "/apis/tekton.dev/v1/namespaces/ci",
        "ce-type": `dev.tekton.event.pipelinerun.${state}.v1`,
      });
    assert.deepEqual((await send("started")).json, []);
    const [{ iid, title }] = (await send("failed")).json;
    assert.equal(title, "nightly failed");
    assert.equal((await send("successful")).json[0]?.iid, iid);
  });
});

describe("Harbor", () => {
  test("CloudEvents are read like Harbor's own format: pushes open no alert, failed scans and quota warnings do (decisions 0124, 0266)", async () => {
    const repository = { name: "api", namespace: "acme", repo_full_name: "acme/api", repo_type: "private" };
    const resources = [{ digest: "sha256:1", tag: "v1", resource_url: "harbor/acme/api:v1" }];
    for (const type of ["artifact.pushed", "artifact.pulled", "artifact.deleted", "tag_retention.finished"]) {
      assert.deepEqual(await iidsOf(harbor(type, { resources, repository })), [], type);
    }
    const [scan = 0] = await iidsOf(harbor("scan.failed", { resources, repository }));
    assert.equal((await alertOf(scan)).title, "Scan of acme/api failed");
    assert.deepEqual(await iidsOf(harbor("scan.completed", { resources, repository })), [scan]);
    assert.equal((await alertOf(scan)).status, "resolved");
    const custom_attributes = { Details: "quota usage reach 85%" };
    const [quota = 0] = await iidsOf(harbor("quota.warned", { repository, custom_attributes }));
    const { title, severity } = await alertOf(quota);
    assert.deepEqual([title, severity], ["quota usage reach 85%", "low"]);
  });

  test("a failed replication opens an alert and a success resolves it, in both formats (decision 0266)", async () => {
    const plain = (data: object) => ({
      type: "REPLICATION",
      ...{ occur_at: 1777629600, operator: "MANUAL", event_data: data },
    });
    const inEvent = (data: object) => harbor("replication.status.changed", data);
    for (const tell of [plain, inEvent]) {
      assert.deepEqual(await iidsOf(tell(replication("Running"))), []);
      assert.deepEqual(await iidsOf(tell(replication("Success"))), []);
    }
    const [iid = 0] = await iidsOf(plain(replication("Failed")));
    assert.equal((await alertOf(iid)).title, "Replication from https://hub.example.org/library failed");
    assert.notDeepEqual(await iidsOf(plain(replication("Failed", "other"))), [iid]);
    assert.deepEqual(await iidsOf(inEvent(replication("Success"))), [iid]);
    assert.equal((await alertOf(iid)).status, "resolved");
  });
});

test("Twilio tells of errors in its log: each kind of error of a product is one alert, however often it is logged, and a note is none (decision 0266)", async () => {
  const logged = (error_code: string, level = "ERROR", product_name = "Programmable Voice") =>
    event(
      "com.twilio.error-logs.error.logged",
      {
        ...{ sid: `NO${error_code}`, account_sid: "AC1", date_created: "2026-05-01T10:00:00.000Z", level },
        ...{ request_sid: "RQ1", service_sid: "ZH1", correlation_sid: "ZE1", product_name, error_code },
      },
      "AB1",
    );
  const [first] = await iidsOf([logged("11200")] as object);
  const [other, again] = await iidsOf([logged("93101", "WARNING"), logged("11200")] as object);
  assert.equal(again, first);
  assert.deepEqual(await iidsOf(logged("80901", "INFO")), []);
  const told = async (iid: number | undefined) => {
    const { title, severity, service, monitoring_tool, events } = await alertOf(iid ?? 0);
    return [title, severity, service, monitoring_tool, events];
  };
  const product = ["Programmable Voice", "Twilio"];
  assert.deepEqual(await told(first), ["Programmable Voice: error 11200", "medium", ...product, 2]);
  assert.deepEqual(await told(other), ["Programmable Voice: error 93101", "low", ...product, 1]);
});
