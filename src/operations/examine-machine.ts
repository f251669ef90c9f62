/** Checks what does not need the database: runtime, data directory, disk, key, addresses. */
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { checkMail } from "../outbox/send-mail.ts";
import type { Config } from "../platform/config.ts";
import { whyNotClosed } from "../platform/data-directory.ts";
import { errorCode } from "../platform/error-code.ts";
import { findSpace } from "../platform/free-space.ts";
import { masterKeyPath } from "../platform/master-key.ts";
import { masterKeysIn } from "../platform/secret.ts";
import { examineAddress } from "./examine-address.ts";
import { bad, type Finding, judgeKeys, judgeNode, judgeSpace, ok, warn } from "./finding.ts";

export async function examineMachine(config: Config): Promise<Finding[]> {
  return [
    judgeNode(process.versions.node),
    await examineDirectory(config.dataDir),
    await examineSpace(config.dataDir),
    await examineKey(config),
    examineTransport(config),
    ...(await examineAddress(config)),
    await examineMail(config),
    config.rateLimits
      ? ok("rate limits", "On")
      : warn("rate limits", "Off", "Unset GATEHOUSE_RATE_LIMITS; off is for load tests."),
  ];
}

/** Making a shared directory private would lock out its other users. */
const ANOTHER_DIRECTORY = "Set GATEHOUSE_DATA_DIR to a directory used only by Gatehouse.";

async function examineDirectory(dataDir: string): Promise<Finding> {
  const found = await stat(dataDir).catch(() => undefined);
  if (!found) {
    return warn(
      "data directory",
      `${dataDir} does not exist yet`,
      "The first start creates it; or set GATEHOUSE_DATA_DIR.",
    );
  }
  if (!found.isDirectory()) return bad("data directory", `${dataDir} is not a directory`, ANOTHER_DIRECTORY);
  const reason = await whyNotClosed(dataDir, found.mode).catch(() => undefined);
  if (reason !== undefined) return bad("data directory", reason, ANOTHER_DIRECTORY);
  const mode = (found.mode & 0o777).toString(8);
  return (found.mode & 0o077) === 0
    ? ok("data directory", `${dataDir}, mode ${mode}`)
    : bad("data directory", `${dataDir} is accessible to other users (mode ${mode})`, `chmod 700 ${dataDir}`);
}

async function examineSpace(dataDir: string): Promise<Finding> {
  for (let place = dataDir; ; place = join(place, "..")) {
    const space = await findSpace(place);
    if (space) return judgeSpace(space.freeBytes, space.totalBytes);
    if (place === join(place, ".."))
      return warn("disk", "Free space cannot be determined", "Check it by hand.");
  }
}

async function examineKey({ masterKey, dataDir }: Config): Promise<Finding> {
  if (masterKey) return ok("master key", "From the environment");
  const path = masterKeyPath({ dataDir });
  try {
    const [text, { mode, mtime }] = await Promise.all([readFile(path, "utf8"), stat(path)]);
    const keys = masterKeysIn(text);
    if (!keys) {
      return bad("master key", `${path} does not contain a 32-byte key`, "Restore the file from a backup.");
    }
    if ((mode & 0o077) !== 0)
      return bad("master key", `${path} is accessible to other users`, `chmod 600 ${path}`);
    return judgeKeys(path, keys.length, mtime, new Date());
  } catch (error) {
    const code = errorCode(error);
    if (code !== "ENOENT")
      return bad("master key", `${path} cannot be read: ${code}`, "Make this user its owner.");
    const remedy =
      "The first start creates it. If this installation has data, restore the file from a backup instead.";
    return warn("master key", `${path} does not exist`, remedy);
  }
}

/** The service speaks plain http; a proxy provides https, and must report the clients' addresses. */
function examineTransport({ publicUrl, secure, trustedProxies }: Config): Finding {
  const { hostname } = new URL(publicUrl);
  const isLoopback = hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
  if (!secure && !isLoopback) {
    const text = `${publicUrl} is plain http: passwords and tokens can be read in transit`;
    return warn("transport", text, "Use a reverse proxy with TLS and set GATEHOUSE_PUBLIC_URL to https.");
  }
  if (!isLoopback && trustedProxies.length === 0) {
    const text =
      "No proxy is trusted: all clients appear to have the proxy's address and share its rate limits";
    return warn(
      "transport",
      text,
      "Set GATEHOUSE_TRUSTED_PROXIES to the proxy's address, and configure it to send X-Forwarded-For.",
    );
  }
  return ok("transport", secure ? "https, through a trusted proxy" : "http on this machine only");
}

/** Connects to the mail server and signs in, without sending anything. */
async function examineMail({ mail }: Config): Promise<Finding> {
  if (!mail) {
    const remedy =
      "Set GATEHOUSE_SMTP_URL and GATEHOUSE_MAIL_FROM for password resets, invitations and notifications by mail.";
    return ok("mail", `Off: links are shown on pages instead. ${remedy}`);
  }
  const { host, username } = new URL(mail.smtpUrl);
  try {
    await checkMail(mail.smtpUrl);
    const accepted = username ? "our sign-in" : "our connection";
    return ok(
      "mail",
      `${host} accepts ${accepted}; whether it sends from ${mail.from.address} was not tried`,
    );
  } catch (error) {
    const remedy = "Check GATEHOUSE_SMTP_URL: host, port, smtp or smtps, username and password (encoded).";
    return bad("mail", `${host}: ${(error as Error).message}`, remedy);
  }
}
