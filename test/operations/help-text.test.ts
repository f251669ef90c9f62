/** Documents rendered as help: which Markdown is supported, and that nothing else becomes markup. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { lexer } from "marked";
import { helpText } from "../../src/operations/pages-help-text.ts";

const textOf = (source: string) =>
  helpText(lexer(source), (href) => (href.startsWith("gone") ? undefined : href));
const shown = (source: string) => String(textOf(source).body);

test("supported Markdown is rendered (decision 0191)", () => {
  const cases: readonly [source: string, markup: string][] = [
    ["a `b` *c* **d**", "<p>a <code>b</code> <em>c</em> <strong>d</strong></p>"],
    ["- a\n  - b\n- c", "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>"],
    ["3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'],
    ["- a\n\n- b", "<ul><li><p>a</p></li><li><p>b</p></li></ul>"],
    ["> a", "<blockquote><p>a</p></blockquote>"],
    ["a\n\n---\n\nb", "<p>a</p><hr><p>b</p>"],
    ["[x](/y)", '<p><a href="/y">x</a></p>'],
    ["[x](https://a.example/)", '<p><a href="https://a.example/" rel="noopener noreferrer">x</a></p>'],
    ["see [`x`](gone.md).", "<p>see <code>x</code>.</p>"],
    ["a \\* b", "<p>a * b</p>"],
    ["<!-- run: web -->\n\na <!-- so -->b", "<p>a b</p>"],
  ];
  for (const [source, markup] of cases) assert.equal(shown(source), markup, source);
});

test("the first heading is the title, and the others have anchors as on GitHub and GitLab (decision 0191)", () => {
  const text = textOf(
    "# The `one`: all\n\n## 1. Register *it*\n\n### What's next, then?\n\n## Ünder_score - x\n\n### What's next, then?",
  );
  assert.equal(text.title, "The one: all");
  assert.deepEqual(
    text.headings.map(({ id, depth }) => `${depth} ${id}`),
    ["2 1-register-it", "3 whats-next-then", "2 ünder_score---x", "3 whats-next-then-1"],
  );
  assert.match(
    String(text.body),
    /^<h2 id="1-register-it">1\. Register <em>it<\/em><\/h2><h3 id="whats-next/,
  );
});

test("code can be focused and copied, and tables have row and column headers (WCAG 1.3.1, 2.1.1)", () => {
  const code = shown("## Try\n\n```sh\ncurl <x>\n```");
  assert.match(code, /<pre [^>]*id="example-1"[^>]*tabindex="0" aria-label="Example 1: Try">curl &lt;x&gt;</);
  assert.match(code, /data-copy="example-1"/);
  assert.doesNotMatch(shown("```json\n{}\n```"), /data-copy/);
  const table = shown("| a | b |\n|---|---|\n| `c` | [d](/d) |");
  assert.match(table, /<th [^>]*scope="col">a<\/th>/);
  assert.match(
    table,
    /<th [^>]*scope="row"><code>c<\/code><\/th><td [^>]*data-label="b"><div><a href="\/d">d</,
  );
});

test("markup in a document is escaped, and script addresses are removed (house: pages; decision 0191)", () => {
  for (const source of [
    "<script>alert(1)</script>",
    "a <img src=x onerror=alert(1)> b",
    "<div onclick=x>\n\nb\n\n</div>",
    "<!-- a --!><script>alert(1)</script> -->",
    "`<script>`",
    '```"><script>\n<script>\n```',
    "# <script>x</script>\n\n## <b onclick=x>",
    "| <script> |\n|---|\n| <img src=x> |",
    "![<script>](x)",
    "- <iframe>",
    "[<script>](gone)",
  ]) {
    const tags = shown(source).match(/<[^>]*>/g) ?? [];
    for (const tag of tags) {
      assert.match(
        tag,
        /^<\/?(?:p|a|div|pre|span|button|svg|use|h[1-6]|ul|li|code|table|caption|t[a-z]+)\b/,
        source,
      );
      assert.doesNotMatch(tag, /\son[a-z]+=/i, source);
    }
  }
  for (const address of ["javascript:alert(1)", "JaVaScRiPt:x", "data:text/html,x", "//else.example/"]) {
    assert.match(shown(`[x](<${address}>)`), /<a href="#"/, address);
  }
});
