/** Metric images of incidents, by the issues API and on the page of the incident. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { Gitlab } from "@gitbeaker/rest";
import { aSource } from "../support/alerts.ts";
import { CHART, coded, formOf, PICTURE, recordOf } from "../support/picture.ts";
import { signedIn } from "../support/visitor.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

const PROJECT = "/api/v4/projects/acme%2Frocket";
/** Of the incident that the alert opened. */
const IMAGES = `${PROJECT}/issues/1/metric_images`;
/** Of the alert itself. */
const OF_ALERT = `${PROJECT}/alert_management_alerts/1/metric_images`;
/** Of an incident without alerts. */
const OF_OTHER = `${PROJECT}/issues/2/metric_images`;
const PAGE = "/acme/rocket/-/incidents/1";

let world: World;
before(async () => {
  world = await startWorld();
  const source = await aSource(world);
  assert.equal((await source.send({ title: "Slow", fingerprint: "slow" })).status, 200);
  const other = await world.call(`${PROJECT}/issues`, { as: "rep", json: { title: "Dark" } });
  assert.deepEqual([other.status, other.json.iid], [201, 2]);
});

const send = async (form: FormData, { as = "dev" as Person, path = IMAGES } = {}) =>
  world.call(path, { as, method: "POST", ...(await coded(form)) });

test("a GitLab v4 API client uploads, lists, changes and removes a metric image of an incident (GitLab v4 API, issues: metric images)", async () => {
  const { Issues } = new Gitlab({ host: world.url, token: await world.tokenOf("dev", "api") });
  const made = await Issues.uploadMetricImage(
    "acme/rocket",
    1,
    { content: new Blob([PICTURE]), filename: "p99.png" },
    { url: CHART },
  );
  assert.deepEqual(made as unknown, recordOf(made, PAGE));
  assert.deepEqual(await Issues.allMetricImages("acme/rocket", 1), [made]);
  const changed = await Issues.editMetricImage("acme/rocket", 1, made.id, { urlText: "now" });
  assert.deepEqual(changed, { ...made, url_text: "now" });
  const rep = await signedIn(world, "rep");
  const picture = await rep.get(made.file_path);
  assert.deepEqual(
    ["content-type", "content-security-policy"].map((name) => picture.headers.get(name)),
    ["image/png", "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox"],
  );
  await Issues.removeMetricImage("acme/rocket", 1, made.id);
  assert.deepEqual(await Issues.allMetricImages("acme/rocket", 1), []);
});

test("an image of one incident cannot be reached through another incident or through its alert, and the reverse (decision 0204)", async () => {
  const [one, alert] = await Promise.all([
    send(formOf({}, PICTURE)),
    send(formOf({}, PICTURE), { path: OF_ALERT }),
  ]);
  const idsAt = async (path: string) =>
    (await world.call(path, { as: "dev" })).json.map(({ id }: { id: number }) => id);
  for (const [path, others] of [
    [IMAGES, alert.json.id],
    [OF_OTHER, one.json.id],
    [OF_ALERT, one.json.id],
  ] as const)
    for (const method of ["PUT", "DELETE"]) {
      const reply = await world.call(`${path}/${others}`, { as: "dev", method, json: {} });
      assert.equal(reply.status, 404, `${method} ${path}`);
    }
  const dev = await signedIn(world, "dev");
  for (const other of ["/incidents/2/", "/alerts/1/"])
    assert.equal((await dev.get(one.json.file_path.replace("/incidents/1/", other))).status, 404, other);
  assert.equal((await dev.get(alert.json.file_path.replace("/alerts/", "/incidents/"))).status, 404);
  assert.deepEqual(
    [await idsAt(IMAGES), await idsAt(OF_OTHER), await idsAt(OF_ALERT)],
    [[one.json.id], [], [alert.json.id]],
  );
  assert.match(
    (await dev.get("/acme/rocket/-/alerts/1")).text,
    new RegExp(`metric_images/${alert.json.id}"`),
  );
  const none = await send(formOf({}, PICTURE), { path: `${PROJECT}/issues/3/metric_images` });
  assert.deepEqual([none.status, none.json.message], [404, "404 Issue Not Found"]);
});

