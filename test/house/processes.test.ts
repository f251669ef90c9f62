/** Which files start programs, and how. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { sourceFiles } from "../../scripts/imports.ts";

const root = join(import.meta.dirname, "../..");

test("four files start programs, of which one uses a shell, with a fixed text and a number (ASVS 1.2.5; CWE-78)", () => {
  const starting = sourceFiles(root, "src").filter(({ text }) =>
    /["']node:child_process["']|execve/.test(text),
  );
  assert.deepEqual(
    starting.map(({ path }) => path),
    [
      "src/platform/embedded-postgres-postmaster.ts",
      "src/platform/embedded-postgres-privileges.ts",
      "src/platform/embedded-postgres-server.ts",
      "src/platform/leave.ts",
    ],
  );
  const shells = starting.filter(({ text }) => /shell:|exec\w*Sync|[^.\w]exec\(|"(?:\/bin\/)?sh"/.test(text));
  assert.deepEqual(
    shells.map(({ path }) => path),
    ["src/platform/leave.ts"],
  );
  const given = shells[0]?.text.match(/\["?(?:sh", ")?-c", [^\]]*\]/g) ?? [];
  assert.equal(given.length, 2);
  assert.equal(given[0], '["-c", ":"]');
  assert.match(given[1] ?? "", /^\["sh", "-c", `exit \$\{Number\(process\.exitCode\)\}`\]$/);
});
