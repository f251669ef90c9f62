/** The version of the service. */
import { readFileSync } from "node:fs";

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

/** The version in `package.json`, for instance `0.1.0`. */
export const VERSION = String(version);
