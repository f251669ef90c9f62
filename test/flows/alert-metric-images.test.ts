/** Metric images of alerts, through the API and on the page of the alert. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { Gitlab } from "@gitbeaker/rest";
import { aSource } from "../support/alerts.ts";
import { CHART, coded, formOf, PICTURE, recordOf } from "../support/picture.ts";
import { signedIn } from "../support/visitor.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

const ALERT = "/api/v4/projects/acme%2Frocket/alert_management_alerts/1";
const IMAGES = `${ALERT}/metric_images`;
const PAGE = "/acme/rocket/-/alerts/1";

let world: World;
before(async () => {
  world = await startWorld();
  const source = await aSource(world);
  assert.equal((await source.send({ title: "Slow", fingerprint: "slow" })).status, 200);
});

const send = async (form: FormData, { as = "dev" as Person, path = IMAGES, method = "POST" } = {}) =>
  world.call(path, { as, method, ...(await coded(form)) });

test("a GitLab API client uploads, lists, edits and deletes a metric image (GitLab v4 API, metric_images)", async () => {
  const api = new Gitlab({ host: world.url, token: await world.tokenOf("dev", "api") });
  const made = await api.AlertManagement.uploadMetricImage(
    "acme/rocket",
    1,
    { content: new Blob([PICTURE]), filename: "p99.png" },
    { url: CHART },
  );
  assert.deepEqual(made as unknown, recordOf(made, PAGE));
  assert.deepEqual(await api.AlertManagement.allMetricImages("acme/rocket", 1), [made]);
  const changed = await api.AlertManagement.editMetricImage("acme/rocket", 1, made.id, { urlText: "p99" });
  assert.deepEqual(changed, { ...made, url_text: "p99" });
  await api.AlertManagement.removeMetricImage("acme/rocket", 1, made.id);
  assert.deepEqual(await api.AlertManagement.allMetricImages("acme/rocket", 1), []);
});

test("an image's type comes from its bytes, its filename is sanitized, and url and url_text are optional (decision 0201)", async () => {
  const named = await send(formOf({ url: "", url_text: "" }, PICTURE, "../../a\u202e b/ünï 1.png"));
  assert.equal(named.status, 201, named.text);
  assert.deepEqual([named.json.filename, named.json.url, named.json.url_text], ["ünï 1.png", null, null]);
  const dev = await signedIn(world, "dev");
  const picture = await dev.get(named.json.file_path);
  assert.deepEqual(
    ["content-type", "content-security-policy", "x-content-type-options", "content-disposition"].map((name) =>
      picture.headers.get(name),
    ),
    [
      "image/png",
      "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox",
      "nosniff",
      "inline; filename*=UTF-8''%C3%BCn%C3%AF%201.png",
    ],
  );
  assert.equal(Number(picture.headers.get("content-length")), PICTURE.length);
  const json = await world.call(`${IMAGES}/${named.json.id}`, {
    as: "dev",
    method: "PUT",
    json: { url: "https://a.example" },
  });
  assert.deepEqual([json.status, json.json.url, json.json.url_text], [200, "https://a.example", null]);
  const form = await send(formOf({ url_text: "Now named" }), {
    path: `${IMAGES}/${named.json.id}`,
    method: "PUT",
  });
  assert.deepEqual([form.status, form.json.url, form.json.url_text], [200, "https://a.example", "Now named"]);
  const none = await world.call(`${IMAGES}/${named.json.id}`, {
    as: "dev",
    method: "PUT",
    json: { url: null },
  });
  assert.deepEqual([none.status, none.json.url, none.json.url_text], [200, null, "Now named"]);
});

test("files that are no image, invalid fields and malformed forms are refused with a reason (reference house, errors; decision 0201)", async () => {
  const svg = Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>");
  const refused: [FormData, RegExp][] = [
    [formOf({ url: "https://a.example" }), /^file is missing/],
    [formOf({ file: "text" }), /^file is missing: send it as a file/],
    [formOf({}, new Uint8Array()), /^file is empty$/],
    [formOf({}, svg, "a.png"), /^file is not a PNG, JPEG, GIF or WebP image$/],
    [
      formOf({}, Buffer.concat([PICTURE, Buffer.alloc(5 * 1024 * 1024)])),
      /^file is too large \(maximum is 5 MiB\)$/,
    ],
    [formOf({ url: "javascript:alert(1)" }, PICTURE), /^url is not an http or https URL/],
    [formOf({ url: "https://a.example/\n/b" }, PICTURE), /^url is not an http or https URL/],
    [formOf({ url: "https://a.example\\@b.example" }, PICTURE), /^url is not an http or https URL/],
    [formOf({ url: `https://a.example/${"a".repeat(250)}` }, PICTURE), /^url is not an http or https URL/],
    [formOf({ url_text: "a".repeat(129) }, PICTURE), /^url_text is too long/],
  ];
  const before = await world.call(IMAGES, { as: "dev" });
  for (const [form, words] of refused) {
    const reply = await send(form);
    assert.equal(reply.status, 400, reply.text);
    const told =
      reply.json.error ?? Object.entries(reply.json.message).map(([name, faults]) => `${name} ${faults}`)[0];
    assert.match(told, words);
  }
  const large = await send(formOf({}, Buffer.concat([PICTURE, Buffer.alloc(7 * 1024 * 1024)])));
  assert.equal(large.status, 413, large.text);
  const fields = Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`f${n}`, "x"]));
  assert.match((await send(formOf(fields, PICTURE))).text, /more than 20 fields/);
  assert.match((await send(formOf({ url_text: "x".repeat(17_000) }, PICTURE))).text, /longer than 16 KiB/);
  for (const [type, body] of [
    ["multipart/form-data", "x"],
    ["multipart/form-data; boundary=b", "no such thing"],
    [
      "multipart/form-data; boundary=b",
      '--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\nabc',
    ],
  ] as const) {
    const reply = await world.call(IMAGES, {
      as: "dev",
      method: "POST",
      body,
      headers: { "content-type": type },
    });
    assert.deepEqual([reply.status, reply.json.error], [400, "The form is not valid multipart/form-data"]);
  }
  const elsewhere = await send(formOf({ body: "x" }, Buffer.alloc(2 * 1024 * 1024)), {
    path: `${ALERT}/notes`,
  });
  assert.equal(elsewhere.status, 413, "no other endpoint accepts forms of this size");
  assert.deepEqual((await world.call(IMAGES, { as: "dev" })).json, before.json);
});

test("bodies other than multipart get 413 at the usual size limit, as they take longer to parse (decisions 0006, 0201)", async () => {
  for (const [type, body] of [
    ["application/json", `[${"[],".repeat(700_000)}[]]`],
    ["application/x-www-form-urlencoded", "+".repeat(2_000_000)],
  ] as const) {
    const request = { method: "POST", body, headers: { "content-type": type } };
    assert.equal((await world.call(IMAGES, { as: "dev", ...request })).status, 413, type);
  }
  const dev = await signedIn(world, "dev");
  assert.equal((await dev.post("/-/metric_images", { url: "+".repeat(2_000_000) })).status, 413);
  const picture = Buffer.concat([PICTURE, Buffer.alloc(2_000_000)]);
  const large = await send(formOf({}, picture));
  assert.equal(large.status, 201, large.text);
  await world.call(`${IMAGES}/${large.json.id}`, { as: "dev", method: "DELETE" });
});

test("an alert has at most twenty images (decision 0201)", async () => {
  const source = await aSource(world, "http", { name: "Second" });
  await source.send({ title: "Second", fingerprint: "second" });
  const path = IMAGES.replace("/1/", "/2/");
  for (let n = 0; n < 20; n++) assert.equal((await send(formOf({}, PICTURE), { path })).status, 201);
  const more = await send(formOf({}, PICTURE), { path });
  assert.equal(more.status, 422);
  assert.match(more.json.message, /at most 20 images. Remove one/);
  const first = await world.call(`${path}?per_page=15&page=2`, { as: "dev" });
  assert.deepEqual([first.json.length, first.headers.get("x-total")], [5, "20"]);
});

test("images are for those who may see the alert, and are found under their own alert only (contract-alerts, roles)", async () => {
  const made = (await send(formOf({}, PICTURE))).json;
  for (const [as, status] of [
    ["rep", 403],
    ["stan", 404],
  ] as const) {
    assert.equal((await world.call(IMAGES, { as })).status, status);
    assert.equal((await send(formOf({}, PICTURE), { as })).status, status);
    const visitor = await signedIn(world, as);
    assert.equal((await visitor.get(made.file_path)).status, status);
  }
  assert.equal((await world.call(IMAGES)).status, 401);
  const other = IMAGES.replace("/1/", "/2/");
  for (const method of ["PUT", "DELETE"]) {
    const reply = await world.call(`${other}/${made.id}`, { as: "dev", method, json: {} });
    assert.equal(reply.status, 404, method);
  }
  const dev = await signedIn(world, "dev");
  assert.equal((await dev.get(made.file_path.replace("/alerts/1/", "/alerts/2/"))).status, 404);
  assert.equal((await dev.get(`${PAGE}/metric_images/0`)).status, 404);
});

test("browsers must revalidate a cached image, so that permissions are checked each time (RFC 9111 §5.2.2.4; decision 0201)", async () => {
  const { file_path: path, id } = (await send(formOf({}, PICTURE))).json;
  const dev = await signedIn(world, "dev");
  const first = await dev.get(path);
  const etag = first.headers.get("etag") ?? "";
  assert.deepEqual([first.status, first.headers.get("cache-control")], [200, "private, no-cache"]);
  // A proxy that compresses makes the tag weak (RFC 9110 §13.1.2).
  for (const known of [etag, `W/${etag}`]) {
    const again = await dev.get(path, { "if-none-match": known });
    assert.deepEqual([again.status, again.text, again.headers.get("etag")], [304, "", etag]);
  }
  const rep = await signedIn(world, "rep");
  assert.equal((await rep.get(path, { "if-none-match": etag })).status, 403);
  await world.call(`${IMAGES}/${id}`, { as: "dev", method: "DELETE" });
  assert.equal((await dev.get(path, { "if-none-match": etag })).status, 404);
});

test("the page adds and deletes an image with its link, and shows errors next to what was typed (reference alerts A9: Metrics)", async () => {
  const dev = await signedIn(world, "dev");
  const fields = {
    project: "acme/rocket",
    kind: "alert",
    iid: "1",
    url: "https://charts.example.org/<b>",
    url_text: 'Load "now"',
  };
  await dev.get(PAGE);
  const added = await dev.upload("/-/metric_images", formOf(fields, PICTURE, "load.png"));
  assert.deepEqual([added.status, added.location], [303, PAGE]);
  const earlier = (await world.call(IMAGES, { as: "dev" })).json[0];
  assert.equal(
    (await dev.get(earlier.file_path)).status,
    200,
    "an image of the previous page is loaded in between",
  );
  const page = await dev.follow(added);
  assert.match(page.text, /The image stands beside the alert/);
  const shown = /<a href="([^"]+)"><img src="([^"]+)" alt="Picture: Load &quot;now&quot;"/.exec(page.text);
  assert.ok(shown?.[1] && shown[1] === shown[2], page.text);
  assert.match(page.text, /<a href="https:\/\/charts.example.org\/&lt;b&gt;" rel="noopener noreferrer">/);
  const bad = await dev.upload("/-/metric_images", formOf(fields, Buffer.from("no")));
  assert.equal(bad.status, 422);
  assert.match(bad.text, /<title>Error: [^<]* · Alert #1 · /);
  assert.match(bad.text, /One thing needs fixing: <a href="#image-file">Image<\/a>/);
  assert.match(bad.text, /Image is not a PNG, JPEG, GIF or WebP image\./);
  assert.match(
    bad.text,
    /name="url"[^>]*value="https:\/\/charts.example.org\/&lt;b&gt;"/,
    "typed values are kept",
  );
  assert.match(bad.text, /name="url_text"[^>]*value="Load &quot;now&quot;"/);
  const words = formOf({ ...fields, url: "charts", url_text: "x".repeat(129) }, PICTURE);
  const named = (await dev.upload("/-/metric_images", words)).text;
  assert.match(named, /Address of the chart is not an http or https URL/);
  assert.match(named, /Name of the chart is too long \(maximum is 128 characters\)\./);
  const id = /metric_images\/(\d+)$/.exec(shown[1])?.[1];
  const gone = await dev.follow(await dev.post(`${PAGE}/metric_images/${id}`, {}));
  assert.match(gone.text, /The image is gone/);
  assert.equal((await dev.get(shown[1])).status, 404);
});

test("the upload form needs a valid CSRF token, permission and a signed-in user (reference oauth D40)", async () => {
  const fields = { project: "acme/rocket", kind: "alert", iid: "1" };
  const dev = await signedIn(world, "dev");
  const before = (await world.call(IMAGES, { as: "dev" })).json.length;
  const forged = await dev.upload("/-/metric_images", formOf({ ...fields, csrf_token: "x" }, PICTURE));
  assert.equal(forged.status, 403);
  const rep = await signedIn(world, "rep");
  await rep.get("/acme/rocket");
  assert.equal((await rep.upload("/-/metric_images", formOf(fields, PICTURE))).status, 403);
  const nobody = await world.call("/-/metric_images", {
    ...{ method: "POST", body: "x", headers: { "content-type": "multipart/form-data; boundary=b" } },
  });
  assert.ok([302, 303, 401].includes(nobody.status), String(nobody.status));
  assert.equal((await world.call(IMAGES, { as: "dev" })).json.length, before);
});
