/** Multipart forms with a file, as clients send them and in malicious forms. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readMultipart, type UploadedFile } from "../../src/platform/multipart.ts";
import { ParameterProblem } from "../../src/platform/problem.ts";

const part = (boundary: string, name: string, value: string, more = "") =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;

const read = (type: string, ...text: string[]) => readMultipart(Buffer.from(text.join("")), type);

test("a boundary may be quoted or not, before or after other parameters (RFC 2046 §5.1.1)", async () => {
  for (const [boundary, parameters] of [
    ["b", "boundary=b"],
    ["b", "boundary=b; charset=utf-8"],
    ["b c:d", 'charset=utf-8; Boundary="b c:d"'],
    ["----x=_1.2", "boundary=----x=_1.2"],
  ] as const) {
    const body = [part(boundary, "url", "https://x"), part(boundary, "file", "abc", '; filename="a.png"')];
    const form = await read(`multipart/form-data; ${parameters}`, ...body, `--${boundary}--\r\n`);
    const { filename, bytes } = form.file as UploadedFile;
    assert.deepEqual([form.url, filename, bytes.toString()], ["https://x", "a.png", "abc"], parameters);
  }
});

test("text before the first part, blanks after a boundary and the boundary within a line do not affect the parts (RFC 2046 §5.1.1)", async () => {
  const rest = part("b", "file", "1--b2", '; filename="a.png"').slice("--b\r\n".length);
  const form = await read("multipart/form-data; boundary=b", "Hello\r\n--b \t\r\n", rest, "--b--");
  assert.equal((form.file as UploadedFile).bytes.toString(), "1--b2");
});

test("a body whose boundary two parsers would read differently, or with too many parts, is refused (decision 0201)", async () => {
  const many = (boundary: string) => part(boundary, "a", "").repeat(22);
  for (const [parameters, body] of [
    ["boundary=b", `${many("b")}--b--`],
    ["boundary=b; boundary=c", `${many("c")}--c--`],
    ['boundary="a\\"b"', `${many('a"b')}--a"b--`],
    ['x="; boundary=a"; boundary=b', `${part("a", "y", many("b"))}--a--`],
    ["boundary=b", `--b\r\n${"x: y\r\n".repeat(1_000)}\r\n\r\n--b--`],
    ["boundary=b", part("b", "a", "cut")],
    ["charset=utf-8", "--undefined--"],
  ] as const) {
    await assert.rejects(read(`multipart/form-data; ${parameters}`, body), ParameterProblem, parameters);
  }
});
