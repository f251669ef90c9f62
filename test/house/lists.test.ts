/** Every list of the API with invalid or excessive page numbers, dates and search words. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { type Operation, operationsOf } from "../support/operations.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let lists: Operation[];
before(async () => {
  world = await startWorld();
  lists = (await operationsOf(world.app)).filter(({ method }) => method === "GET");
});

const has = ({ parameters }: Operation, name: string) =>
  parameters.some((one) => one.in === "query" && one.name === name);

/** The list of acme/rocket, of acme or of Max. */
function addressOf({ path }: Operation): string {
  const place = path.includes("/projects/{")
    ? "acme%2Frocket"
    : path.includes("/groups/{")
      ? "acme"
      : undefined;
  return path.replace(/\{\w+\}/, place ?? String(world.ids.max)).replace(/\{\w+\}/g, "1");
}

const ask = (operation: Operation, query: string) =>
  world.call(`${addressOf(operation)}?${query}`, { as: "ada" });

describe("every list of the API", () => {
  it("returns at most a hundred entries a page, and refuses invalid page numbers (contract §4, event lists; reference reliability S89)", async () => {
    const wrong: string[] = [];
    const pages = lists.filter((one) => has(one, "per_page"));
    assert.ok(pages.length > 20, `${pages.length} lists`);
    for (const one of pages) {
      for (const query of [
        "per_page=1000000000",
        "per_page=101",
        "page=1000000000",
        "page=99999999999999999999",
      ]) {
        const { status, headers, json } = await ask(one, query);
        const isHeld =
          status === 400 ||
          status === 404 ||
          (json.length <= 100 && Number(headers.get("x-per-page") ?? 0) <= 100);
        if (!isHeld || status >= 500) wrong.push(`${one.path} ${query}: ${status}`);
      }
      const bad = [
        "page=-1",
        "page=NaN",
        "page=1.5",
        "page=0x1",
        "page=",
        "per_page=-1",
        "per_page=NaN",
        "per_page=1e2",
        "page[]=1",
      ];
      for (const query of bad) {
        const { status } = await ask(one, query);
        if (status !== 400 && status !== 404 && !(query === "page=" && status === 200))
          wrong.push(`${one.path} ${query}: ${status}`);
      }
    }
    assert.deepEqual(wrong, []);
  });

  it("refuses invalid dates, and is empty when after is later than before (reference events A2; reference reliability S90)", async () => {
    const wrong: string[] = [];
    let asked = 0;
    for (const one of lists) {
      for (const name of ["before", "after", "created_before", "created_after", "from", "to", "on"].filter(
        (each) => has(one, each),
      )) {
        for (const value of ["2024-02-30", "0000-00-00", "2024-13-01", "x"]) {
          asked++;
          const { status } = await ask(one, `${name}=${value}`);
          if (status !== 400 && status !== 404) wrong.push(`${one.path} ${name}=${value}: ${status}`);
        }
        const { status } = await ask(one, `${name}[]=2024-01-01`);
        if (status >= 500) wrong.push(`${one.path} ${name}[]: ${status}`);
      }
    }
    assert.ok(asked > 40, `${asked} dates`);
    assert.deepEqual(wrong, []);
    for (const path of ["events", "users/max/events", "projects/acme%2Fopen/events"]) {
      const query = "after=2025-01-02&before=2025-01-01";
      const { status, json } = await world.call(`/api/v4/${path}?${query}`, { as: "max" });
      assert.deepEqual([status, json], [200, []], path);
    }
  });

  it("searches for literal text: characters of patterns have no special meaning (reference reliability S108)", async () => {
    const named = "100% of_a \\d.* (kind)";
    const made = await world.call("/api/v4/projects", { as: "max", json: { name: named, path: "kind" } });
    assert.equal(made.status, 201, made.text);
    const wrong: string[] = [];
    const sought = lists.filter((one) => has(one, "search"));
    assert.ok(sought.length > 8, `${sought.length} lists`);
    for (const one of sought) {
      for (const word of ["%%", "%a%", "__", "m_x", ".*", "[a-z]", "(", "\\", "^", "a|b", "' or ''='", "*"]) {
        const { status, json } = await ask(one, `search=${encodeURIComponent(word)}`);
        const others = Array.isArray(json)
          ? json.filter((each) => ![each.name, each.target_title].includes(named))
          : [];
        if (status >= 500 || others.length > 0) wrong.push(`${one.path} ${word}: ${status} ${others.length}`);
      }
    }
    assert.deepEqual(wrong, []);
    const found = async (word: string) => {
      const { json } = await world.call(`/api/v4/projects?search=${encodeURIComponent(word)}`, { as: "max" });
      return json.map(({ name }: { name: string }) => name).includes(named);
    };
    for (const word of ["0%", "f_A", "\\d.*", "(KIND)"]) assert.ok(await found(word), word);
  });
});
