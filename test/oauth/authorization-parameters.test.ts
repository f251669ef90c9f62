/** Decoding and validation of authorization request parameters. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parameterFault, unreadableIn } from "../../src/oauth/authorization-parameters.ts";

test("parameters that are badly percent-encoded or not UTF-8 are named; unknown parameters are ignored (RFC 6749 §3.1, appendix B)", () => {
  for (const [query, names] of [
    ["?state=%C3%A9+%F0%9F%98%80%00&nonce=%25FF", []],
    ["?state=%FF", ["state"]],
    ["?state=%C3", ["state"]],
    ["?state=a%2", ["state"]],
    ["?state=a=%zz", ["state"]],
    ["?st%61te=%ED%A0%80", ["state"]],
    ["?nonce=%FF&client_id=1&scope=%", ["scope", "nonce"]],
    ["?state=good&state=%FF", ["state"]],
    ["#state=%FF", ["state"]],
    ["?colour=%FF&%FF=%FF&=%FF&state", []],
    ["%FF", []],
    ["", []],
  ] as const) {
    assert.deepEqual(unreadableIn(`/oauth/authorize${query}`), names, query);
  }
});

test("a repeated parameter is reported before one that is not UTF-8 or contains NUL; resource may be a list (RFC 6749 §3.1, §4.1.2.1; RFC 8707 §2)", () => {
  assert.equal(parameterFault({ state: "é😀\r\n", resource: ["a", "b"] }, []), undefined);
  for (const [given, unreadable, words] of [
    [{ state: ["a", "b"], nonce: "\0" }, ["state"], "The parameter state is repeated or is a list."],
    [{ state: "%FF" }, ["state"], "The parameter state is not valid UTF-8."],
    [{ login_hint: "a\ud800" }, [], "The parameter login_hint is not valid UTF-8."],
    [{ resource: ["a", "\udc00"] }, [], "The parameter resource is not valid UTF-8."],
    [{ state: "a\0b" }, [], "The parameter state contains a NUL character."],
    [{ nonce: "\0" }, [], "The parameter nonce contains a NUL character."],
  ] as const) {
    assert.equal(parameterFault(given, unreadable), words);
  }
});
