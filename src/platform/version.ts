/** Which version of the service this is. */
import { readFileSync } from "node:fs";

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

/** As `package.json` says, for instance `0.1.0`. */
export const VERSION = String(version);
