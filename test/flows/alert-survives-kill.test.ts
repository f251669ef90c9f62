/** Ends the service by kill -9 in the middle of a stream of alerts: what was answered 2xx is there, counted once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { aService } from "../support/service.ts";

test("every alert that was answered 2xx is there after kill -9, counted once (reference alerts D1)", async () => {
  const service = await aService();
  await service.start();
  const api = async <T>(path: string, json?: unknown): Promise<T> => {
    const reply = await fetch(`${service.url}/api/v4${path}`, {
      method: json === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${service.token}`, "content-type": "application/json" },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    return (await reply.json()) as T;
  };
  await api("/projects", { name: "Kill", path: "kill" });
  const source = await api<{ url: string; authorization_key: string }>(
    "/projects/root%2Fkill/alert_integrations",
    { type: "generic" },
  );

  // By title: how many were answered 2xx, and how many ended without an answer and may or may not be there.
  const accepted = new Map<string, number>();
  const unknown = new Map<string, number>();
  const add = (to: Map<string, number>, title: string) => to.set(title, (to.get(title) ?? 0) + 1);
  let killed = false;
  const stream = async (sender: number) => {
    for (let i = 0; !killed; i++) {
      // Half of them repeat one alert, half are new.
      const title = i % 2 === 0 ? "Hot" : `Cold ${sender} ${i}`;
      try {
        const reply = await fetch(source.url, {
          method: "POST",
          headers: {
            authorization: `Bearer ${source.authorization_key}`,
            "content-type": "application/json",
          },
          body: JSON.stringify({ title }),
        });
        assert.equal(reply.status, 200);
        add(accepted, title);
        await reply.arrayBuffer();
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error;
        add(unknown, title);
      }
    }
  };
  for (let round = 0; round < 2; round++) {
    killed = false;
    const streams = Array.from({ length: 16 }, (_, sender) => stream(round * 100 + sender));
    await new Promise((done) => setTimeout(done, 700));
    await service.kill();
    killed = true;
    await Promise.all(streams);
    await service.start();
  }

  const stored = new Map<string, number>();
  for (let page = 1; ; page++) {
    const json = await api<{ title: string; events: number }[]>(
      `/projects/root%2Fkill/alert_management_alerts?per_page=100&page=${page}`,
    );
    for (const { title, events } of json) {
      assert.ok(!stored.has(title), `${title} is there once`);
      stored.set(title, events);
    }
    if (json.length < 100) break;
  }
  assert.ok((accepted.get("Hot") ?? 0) > 50 && accepted.size > 50, "the stream was under way");
  for (const title of new Set([...accepted.keys(), ...stored.keys()])) {
    const least = accepted.get(title) ?? 0;
    const most = least + (unknown.get(title) ?? 0);
    const events = stored.get(title) ?? 0;
    assert.ok(events >= least && events <= most, `${title}: ${events} of ${least} to ${most}`);
  }
});
