/** Redirect URIs: which can be registered, which match, and how response parameters are appended. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  formActionOf,
  isPlainHttp,
  matchesRedirectUri,
  originOf,
  redirectUriFault,
  redirectUriFaults,
  registeredWords,
  splitRedirectUris,
  withAnswer,
} from "../../src/oauth/redirect-uri.ts";

test("https, http for development, loopback addresses and custom schemes can be registered (spec: GET /oauth/authorize redirect_uri; spec: Authentication 9)", () => {
  for (const uri of [
    "https://app.example.org/cb",
    "https://app.example.org",
    "https://app.example.org/cb?tenant=a%20b&x",
    "http://localhost:4000/callback",
    "http://127.0.0.1/cb",
    "http://[::1]:9999/cb",
    "http://dev.internal:8080/",
    "tidewatch://signed-in",
    "com.example.app:/oauth2redirect",
    "https://xn--bcher-kva.example/cb",
  ]) {
    assert.equal(redirectUriFault(uri), undefined, uri);
  }
});

test("redirect URIs that run script, are not absolute, are ambiguous or contain wildcards cannot be registered (reference oauth C14, D4, D5; S70)", () => {
  const faults: [string, string][] = [
    ["https://app.example.org/cb#x", "cannot contain a fragment."],
    ["https://app.example.org/cb#", "cannot contain a fragment."],
    ["/cb", "must be an absolute URI."],
    ["app.example.org/cb", "must be an absolute URI."],
    ["//app.example.org/cb", "must be an absolute URI."],
    ["localhost:4000/cb", "must specify a scheme."],
    ["urn:ietf:wg:oauth:2.0:oobx", "must specify a scheme."],
    ["URN:ietf:wg:oauth:2.0:oob", "must specify a scheme."],
    ["https:app.example.org", "must specify a scheme."],
    ["https://", "must be a valid URI."],
    ["https:///cb", "must be a valid URI."],
    ["https://?x", "must be a valid URI."],
    ["http:///cb", "must be a valid URI."],
    ["http://?x", "must be a valid URI."],
    ["https://a b/cb", "must be a valid URI."],
    ["https://app.example.org\\@evil.example/cb", "must be a valid URI."],
    ["https://app.example.org:99999/cb", "must be a valid URI."],
    ["https://app．example.org/cb", "must be a valid URI."],
    ["https://bücher.example/cb", "must be a valid URI."],
    ["https://app.example.org/\0", "must be a valid URI."],
    ["https://app.example.org/\u202e", "must be a valid URI."],
    ["https://*.example.org/cb", "cannot contain a wildcard."],
    ["http://127.0.0.1:*/cb", "must be a valid URI."],
    ["com.example.*:/cb", "must be an absolute URI."],
    ["https://user@app.example.org/cb", "cannot contain a user name or password."],
    ["https://@app.example.org/cb", "cannot contain a user name or password."],
    [`https://app.example.org/${"x".repeat(2025)}`, "is too long (maximum is 2048 characters)"],
  ];
  for (const scheme of [
    "javascript",
    "JavaScript",
    "data",
    "vbscript",
    ..."blob file filesystem about view-source chrome chrome-extension ws wss ftp intent mailto".split(" "),
  ]) {
    faults.push([`${scheme}://alert(1)`, "is forbidden by the server."]);
    faults.push([`${scheme}:alert(1)`, "is forbidden by the server."]);
  }
  for (const [uri, fault] of faults) assert.equal(redirectUriFault(uri), fault, uri);
  assert.equal(redirectUriFault(`https://app.example.org/${"x".repeat(2024)}`), undefined);
});

test("redirect URIs are separated by white space, repeated ones and repeated errors are dropped, and at most 50 are allowed (reference oauth A3)", () => {
  assert.deepEqual(
    splitRedirectUris(" https://a.example/1\r\n\thttps://a.example/2 https://a.example/1\n\n"),
    ["https://a.example/1", "https://a.example/2"],
  );
  assert.deepEqual(redirectUriFaults(["/a", "/b", "https://a.example/"]), ["must be an absolute URI."]);
  assert.deepEqual(redirectUriFaults(Array.from({ length: 51 }, (_, n) => `https://a.example/${n}`)), [
    "has too many entries (maximum is 50)",
  ]);
});

