/** Tells posts to an alert receiver, whose addresses begin with a project's, from posts to that project's pages. */

/** Where the routes of the alert receiver stand inside the service; from outside it is nowhere. */
export const RECEIVER_PREFIX = "/-/receive";

/** Only letters and digits stand before it in a project's path, so that no page of a project ends like this. */
const RECEIVER = /^\/[^/]+\/.+\/(?:alerts\/notify(?:\.json|\/[^?]*)?|alertmanager\/api\/v[12]\/[a-z]+)\/?$/;

/**
 * How those end that are told apart when they are read instead of posted to, where no page of a project or group can stand: 405
 * or 404, as the API has it. By itself, for one expression of both would try an address from every place where it may begin.
 */
const READ = /(?:\.json|\/alertmanager\/api\/v[12]\/[a-z]+)\/?$/;

/** Where a heartbeat is pinged, by `GET` and `HEAD` too: a page to sign in would look as if it had been. */
const HEARTBEAT = /^\/[^/]+\/.+\/heartbeats\/[0-9a-f]{16}\/?$/;

/** The same with another identifier, such as an empty variable of a script leaves: none of ours, and pinged all the same. */
const NO_HEARTBEAT = /^\/[^/]+\/.+\/heartbeats\/[^/.]+\/?$/;

/**
 * The address by which a request is routed: `/acme/rocket/alerts/notify.json` becomes
 * `/-/receive/acme/rocket/alerts/notify.json`, so that whoever does not post is told so; every other address stays as it is, save one that already begins
 * with the inner prefix, however it is spelled, which leads nowhere.
 * @param accepts its header Accept: browsers that open a page name HTML there
 */
export function routedAddress(method: string | undefined, url: string, accepts = "text/html"): string {
  const path = url.split("?", 1)[0] ?? "";
  if (beginsInside(path)) return "/-/";
  if (path.startsWith("/api/") || path.includes("/-/")) return url;
  const isRead = method === "GET" || method === "HEAD";
  if ((isRead || method === "POST") && HEARTBEAT.test(path)) return RECEIVER_PREFIX + url;
  if (isRead && !accepts.includes("text/html") && NO_HEARTBEAT.test(path)) return RECEIVER_PREFIX + url;
  // Senders of CloudEvents ask by OPTIONS whether they are wanted.
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
