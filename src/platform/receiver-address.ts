/** Tells requests to an alert receiver, whose addresses begin with a project's path, from requests to that project's pages. */

/** The prefix of the alert receiver's routes, which cannot be requested from outside. */
export const RECEIVER_PREFIX = "/-/receive";

/** Only letters and digits precede these endings in a project's path, so that no page of a project ends like this. */
const RECEIVER = /^\/[^/]+\/.+\/(?:alerts\/notify(?:\.json|\/[^?]*)?|alertmanager\/api\/v[12]\/[a-z]+)\/?$/;

/**
 * Endings that are recognised even when they are read instead of posted to, since no page of a project or group can end so: they
 * get 405 or 404 like the API. A separate expression, since a combined one would try every starting point in an address.
 */
const READ = /(?:\.json|\/alertmanager\/api\/v[12]\/[a-z]+)\/?$/;

/** Heartbeats accept `GET` and `HEAD` too: a sign-in page would look to the caller as if the ping had worked. */
const HEARTBEAT = /^\/[^/]+\/.+\/heartbeats\/[0-9a-f]{16}\/?$/;

/** The same with a malformed identifier, such as an empty variable of a script leaves: it must not get a sign-in page either. */
const NO_HEARTBEAT = /^\/[^/]+\/.+\/heartbeats\/[^/.]+\/?$/;

/**
 * Returns the address by which a request is routed: `/acme/rocket/alerts/notify.json` becomes
 * `/-/receive/acme/rocket/alerts/notify.json`. Other addresses stay as they are, except one that already begins with the inner
 * prefix, however it is encoded: it leads nowhere.
 * @param accepts the header Accept: that of a browser opening a page contains HTML
 */
export function routedAddress(method: string | undefined, url: string, accepts = "text/html"): string {
  const path = url.split("?", 1)[0] ?? "";
  if (beginsInside(path)) return "/-/";
  if (path.startsWith("/api/") || path.includes("/-/")) return url;
  const isRead = method === "GET" || method === "HEAD";
  if ((isRead || method === "POST") && HEARTBEAT.test(path)) return RECEIVER_PREFIX + url;
  if (isRead && !accepts.includes("text/html") && NO_HEARTBEAT.test(path)) return RECEIVER_PREFIX + url;
  // Senders of CloudEvents use OPTIONS to ask whether they may deliver.
  const isWrite = ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"].includes(method ?? "");
  const isReceiver = (isWrite || (isRead && READ.test(path))) && RECEIVER.test(path);
  return isReceiver ? RECEIVER_PREFIX + url : url;
}

function beginsInside(path: string): boolean {
  const [, first = "", second = ""] = path.split("/", 3);
  try {
    return decodeURIComponent(first) === "-" && decodeURIComponent(second) === "receive";
  } catch {
    // The router refuses what it cannot decode.
    return false;
  }
}
