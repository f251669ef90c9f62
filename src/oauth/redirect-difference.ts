/** Describes how a sent redirect URI differs from the registered one that is most similar (reference oauth C2). */

export interface Nearest {
  uri: string;
  /** Such as "scheme and a slash at the end". */
  difference: string;
}

/** Returns the registered address that differs in the fewest parts, the first of several; undefined if none can be compared. */
export function nearestTo(sent: string, registered: readonly string[]): Nearest | undefined {
  const compared = registered.flatMap((uri) => {
    const parts = differingParts(sent, uri);
    return parts ? [{ uri, parts }] : [];
  });
  const [nearest] = compared.sort((one, other) => one.parts.length - other.parts.length);
  return nearest && { uri: nearest.uri, difference: listed(nearest.parts) };
}

/** Returns undefined if one of them is not an address. */
function differingParts(sent: string, known: string): string[] | undefined {
  const [a, b] = [URL.parse(sent), URL.parse(known)];
  if (!a || !b) return undefined;
  const parts = [
    a.protocol !== b.protocol && "scheme",
    (a.username !== b.username || a.password !== b.password) && "user name",
    a.hostname !== b.hostname && "host",
    a.port !== b.port && "port",
    a.pathname !== b.pathname && (withoutSlash(a) === withoutSlash(b) ? "a slash at the end" : "path"),
    a.search !== b.search && "query",
    a.hash !== b.hash && "fragment",
  ].filter((part) => part !== false);
  return parts.length > 0 ? parts : ["the way it is written"];
}

function withoutSlash({ pathname }: URL): string {
  return pathname.replace(/\/$/, "");
}

function listed(parts: readonly string[]): string {
  const last = parts.at(-1) ?? "";
  return parts.length > 1 ? `${parts.slice(0, -1).join(", ")} and ${last}` : last;
}
