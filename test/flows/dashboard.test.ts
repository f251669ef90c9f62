/** The start page: urgent alerts and recent activity in the viewer's projects. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { aSource } from "../support/alerts.ts";
import { push, record } from "../support/events.ts";
import { turnOnTwoFactor } from "../support/two-factor.ts";
import { signedIn, Visitor } from "../support/visitor.ts";
import { PASSWORD, startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

test("without alerts and activity, the start page has neither of their cards (reference ux 2)", async () => {
  const page = await (await signedIn(world, "dev")).get("/");
  assert.match(page.text, /id="projects"/);
  assert.doesNotMatch(page.text, /id="open-alerts"|id="recent"/);
});

test("the start page lists open alerts above the projects, most critical first, for Developers and above only (reference ux 2; contract §3)", async () => {
  const source = await aSource(world);
  await source.send({ title: "Disk is filling", severity: "low" });
  await source.send({ title: "Lock <gate> is jammed", severity: "critical" });
  await source.send({ title: "Solved already", severity: "high", fingerprint: "solved" });
  await source.send({ title: "Solved already", fingerprint: "solved", end_time: new Date().toISOString() });
  const page = await (await signedIn(world, "dev")).get("/");
  assert.match(page.text, /<a href="\/-\/alerts">2 alerts<\/a>, most critical first\./);
  assert.ok(page.text.indexOf("Lock &lt;gate&gt; is jammed") < page.text.indexOf("Disk is filling"));
  assert.doesNotMatch(page.text, /id="open-alerts".*Solved already.*id="projects"/s);
  for (const who of ["rep", "stan"] as const) {
    const other = await (await signedIn(world, who)).get("/");
    assert.doesNotMatch(other.text, /id="open-alerts"/);
  }
});

test("recent activity shows the events of the viewer's projects that the viewer may see (reference events A9)", async () => {
  await record(world, [{ ...push, projectId: world.rocket.id, authorId: world.ids.max }]);
  const developer = await (await signedIn(world, "dev")).get("/");
  assert.match(developer.text, /id="recent".*pushed 1 commit to/s);
  const guest = await (await signedIn(world, "gus")).get("/");
  assert.doesNotMatch(guest.text, /pushed 1 commit to/);
  const stranger = await (await signedIn(world, "stan")).get("/");
  assert.doesNotMatch(stranger.text, /id="recent"/);
});

test("the start page asks administrators to turn on two-factor sign-in, until they do, and to invite people, until they have a project; other users are not asked (reference ux 2)", async () => {
  const start = async (who: "ada" | "stan") => (await (await signedIn(world, who)).get("/")).text;
  assert.match(
    await start("ada"),
    /id="two-factor".*href="\/profile\/two_factor".*href="\/admin\/invitations#new"/s,
  );
  assert.doesNotMatch(await start("stan"), /id="two-factor"|\/admin\/invitations/);
  const { codes } = await turnOnTwoFactor(world, "ada");
  const ada = new Visitor(world.url);
  await ada.submit("/users/sign_in", { username: "ada", password: PASSWORD });
  await ada.submit("/users/two_factor", { code: codes[0] ?? "" });
  const { text } = await ada.get("/");
  assert.doesNotMatch(text, /id="two-factor"/);
  assert.match(text, /href="\/admin\/invitations#new"/);
  const made = await world.call("/api/v4/projects", { as: "ada", json: { name: "First" } });
  assert.equal(made.status, 201, made.text);
  const then = await ada.get("/");
  assert.match(then.text, /id="projects"/);
  assert.doesNotMatch(then.text, /\/admin\/invitations#new/);
});
