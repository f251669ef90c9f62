import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { createSetupLink } from "../../src/accounts/first-administrator.ts";
import { insertSetupLink } from "../../src/accounts/store-setup-links.ts";
import { buildApp } from "../../src/app.ts";
import { readConfig } from "../../src/platform/config.ts";
import { openDb } from "../../src/platform/db.ts";
import { createLog } from "../../src/platform/log.ts";
import type { Platform } from "../../src/platform/platform.ts";
import { digest, keysFrom, newSecret } from "../../src/platform/secret.ts";
import { sql } from "../../src/platform/sql.ts";
import { whenDone } from "../support/cleanup.ts";
import { freshDatabase, PATIENCE_MS } from "../support/database.ts";
import { whileDoing } from "../support/meanwhile.ts";
import { Visitor } from "../support/visitor.ts";
import { freePort } from "../support/world.ts";

let platform: Platform;

before(async () => {
  const port = await freePort();
  const config = readConfig({ PORT: String(port), GATEHOUSE_LOG_LEVEL: "error" });
  const db = openDb({ connection: await freshDatabase(), checkRows: true, patienceMs: PATIENCE_MS });
  platform = { config, db, log: createLog(config), keys: keysFrom(Buffer.alloc(32, 7)) };
  const app = await buildApp(platform);
  await app.listen({ host: config.host, port });
  whenDone(async () => {
    app.server.closeAllConnections();
    await app.close();
    await db.close();
  });
});

const ada = { name: "Ada", username: "ada", email: "ada@example.org", password: "the first passphrase" };
const pathOf = (link: string) => new URL(link).pathname;

describe("the one-time setup link", { concurrency: false }, () => {
  it("cannot be guessed, and stops working when it expires or a newer link is created (reference ux §2; reference reliability S131)", async () => {
    const visitor = new Visitor(platform.config.publicUrl);
    const old = pathOf(await createSetupLink(platform));
    const path = pathOf(await createSetupLink(platform));
    for (const wrong of ["/setup/x", "/setup/gst_000000000000000000000000000000000000", old]) {
      const page = await visitor.get(wrong);
      assert.equal(page.status, 404, wrong);
      assert.match(page.text, /This link no longer works.*gatehouse setup-link/s, wrong);
    }
    assert.equal((await visitor.get(path)).status, 200);
    await platform.db.run(sql`update setup_links set expires_at = now() - interval '1 second'`);
    assert.equal((await visitor.get(path)).status, 404);
    const late = await visitor.post(path, ada);
    assert.deepEqual([late.status, /This link no longer works/.test(late.text)], [404, true]);
  });

  it("ends when another is made at the same time: of two only the later one works (reference reliability S131)", async () => {
    const other = newSecret("setup");
    // As another process that is making its link at this moment.
    const { worked } = await whileDoing(
      { platform },
      (tx) => insertSetupLink(tx, digest(other), 60),
      () => createSetupLink(platform),
    );
    const visitor = new Visitor(platform.config.publicUrl);
    assert.equal((await visitor.get(`/setup/${other}`)).status, 404);
    assert.equal((await visitor.get(pathOf(worked))).status, 200);
  });

  it("keeps what was typed when a field is invalid, and stays usable (reference ux §7)", async () => {
    const visitor = new Visitor(platform.config.publicUrl);
    const path = pathOf(await createSetupLink(platform));
    const wrong = await visitor.submit(path, { ...ada, password: "short" });
    assert.equal(wrong.status, 422);
    assert.match(wrong.text, /Password is too short/);
    assert.match(wrong.text, /value="ada@example.org"/);
    assert.doesNotMatch(wrong.text, /value="short"/);
    assert.equal((await visitor.get(path)).status, 200);
    const forged = await visitor.post(path, { ...ada, csrf_token: "forged" });
    assert.equal(forged.status, 403);
  });

  it("creates one administrator from concurrent submissions and signs them in; the others get 409 (reference ux §2)", async () => {
    const path = pathOf(await createSetupLink(platform));
    const before = await new Visitor(platform.config.publicUrl).get("/users/sign_in");
    assert.match(before.text, /There is no administrator yet.*gatehouse setup-link/);
    const visitors = await Promise.all(
      [1, 2, 3, 4].map(async () => {
        const visitor = new Visitor(platform.config.publicUrl);
        await visitor.get(path);
        return visitor;
      }),
    );
    const pages = await Promise.all(
      visitors.map((visitor, i) =>
        visitor.post(path, { ...ada, username: `ada${i}`, email: `ada${i}@example.org` }),
      ),
    );
    assert.deepEqual(pages.map((page) => page.status).sort(), [303, 409, 409, 409]);
    const winner = visitors[pages.findIndex((page) => page.status === 303)] as Visitor;
    const { text: welcome } = await winner.get("/");
    assert.match(welcome, /You are the administrator of this Gatehouse/);
    assert.match(welcome, /Turn on two-factor sign-in/);
    assert.match(welcome, /<a href="\/profile\/two_factor">/);
    assert.equal((await winner.get(path)).status, 404);
    await assert.rejects(createSetupLink(platform), /There is an administrator already/);
    const after = await new Visitor(platform.config.publicUrl).get("/users/sign_in");
    assert.doesNotMatch(after.text, /There is no administrator yet/);
    const audit = await winner.get("/admin/audit?action=user_created");
    assert.equal(
      audit.text.match(/as an administrator/g)?.length,
      1,
      "the audit log begins with the new administrator",
    );
  });

  it("creates one administrator from two links, as two concurrent first starts would leave them (reference ux §9)", async () => {
    await platform.db.run(sql`delete from users where is_admin`);
    await platform.db.run(sql`delete from setup_links`);
    const path = pathOf(await createSetupLink(platform));
    const other = newSecret("setup");
    await platform.db.run(
      sql`insert into setup_links (digest, expires_at) values (${digest(other)}, now() + interval '5 minutes')`,
    );
    const pages = await Promise.all(
      [path, `/setup/${other}`].map(async (link, n) => {
        const person = { ...ada, username: `eve${n}`, email: `eve${n}@example.org` };
        return new Visitor(platform.config.publicUrl).submit(link, person);
      }),
    );
    assert.deepEqual(pages.map(({ status }) => status).sort(), [303, 409]);
  });
});
