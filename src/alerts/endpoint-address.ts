/** Parses the addresses that alerts are sent to, from the right because namespaces nest (reference alerts A1). */
import { GENERIC_IDENTIFIER } from "./integration.ts";

/** A project, and which of its endpoints. */
export interface EndpointAddress {
  /** Full path of the project, as it was written. */
  projectPath: string;
  /** Undefined at addresses that several integrations of a project share: there the key identifies the integration. */
  identifier: string | undefined;
  /** Whether it is the address of an Alertmanager, to which Prometheus itself posts; there the key of any integration works. */
  isManager: boolean;
}

const ENDPOINT = /^\/(.+)\/alerts\/notify(?:\/[^/]+\/([A-Za-z0-9]{1,255}))?(?:\.json)?\/?$/;
const MANAGER = /^\/(.+?)\/alertmanager\/api\/v[12]\/alerts\/?$/;

/** Parses the path of an address; undefined if it is no endpoint. The name before the identifier is ignored. */
export function endpointAddressOf(url: string): EndpointAddress | undefined {
  const path = url.split("?", 1)[0] ?? "";
  const manager = MANAGER.exec(path);
  const found = manager ?? ENDPOINT.exec(path);
  const segments = found?.[1] === undefined ? undefined : decoded(found[1]);
  if (!found || !segments) return undefined;
  const named = manager ? undefined : found[2];
  // No project has this name (decision 0088), so the last segment belongs to the address.
  const isShared = named === undefined && segments.length > 2 && segments.at(-1) === "prometheus";
  const project = isShared ? segments.slice(0, -1) : segments;
  if (project.length < 2 || project.includes("-")) return undefined;
  const identifier = manager || isShared ? undefined : (named ?? GENERIC_IDENTIFIER);
  return { projectPath: project.join("/"), identifier, isManager: manager !== null };
}

function decoded(path: string): string[] | undefined {
  try {
    const segments = path.split("/").map(decodeURIComponent);
    return segments.every((segment) => /^[\w.-]+$/.test(segment)) ? segments : undefined;
  } catch {
    return undefined;
  }
}
