/** `npm run openapi`: writes openapi.json from the routes; `--check` only says whether it is current. */
import { readFileSync, writeFileSync } from "node:fs";
import { describedApi } from "./described-api.ts";

const text = await describedApi();
if (process.argv.includes("--check")) {
  const current = readFileSync("openapi.json", "utf8") === text;
  process.stdout.write(
    current ? "openapi.json is current\n" : "openapi.json is stale: run npm run openapi\n",
  );
  process.exit(current ? 0 : 1);
}
writeFileSync("openapi.json", text);
