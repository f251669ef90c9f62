import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type Installation,
  newInstallation,
  processesOn,
  runGatehouse,
  startService,
} from "../support/installation.ts";
import { Visitor } from "../support/visitor.ts";

const PASSWORD = "an unattended passphrase";
/** Used as given, even though it looks like one of our own tokens. */
const TOKEN = "gor_chosen-by-the-operator-0123456789";

async function user({ url }: Installation, token: string) {
  const reply = await fetch(`${url}/api/v4/user`, { headers: { authorization: `Bearer ${token}` } });
  return { status: reply.status, json: (await reply.json()) as { username?: string; is_admin?: boolean } };
}

describe("a first start with the four GATEHOUSE_ADMIN_ variables", { concurrency: false }, () => {
  it("runs unattended, stops without leaving processes, and keeps everything when started again (contract §1)", async () => {
    const installation = await newInstallation({
      GATEHOUSE_ADMIN_USERNAME: "root-admin",
      GATEHOUSE_ADMIN_EMAIL: "root@example.org",
      GATEHOUSE_ADMIN_PASSWORD: PASSWORD,
      GATEHOUSE_ADMIN_TOKEN: TOKEN,
    });
    const first = await startService(installation);
    assert.ok(processesOn(installation).length >= 2, "the service and its database run");
    const now = await user(installation, TOKEN);
    assert.deepEqual([now.status, now.json.username, now.json.is_admin], [200, "root-admin", true]);
    assert.doesNotMatch(first.output(), /setup\//);
    assert.doesNotMatch(first.output(), new RegExp(`${TOKEN}|${PASSWORD}`));
    await besideTheService(installation);
    const visitor = new Visitor(installation.url);
    const entered = await visitor.submit("/users/sign_in", {
      username: "root@example.org",
      password: PASSWORD,
    });
    assert.equal(entered.status, 303);

    assert.equal(await first.stop(), 0);
    assert.deepEqual(processesOn(installation), []);

    const second = await startService(installation);
    assert.equal((await user(installation, TOKEN)).status, 200);
    assert.equal((await visitor.get("/")).status, 200, "sessions survive a restart");
    assert.equal(await second.stop(), 0);
    assert.deepEqual(processesOn(installation), []);
  });
});

/** Commands use the database of the running service and leave it running. */
async function besideTheService(installation: Installation): Promise<void> {
  const made = await runGatehouse(installation, [
    "token",
    "create",
    "--user",
    "root-admin",
    "--scopes",
    "read_user",
    "--json",
  ]);
  assert.equal(made.code, 0, made.stderr);
  const { token, scopes } = JSON.parse(made.stdout);
  assert.deepEqual(scopes, ["read_user"]);
  assert.equal((await user(installation, token)).status, 200);
  for (const [who, scope, said] of [
    ["nobody-here", "api", /^There is no user nobody-here\.$/m],
    ["root-admin", "api,admin", /^Unknown scope admin\. Available scopes: api, read_api, /],
  ] as const) {
    const none = await runGatehouse(installation, ["token", "create", "--user", who, "--scopes", scope]);
    assert.equal(none.code, 1);
    assert.match(none.stderr, said);
  }
  const refused = await runGatehouse(installation, ["setup-link"]);
  assert.deepEqual([refused.code, refused.stdout], [1, ""]);
  assert.match(refused.stderr, /There is an administrator already/);
  const reset = await runGatehouse(
    installation,
    ["admin", "reset-password", "--username", "root-admin", "--password-stdin"],
    "another long passphrase\n",
  );
  assert.equal(reset.code, 0, reset.stderr);
  const back = await runGatehouse(
    installation,
    ["admin", "reset-password", "--username", "root-admin", "--password-stdin"],
    `${PASSWORD}\n`,
  );
  assert.equal(back.code, 0, back.stderr);
}

describe("a first start with invalid settings, and wrong usage", { concurrency: false }, () => {
  it("names the invalid variables, exits with 78, and leaves no database process running (contract §1)", async () => {
    const installation = await newInstallation({
      GATEHOUSE_ADMIN_USERNAME: "oauth",
      GATEHOUSE_ADMIN_EMAIL: "root@example.org",
      GATEHOUSE_ADMIN_PASSWORD: "short",
    });
    const ran = await runGatehouse(installation, ["serve"]);
    assert.equal(ran.code, 78, ran.stderr);
    assert.match(ran.stderr, /GATEHOUSE_ADMIN_USERNAME is a reserved name/);
    assert.match(ran.stderr, /GATEHOUSE_ADMIN_PASSWORD is too short/);
    assert.doesNotMatch(ran.stderr, /at .*\.ts/);
    assert.deepEqual(processesOn(installation), []);
  });

  it("explains each command and its exit codes with --help, and exits with 64 on wrong usage (contract §1)", async () => {
    const installation = await newInstallation();
    for (const [args, example] of [
      [["migrate", "--help"], "gatehouse migrate"],
      [["setup-link", "--help"], "gatehouse setup-link"],
      [["admin", "--help"], "gatehouse admin create --username ada"],
      [["token", "--help"], "gatehouse token create --user ada"],
    ] as const) {
      const helped = await runGatehouse(installation, args);
      assert.equal(helped.code, 0);
      assert.ok(helped.stdout.includes(`For example: ${example}`), helped.stdout);
      assert.match(helped.stdout, /Exit codes: 0/);
    }
    for (const [args, said] of [
      [["token"], /^Usage: /],
      [["migrate", "now"], /^Unexpected argument 'now'\.\n\nUsage: /],
      [["admin", "create", "--colour", "red"], /^Unknown option '--colour'\.\n\nUsage: /],
    ] as const) {
      const refused = await runGatehouse(installation, args);
      assert.equal(refused.code, 64, args.join(" "));
      assert.match(refused.stderr, said);
    }
  });
});
