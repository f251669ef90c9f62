/** Which repository a delivery is about (decision 0294). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readerOf } from "../../../src/events/sources/readers.ts";
import { repositoryOf } from "../../../src/events/sources/repository.ts";
import { githubExamples } from "../../support/forge.ts";

test("each forge's payloads name their repository by an id (decision 0294)", () => {
  const uuid = "{8a1f9ab9-7a41-4b4e-8b5b-1a0f2b3c4d5e}";
  const cases: [string, unknown, string | undefined][] = [
    ["GitHub, Gitea and their relatives", { repository: { id: 7, full_name: "grace/hello" } }, "7"],
    ["GitLab's push", { project_id: 8, project: { id: 8 }, repository: { name: "hello" } }, "8"],
    ["GitLab's issue", { project: { id: 9 }, object_attributes: { id: 1, project_id: 9 } }, "9"],
    ["an old GitLab's issue", { object_attributes: { id: 1, project_id: 10 } }, "10"],
    ["an old GitLab's merge request", { object_attributes: { id: 1, target_project_id: 11 } }, "11"],
    ["Bitbucket's Cloud", { repository: { uuid, name: "hello" } }, uuid],
    ["Bitbucket's Data Center, a push", { repository: { id: 12, slug: "hello" } }, "12"],
    [
      "Bitbucket's Data Center, a request",
      { pullRequest: { id: 1, toRef: { repository: { id: 13 } } } },
      "13",
    ],
    ["an epic of GitLab", { object_kind: "work_item", project: null, object_attributes: { id: 1 } }, "group"],
    ["a hook of an organization", { action: "opened" }, undefined],
    ["ids of another type", { repository: { id: "7", uuid: 7 }, project_id: -1 }, undefined],
    ["no object", [{ repository: { id: 7 } }], undefined],
  ];
  for (const [name, payload, expected] of cases) assert.equal(repositoryOf(payload), expected, name);
});

test("every example of GitHub's webhooks that is about a repository is read with its id (decision 0294)", () => {
  let read = 0;
  for (const { name, examples } of githubExamples) {
    for (const payload of examples) {
      if (!payload.repository) continue;
      const delivery = { headers: { "x-github-event": name }, body: Buffer.from("") };
      const [letter] = readerOf("github").letters(delivery, payload, () =>
        assert.fail("not of the write API"),
      );
      assert.equal(letter?.repository, String(payload.repository.id), name);
      read += 1;
    }
  }
  assert.ok(read > 100, `only ${read} examples`);
});

test("a CloudEvent names the repository of the forge's payload in it, but not the project of an event of the write API (decision 0294)", () => {
  const letterOf = (type: string, data: object) => {
    const envelope = { specversion: "1.0", id: "1", source: "/any", type, data };
    const delivery = { headers: { "content-type": "application/cloudevents+json" }, body: Buffer.from("") };
    const draft = { action: "created", targetType: "Issue", targetIid: 5, importedFrom: "none" } as const;
    return readerOf("cloudevents").letters(delivery, envelope, () => draft)[0];
  };
  assert.equal(letterOf("com.gitlab.issue", { project_id: 8 })?.repository, "8");
  assert.equal(letterOf("com.github.issues.opened", { repository: { id: 7 } })?.repository, "7");
  assert.equal(letterOf("gatehouse.event", { project_id: 8 })?.repository, undefined);
});
