/** The overview of a project, new and in use. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { aSource } from "../support/alerts.ts";
import { signedIn, Visitor } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

test("the overview shows open alerts, open incidents and recent activity, and set-up steps only for what is not set up yet (reference ux §2, item 4; §7, project)", async () => {
  const max = await signedIn(world, "max");
  const fresh = (await max.get("/acme/rocket")).text;
  const steps = (text: string) => /id="next".*?<\/section>/s.exec(text)?.[0] ?? "";
  assert.match(steps(fresh), /Receive alerts.*Name environments/s);
  assert.doesNotMatch(steps(fresh), /Invite people/, "there are members");
  assert.doesNotMatch(fresh, /id="first-alert"/, "nothing could receive it");
  const source = await aSource(world);
  const waiting = (await max.get("/acme/rocket")).text;
  const [first = ""] = /id="first-alert".*?<\/section>/s.exec(waiting) ?? [];
  assert.ok(first.includes(`curl ${world.url}${source.path} `), first);
  assert.match(
    first,
    new RegExp(`href="/acme/rocket/-/settings/operations/integrations/${source.id}#credentials"`),
  );
  assert.doesNotMatch(steps(waiting), /Receive alerts/);
  await source.send({ title: "Pump stands", severity: "critical" });
  const json = { name: "production" };
  assert.equal(
    (await world.call("/api/v4/projects/acme%2Frocket/environments", { as: "max", json })).status,
    201,
  );
  const lived = (await max.get("/acme/rocket")).text;
  assert.equal(steps(lived), "");
  assert.doesNotMatch(lived, /id="first-alert"/);
  assert.match(lived, /<dt>Open alerts<\/dt><dd><a href="\/acme\/rocket\/-\/alerts">1<\/a>/);
  assert.match(lived, /<dt>Open incidents<\/dt><dd><a href="\/acme\/rocket\/-\/incidents">1<\/a>/);
  assert.match(lived, /id="recent".*opened incident.*Pump stands.*All activity/s);
  const gus = (await (await signedIn(world, "gus")).get("/acme/rocket")).text;
  assert.doesNotMatch(gus, /Open alerts|Open incidents|id="next"/);
  const visitor = (await new Visitor(world.url).get("/acme/open")).text;
  assert.doesNotMatch(visitor, /Open alerts|id="next"/);
});
