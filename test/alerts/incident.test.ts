/** The text of the incident that an alert opens. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { incidentBody, saidByRule } from "../../src/alerts/incident.ts";

const bodyOf = (description: string, payload: Record<string, unknown> = {}) =>
  incidentBody(
    {
      startedAt: null,
      severity: "high",
      service: null,
      monitoringTool: null,
      hosts: [],
      description,
      payload,
    },
    "https://a.example/1",
  );

test("text from a payload is put on one line, mentions nobody, and keeps long runs of spaces (reference alerts A8)", () => {
  assert.match(bodyOf("a  b \r\n /close\n\n@all"), /\*\*Description:\*\* a {2}b \/close @\u200ball {2}\n/);
  const blank = " ".repeat(1_000_000);
  assert.ok(bodyOf(`a${blank}b`).includes(`a${blank}b`));
});

test("the query of a Prometheus rule is shown as inline code, whatever characters it has (reference alerts A8; reference alerts A11)", () => {
  const link = (query: string) =>
    `http://prometheus:9090/graph?g0.expr=${encodeURIComponent(query)}&g0.tab=1`;
  const lineOf = (generatorURL: unknown) =>
    bodyOf("x", { generatorURL }).match(/\*\*full_query:\*\* (.*?) {2}\n/)?.[1];
  assert.equal(lineOf(link('up{job="a"} == 0')), '`up{job="a"} == 0`');
  assert.equal(lineOf(link("a`b\n@all [x](http://y)")), "`a'b @all [x](http://y)`");
  assert.equal(lineOf(link("a".repeat(2000)))?.length, 1002);
  const hostless = `https://${"Z".repeat(20_000)}/?g0.expr=up`;
  for (const none of [undefined, 5, "", "not a link", "http://prometheus/graph", link(" "), hostless]) {
    assert.equal(lineOf(none), undefined);
  }
});

test("the Markdown that a rule adds follows the facts, with mentions, commands and links disabled (reference alerts A8; decision 0037)", () => {
  const saidWith = (markdown: unknown) =>
    saidByRule({ annotations: { gitlab_incident_markdown: markdown } }).split("\n\n---\n\n");
  const [none, said, ...more] = saidWith(
    "# To do\n- call @olga\r\n  /close\n/assign me\n[here](http://evil.example)",
  );
  assert.equal(none, "");
  assert.equal(
    said,
    "# To do\n- call @\u200bolga\n  \u200b/close\n\u200b/assign me\n[here]\u200b(http://evil.example)",
  );
  assert.deepEqual(more, []);
  assert.equal(saidWith("a".repeat(20_000))[1]?.length, 10_000);
  for (const nothing of [undefined, null, "", "  ", 5, ["x"]]) assert.deepEqual(saidWith(nothing), [""]);
  assert.equal(saidByRule({ annotations: "none" }), "");
});
