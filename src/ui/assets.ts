/** The stylesheet, scripts and icons, read once and served under names that contain a hash of their content. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** A served file; its path contains a hash of the body, so it may be cached forever. */
export type Asset = { path: string; type: string; body: Buffer; etag: string };

/** The names of the files in src/ui/assets. */
export type AssetName = "app.css" | "app.js" | "icons.svg" | "keys.js" | "mark.svg" | "passkey.js";

/** The cache header of every asset. */
export const assetCacheControl = "public, max-age=31536000, immutable";

const types: Record<AssetName, string> = {
  "app.css": "text/css; charset=utf-8",
  "app.js": "text/javascript; charset=utf-8",
  "icons.svg": "image/svg+xml",
  "keys.js": "text/javascript; charset=utf-8",
  "mark.svg": "image/svg+xml",
  "passkey.js": "text/javascript; charset=utf-8",
};

const byName = new Map((Object.keys(types) as AssetName[]).map((name) => [name, load(name)]));

/** All assets, for `routes.ts` to register. */
export const assets: readonly Asset[] = [...byName.values()];

/** Returns the address of an asset: `/-/assets/app.<hash>.css`. */
export function assetPath(name: AssetName): string {
  return byName.get(name)?.path ?? "";
}

function load(name: AssetName): Asset {
  const body = readFileSync(new URL(`./assets/${name}`, import.meta.url));
  const hash = createHash("sha256").update(body).digest("hex").slice(0, 12);
  const [stem, extension] = name.split(".");
  return { path: `/-/assets/${stem}.${hash}.${extension}`, type: types[name], body, etag: `"${hash}"` };
}