test("a request's redirect_uri matches character by character (RFC 9700 §4.1; reference oauth D1; S3)", () => {
  const registered = "https://app.ex/cb";
  assert.ok(matchesRedirectUri([registered], registered));
  for (const asked of [
    "http://app.ex/cb",
    "https://app.ex:443/cb",
    "https://app.ex:8443/cb",
    "https://app.ex/cb/",
    "https://app.ex/cb/../x",
    "https://app.ex/cb/..;/x",
    "https://app.ex/cb%2f..",
    "https://app.ex/cb%2F%2e%2e",
    "https://app.ex/./cb",
    "https://app.ex//cb",
    "https://app.ex/CB",
    "https://app.ex/c%62",
    "https://app.ex/cb?",
    "https://app.ex/cb?x=1",
    "https://app.ex/cb#",
    "https://app.ex/cb#f",
    "https://app.ex/cb%23f",
    "https://app.ex@evil.example/cb",
    "https://a@b@app.ex/cb",
    "https://user:pass@app.ex/cb",
    "https://app.ex.evil.example/cb",
    "https://evil.example/app.ex/cb",
    "https://evil.example\\@app.ex/cb",
    "https://evil.example#@app.ex/cb",
    "https://app.ex\\.evil.example/cb",
    "https://app.ex%00.evil.example/cb",
    "https://app.ex/cb\t",
    "https://app.ex/cb\n",
    "https://app.ex/cb\r\nX: y",
    "https://app.ex/cb ",
    " https://app.ex/cb",
    "https://app.ex/cb\0",
    "https://app．ex/cb",
    "https://аpp.ex/cb",
    "https://xn--pp-7kc.ex/cb",
    "//app.ex/cb",
    "/cb",
    "https://app.ex./cb",
    "https://APP.EX/cb",
    "HTTPS://app.ex/cb",
    "https://app.ex/cb%2520",
    "https:app.ex/cb",
    "https:/app.ex/cb",
    "javascript:alert(1)//https://app.ex/cb",
    "data:text/html,https://app.ex/cb",
    "https://[::1]/cb",
    "",
  ]) {
    assert.equal(matchesRedirectUri([registered], asked), false, JSON.stringify(asked));
  }
});

test("on a loopback IP the port may differ, and nothing else (RFC 8252 §7.3; reference oauth D2)", () => {
  const registered = ["http://127.0.0.1/cb?a=1", "http://[::1]:80/cb", "http://localhost:3000/cb"];
  for (const asked of [
    "http://127.0.0.1:51004/cb?a=1",
    "http://127.0.0.1/cb?a=1",
    "http://[::1]/cb",
    "http://[::1]:4000/cb",
    "http://localhost:3000/cb",
  ]) {
    assert.ok(matchesRedirectUri(registered, asked), asked);
  }
  for (const asked of [
    "https://127.0.0.1:51004/cb?a=1",
    "http://127.0.0.2:51004/cb?a=1",
    "http://127.0.0.1:51004/cb",
    "http://127.0.0.1:51004/cb?a=2",
    "http://127.0.0.1:51004/cb?a=1#f",
    "http://127.0.0.1:99999/cb?a=1",
    "http://127.0.0.1:/cb?a=1",
    "http://u@127.0.0.1:51004/cb?a=1",
    "http://127.0.0.1.evil.example/cb?a=1",
    "http://127.0.0.1:80@evil.example/cb?a=1",
    "http://127.1/cb?a=1",
    "http://0x7f.1/cb?a=1",
    "http://2130706433/cb?a=1",
    "http://localhost/cb?a=1",
    "http://localhost:3001/cb",
    "http://[::1]:4000/cb/",
    "http://[0:0:0:0:0:0:0:1]/cb",
  ]) {
    assert.equal(matchesRedirectUri(registered, asked), false, asked);
  }
});

test("a stored redirect URI with a forbidden scheme does not match any more (reference oauth D5)", () => {
  for (const uri of ["javascript:alert(1)", "DATA:text/html,x", "x"]) {
    assert.equal(matchesRedirectUri([uri], uri), false);
  }
});

test("response parameters are added to the registered query, or in the fragment (RFC 6749 §4.1.2, §4.2.2)", () => {
  const answer = { code: "a b&c", state: undefined, n: 1 };
  assert.equal(
    withAnswer("https://a.example/cb", answer, "query"),
    "https://a.example/cb?code=a%20b%26c&n=1",
  );
  assert.equal(
    withAnswer("https://a.example/cb?x=%20&code=1&code=2&&y", answer, "query"),
    "https://a.example/cb?x=%20&y&code=a%20b%26c&n=1",
  );
  assert.equal(withAnswer("tidewatch://in", answer, "fragment"), "tidewatch://in#code=a%20b%26c&n=1");
});

test("the origin, or the custom scheme of a native application, is shown to people and used in form-action (ux §4)", () => {
  assert.equal(originOf("https://App.example.org:8443/cb?x"), "https://app.example.org:8443");
  assert.equal(originOf("tidewatch://signed-in"), "tidewatch:");
  assert.equal(formActionOf("http://127.0.0.1:4000/cb"), "http://127.0.0.1:4000");
  assert.equal(formActionOf("http://[::1]:4000/cb"), "http:");
  assert.equal(formActionOf("https://a_b-c.example:8443/cb"), "https://a_b-c.example:8443");
  assert.equal(formActionOf("https://a.example;sandbox/cb"), "https:");
  assert.equal(formActionOf("org.example.app:/cb"), "org.example.app:");
  assert.equal(isPlainHttp("HTTP://a.example/"), true);
  assert.equal(isPlainHttp("https://a.example/"), false);
});

test("the recorded reason lists registered redirect URIs up to a limit, and counts the rest (decision 0080)", () => {
  const uris = Array.from({ length: 20 }, (_, n) => `https://app-${n}.example.org/${"p".repeat(80)}`);
  const words = registeredWords(uris);
  assert.equal(words, `${uris.slice(0, 4).join(" ")} and 16 more`);
  assert.equal(registeredWords([]), "none");
  assert.equal(registeredWords(uris.slice(0, 2)), uris.slice(0, 2).join(" "));
  const long = `https://a.example/${"p".repeat(2000)}`;
  assert.equal(registeredWords([long, "https://b.example/"]), `${long.slice(0, 500)}… and 1 more`);
});
