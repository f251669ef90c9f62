/** The paths at which payloads of known tools are read. */
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { foldedName } from "../../src/alerts/senders/folded.ts";
import type { Tool } from "../../src/alerts/senders/tools.ts";

const SENDERS = join(import.meta.dirname, "../../src/alerts/senders");

/** All paths of a tool's definition, including those in braces in its titles. */
function placesOf(tool: Tool): string[] {
  const { marks, where = {}, titles, identity, tags = [] } = tool;
  const { description, service, hosts, link, severity, state, start, end, time } = tool;
  const inTitles = titles.flatMap((title) => [...title.matchAll(/\{([^}]*)\}/g)].map(([, places]) => places));
  const single = [description, service, hosts, link, severity, state, start, end, time];
  return [...marks, ...Object.keys(where), ...identity, ...tags, ...inTitles, ...single].flatMap(
    (places) => places?.split("|") ?? [],
  );
}

test("every path of every known tool is in the normalized form that names are compared in (decision 0124)", async () => {
  const files = (await readdir(SENDERS)).filter((name) => name.startsWith("tools"));
  const unfound: string[] = [];
  let looked = 0;
  for (const file of files) {
    for (const list of Object.values(await import(join(SENDERS, file)))) {
      if (!Array.isArray(list)) continue;
      for (const tool of list as Tool[]) {
        if (tool?.marks === undefined) continue;
        looked++;
        for (const place of placesOf(tool)) {
          const steps = place.split(".");
          if (steps.some((step) => step === "" || step !== foldedName(step)))
            unfound.push(`${file}: ${tool.name ?? tool.kind}: ${place}`);
        }
      }
    }
  }
  assert.ok(looked > 100, `${looked}`);
  assert.deepEqual(unfound, []);
});
