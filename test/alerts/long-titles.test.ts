/** Texts that are parsed by patterns however long they are: titles of Datadog and hosts in messages. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { GENERIC_LIMIT_BYTES } from "../../src/alerts/body-limits.ts";
import { readDelivery } from "../../src/alerts/read-delivery.ts";
import { PLAIN_RULES } from "../support/plain-rules.ts";

const reportsOf = (payload: unknown) => readDelivery(JSON.stringify(payload), PLAIN_RULES).reports;
const filled = (text: string, characters: number) => text.repeat(Math.floor(characters / text.length));

/** The default template of Datadog. */
const datadog = (title: string) => ({
  ...{ id: "1", title, body: "b", event_type: "query_alert_monitor", org: { id: "1", name: "o" } },
  last_updated: "1777629600000",
});

test("the prefix of a title of Datadog is parsed whatever the length of its group (reference alerts E9)", () => {
  const tags = Array.from({ length: 300 }, (_, at) => `tag-${at}:value-${at}`).join(",");
  for (const [title, severity, hosts] of [
    ["[P2] [Triggered on {host:web-1,env:prod}] High CPU", "high", ["web-1"]],
    ["[Re-Triggered on {host:web-1}] High CPU", "critical", ["web-1"]],
    ["[Warn] High CPU", "low", []],
    [`[P2] [Triggered on {${tags},host:web-1}] High CPU`, "high", ["web-1"]],
  ] as const) {
    const [report] = reportsOf(datadog(title));
    assert.deepEqual([report?.title, report?.severity, report?.hosts], ["High CPU", severity, hosts]);
  }
  for (const title of ["[team: shop] High CPU", "[] High CPU", "[ on call] High CPU", "[Triggered High CPU"])
    assert.equal(reportsOf(datadog(title))[0]?.title, title);
});

test("a title of Datadog that fills a payload is parsed in linear time (decision 0159)", () => {
  // In quadratic time these would take minutes.
  const most = GENERIC_LIMIT_BYTES - 1000;
  for (const text of [" on ", " ", "a ", "[P1] ", "[", "P1]"]) {
    const [report] = reportsOf(datadog(`[${filled(text, most)}`));
    assert.equal(report?.action, "firing", text);
    assert.equal(reportsOf(datadog(`[P1]${filled(text, most)}`)).length, 1, text);
  }
});

test("the address behind a host in a message is removed from the last bracket on (decisions 0141, 0159)", () => {
  const message = (host: string) => ({
    text: "Disk is full",
    attachments: [{ fields: [{ title: "Host", value: host }] }],
  });
  for (const [text, host] of [
    ["web-1 [192.0.2.1]", "web-1"],
    ["web-1 (IP: 192.0.2.1)", "web-1"],
    ["web-1 [2001:db8::1]", "web-1"],
    ["web-1 [rack 3 [192.0.2.1]", "web-1 [rack 3"],
    ["web-1 (IP: rack 3 (IP: 192.0.2.1)", "web-1 (IP: rack 3"],
  ] as const)
    assert.deepEqual(reportsOf(message(text))[0]?.hosts, [host]);
});
