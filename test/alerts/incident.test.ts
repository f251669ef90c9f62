/** What an incident says of its alert. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { incidentBody } from "../../src/alerts/incident.ts";

const bodyOf = (description: string) =>
  incidentBody(
    { startedAt: null, severity: "high", service: null, monitoringTool: null, hosts: [], description },
    "https://a.example/1",
  );

test("text of a payload stands in one line and calls nobody, however much blank is in it (reference alerts A8)", () => {
  assert.match(bodyOf("a  b \r\n /close\n\n@all"), /\*\*Description:\*\* a {2}b \/close @\u200ball {2}\n/);
  const blank = " ".repeat(1_000_000);
  assert.ok(bodyOf(`a${blank}b`).includes(`a${blank}b`));
});
