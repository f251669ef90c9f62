/** The addresses that alerts are sent to, read from the right because namespaces nest (reference alerts A1). */
import { GENERIC_IDENTIFIER } from "./integration.ts";

/** Where a sender knocked: a project, and which of its endpoints. */
export interface Door {
  /** Full path of the project, as it was written. */
  projectPath: string;
  /** Undefined at the address that all metrics instances of a project share: the key tells them apart. */
  identifier: string | undefined;
}

const ENDPOINT = /^\/(.+?)\/alerts\/notify(?:\/[^/]+\/([A-Za-z0-9]{1,255}))?(?:\.json)?\/?$/;

/** Whether the path of an address has the shape of an endpoint; the name before the identifier is decoration. */
export function doorOf(url: string): Door | undefined {
  const path = url.split("?", 1)[0] ?? "";
  if (!path.includes("/alerts/notify")) return undefined;
  const found = ENDPOINT.exec(path);
  if (!found?.[1]) return undefined;
  const segments = decoded(found[1]);
  if (!segments) return undefined;
  const named = found[2];
  if (named === undefined && segments.length > 2 && segments.at(-1) === "prometheus") {
    return { projectPath: segments.slice(0, -1).join("/"), identifier: undefined };
  }
  return segments.length < 2 || segments.includes("-")
    ? undefined
    : { projectPath: segments.join("/"), identifier: named ?? GENERIC_IDENTIFIER };
}

function decoded(path: string): string[] | undefined {
  try {
    const segments = path.split("/").map(decodeURIComponent);
    return segments.every((segment) => /^[\w.-]+$/.test(segment)) ? segments : undefined;
  } catch {
    return undefined;
  }
}