test("an incident has at most 20 images, not counting those of its alert (decision 0204)", async () => {
  for (let n = 0; n < 20; n++)
    assert.equal((await send(formOf({}, PICTURE), { path: OF_OTHER })).status, 201);
  const more = await send(formOf({}, PICTURE), { path: OF_OTHER });
  assert.equal(more.status, 422);
  assert.match(more.json.message, /^An incident has at most 20 images\. Remove one/);
  const page = await world.call(`${OF_OTHER}?per_page=15&page=2`, { as: "rep" });
  assert.deepEqual([page.json.length, page.headers.get("x-total")], [5, "20"]);
});

test("Reporters can see the images of an incident, Developers can change them (contract-alerts, roles; decision 0204)", async () => {
  const made = (await send(formOf({}, PICTURE))).json;
  for (const [as, seen, written] of [
    ["dev", 200, 200],
    ["rep", 200, 403],
    ["gus", 403, 403],
    ["stan", 404, 404],
  ] as const) {
    assert.equal((await world.call(IMAGES, { as })).status, seen, as);
    const visitor = await signedIn(world, as);
    assert.equal((await visitor.get(made.file_path)).status, seen, as);
    const changed = await world.call(`${IMAGES}/${made.id}`, { as, method: "PUT", json: { url_text: as } });
    assert.equal(changed.status, written, as);
    if (as === "dev") continue;
    assert.equal((await send(formOf({}, PICTURE), { as })).status, written, as);
    assert.equal((await world.call(`${IMAGES}/${made.id}`, { as, method: "DELETE" })).status, written, as);
  }
  assert.equal((await world.call(IMAGES)).status, 401);
  const kept = (await world.call(IMAGES, { as: "rep" })).json.at(-1);
  assert.deepEqual(kept, { ...made, url_text: "dev" });
});

test("images are added and removed on the page of an incident, and only by those who may change it (decision 0204)", async () => {
  const [dev, rep] = [await signedIn(world, "dev"), await signedIn(world, "rep")];
  const before = (await world.call(IMAGES, { as: "dev" })).json;
  const fields = { project: "acme/rocket", kind: "incident", iid: "1", url_text: "Load" };
  const opened = await dev.get(PAGE);
  assert.match(opened.text, /name="kind" value="incident"/);
  const added = await dev.upload("/-/metric_images", formOf(fields, PICTURE, "load.png"));
  assert.deepEqual([added.status, added.location], [303, PAGE]);
  const page = await dev.follow(added);
  assert.match(page.text, /The image stands beside the incident/);
  const [, path = ""] = /<img src="([^"]+)" alt="Picture: Load"/.exec(page.text) ?? [];
  assert.ok(page.text.includes(`<form method="post" action="${path}"`), page.text);
  const seen = await rep.get(PAGE);
  assert.ok(seen.text.includes(`<img src="${path}"`));
  assert.doesNotMatch(seen.text, /action="[^"]*metric_images/);
  assert.equal((await rep.upload("/-/metric_images", formOf(fields, PICTURE))).status, 403);
  assert.equal((await rep.post(path, {})).status, 403);
  const stan = await signedIn(world, "stan");
  await stan.get("/profile/sessions");
  assert.equal((await stan.upload("/-/metric_images", formOf(fields, PICTURE))).status, 404);
  const bad = await dev.upload("/-/metric_images", formOf(fields, Buffer.from("no")));
  assert.equal(bad.status, 422);
  assert.match(bad.text, /Image is not a PNG, JPEG, GIF or WebP image\./);
  assert.match(bad.text, /name="url_text"[^>]*value="Load"/, "the typed text is kept");
  assert.equal(
    (await dev.upload("/-/metric_images", formOf({ ...fields, kind: "project" }, PICTURE))).status,
    400,
  );
  const gone = await dev.follow(await dev.post(path, {}));
  assert.match(gone.text, /The image is gone/);
  assert.equal((await dev.get(path)).status, 404);
  assert.deepEqual((await world.call(IMAGES, { as: "dev" })).json, before);
});
