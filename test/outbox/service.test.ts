/** The started service sends mails and sign-out notifications by itself, mails also after it was killed. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Installation, newInstallation, startService } from "../support/installation.ts";
import { hiddenFields } from "../support/oauth.ts";
import { type ReceivedMail, startMailServer, startReceiver } from "../support/receivers.ts";
import { aService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { Visitor } from "../support/visitor.ts";

/** Looks 50 ms apart. A killed process that had not recorded its attempt blocks it until the end of the lease, 180 seconds. */
const LOOKS = 4400;

async function mailFrom(mails: readonly ReceivedMail[], subject: RegExp): Promise<ReceivedMail> {
  for (let look = 0; look < LOOKS; look++) {
    const found = mails.find(({ raw }) => subject.test(raw));
    if (found) return found;
    await sleep(50);
  }
  return assert.fail(`no mail with ${subject}`);
}

/** Waits until a worker has recorded an attempt with this result; each reports only its own. */
async function isWritten({ url }: Installation, result: "sent" | "failed"): Promise<void> {
  const line = new RegExp(`^gatehouse_outbox_attempts_total\\{[^}]*result="${result}"`, "m");
  await until(async () => {
    const reply = await fetch(`${url}/-/metrics`, { headers: { connection: "close" } });
    return line.test(await reply.text());
  });
}

test("two workers send each mail once, and a mail that waited when they were killed is sent after the next start (decision 0048)", async () => {
  const server = await startMailServer();
  const installation = await newInstallation({
    GATEHOUSE_ADMIN_USERNAME: "ada",
    GATEHOUSE_ADMIN_EMAIL: "ada@example.org",
    GATEHOUSE_ADMIN_PASSWORD: "correct horse battery staple",
    GATEHOUSE_ADMIN_TOKEN: "a-token-that-the-operator-chose",
    GATEHOUSE_SMTP_URL: server.url,
    GATEHOUSE_MAIL_FROM: "gatehouse@example.org",
    GATEHOUSE_WORKERS: "2",
  });
  const first = await startService(installation);
  await new Visitor(installation.url).submit("/users/password/new", { email: "ada@example.org" });
  await mailFrom(server.mails, /^Subject: Set a new password$/m);
  await isWritten(installation, "sent");

  // The address is refused temporarily, so that the mail waits.
  server.postpones("nia@example.org");
  const invite = (email: string) =>
    fetch(`${installation.url}/api/v4/invitations`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: "Bearer a-token-that-the-operator-chose",
      },
      body: JSON.stringify({ email }),
    });
  assert.equal((await invite("nia@example.org")).status, 201);
  await isWritten(installation, "failed");
  first.process.kill("SIGKILL");
  await once(first.process, "exit");
  server.postpones();
  await startService(installation);
  const mail = await mailFrom(server.mails, /^To: nia@example\.org$/m);
  assert.match(mail.raw, /^Subject: .* invites you to Gatehouse$/m);
  const toAda = server.mails.filter(({ raw }) => /^Subject: Set a new password$/m.test(raw));
  assert.equal(toAda.length, 1);
});

test("the started service notifies applications of sign-outs by itself (decision 0154; OpenID Connect Back-Channel Logout §2.5)", async () => {
  const application = await startReceiver();
  const service = await aService({ GATEHOUSE_ALLOW_PRIVATE_TARGETS: "127.0.0.1" });
  await service.start();
  const redirect_uri = "https://app.example.org/cb";
  const made = await fetch(`${service.url}/api/v4/applications`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${service.token}` },
    body: JSON.stringify({
      name: "Desk",
      redirect_uri,
      scopes: "openid",
      backchannel_logout_uri: `${application.url}/out`,
    }),
  });
  const { application_id: client_id = "", secret: client_secret = "" } = (await made.json()) as {
    application_id?: string;
    secret?: string;
  };
  const root = new Visitor(service.url);
  await root.submit("/users/sign_in", { username: "root", password: "correct horse battery staple" });
  const asked = { client_id, redirect_uri, response_type: "code", scope: "openid" };
  const question = await root.get(`/oauth/authorize?${new URLSearchParams(asked)}`);
  const fields = hiddenFields(question.text, "/oauth/authorize");
  const answered = await root.post("/oauth/authorize", { ...fields, decision: "allow" });
  const code = new URL(answered.location ?? "").searchParams.get("code") ?? "";
  const given = { grant_type: "authorization_code", code, redirect_uri, client_id, client_secret };
  const body = new URLSearchParams(given);
  assert.equal((await fetch(`${service.url}/oauth/token`, { method: "POST", body })).status, 200);
  const page = await root.get("/profile/sessions");
  await root.post("/users/sign_out", hiddenFields(page.text, "/users/sign_out"));
  await application.next(1);
  assert.equal(application.requests[0]?.path, "/out");
  assert.match(application.requests[0]?.body ?? "", /^logout_token=[\w-]+\.[\w-]+\.[\w-]+$/);
});
