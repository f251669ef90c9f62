/** Descriptions: which Markdown is rendered, and what is shown as typed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { foreignProse, prose } from "../../src/alerts/pages-prose.ts";

const inside = (text: string) => {
  const found = /^<div class="prose wrap-any">(.*)<\/div>$/s.exec(String(prose(text)));
  assert.ok(found);
  return found[1];
};

test("headings, lists, tasks, quotes, code and rules are rendered (decision 0117)", () => {
  const shown = (text: string, markup: string) => assert.equal(inside(text), markup, text);
  shown("# Who ##", "<h3>Who</h3>");
  shown("#nothing", "<p>#nothing</p>");
  shown("- a\n* b\n\n+ c", "<ul><li>a</li><li>b</li></ul><ul><li>c</li></ul>");
  shown("1. a\n2) b\n- c", "<ol><li>a</li><li>b</li></ol><ul><li>c</li></ul>");
  shown(
    "- [x] done\n- [ ] open",
    '<ul><li><label class="task"><input type="checkbox" disabled checked> <span>done</span></label></li>' +
      '<li><label class="task"><input type="checkbox" disabled> <span>open</span></label></li></ul>',
  );
  shown("> a\n> b", "<blockquote>a<br>b</blockquote>");
  shown("```sh\n# no heading\n\n- no list\n```\nafter", "<pre># no heading\n\n- no list</pre><p>after</p>");
  shown("~~~\nnever ended", "<pre>never ended</pre>");
  shown("a\n\n---\n\nb\nc", "<p>a</p><hr><p>b<br>c</p>");
  shown(
    "**Severity:** high  \n**Hosts:** a",
    "<p><strong>Severity:</strong> high</p><p><strong>Hosts:</strong> a</p>",
  );
});

test("HTML and links other than http and https are shown as text (decision 0117; house: pages)", () => {
  const markup = inside("<script>alert(1)</script> `<b>` **<i>**");
  assert.equal(
    markup,
    "<p>&lt;script&gt;alert(1)&lt;/script&gt; <code>&lt;b&gt;</code> <strong>&lt;i&gt;</strong></p>",
  );
  assert.equal(inside("[x](javascript:alert(1))"), "<p>[x](javascript:alert(1))</p>");
  assert.equal(
    inside("[book](https://a.example/r?a=1&b=2), https://b.example/x."),
    '<p><a href="https://a.example/r?a=1&amp;b=2" rel="noopener noreferrer">book</a>, ' +
      '<a href="https://b.example/x" rel="noopener noreferrer">https://b.example/x</a>.</p>',
  );
});

test("a megabyte of unclosed marks is rendered in linear time (decision 0117)", () => {
  for (const mark of ["[", "**a", "`", "[a](", "https://", "- [", "> "]) {
    const text = mark.repeat(1_000_000 / mark.length);
    assert.ok(String(prose(text)).length > 0);
  }
});

test("a megabyte in which part of a line could end at many positions is rendered in linear time (decision 0117)", () => {
  const many = (text: string) => text.repeat(1_000_000);
  for (const text of [
    `https://a.example/${many(".")}b`,
    `#${many(" ")}a\u2028b`,
    `-${many(" ")}a\rb`,
    `- [x]${many(" ")}a\u2029b`,
    `# a${many(" #")} b`,
  ]) {
    assert.ok(String(prose(text)).length > 0);
  }
  assert.equal(
    inside("See https://a.example/x?!). Then"),
    '<p>See <a href="https://a.example/x" rel="noopener noreferrer">https://a.example/x</a>?!). Then</p>',
  );
});

test("a numbered list begins with the number that was typed, which may be no list at all (decision 0117)", () => {
  assert.equal(inside("12. May"), '<ol start="12"><li>May</li></ol>');
  assert.equal(inside("0) a\n1) b"), '<ol start="0"><li>a</li><li>b</li></ol>');
});

test("a sender's link shows the address to which it leads (reference alerts A8)", () => {
  const link = (address: string) => `<a href="${address}" rel="noopener noreferrer">${address}</a>`;
  assert.equal(
    String(foreignProse("See **[the book](https://a.example/r)** or https://b.example/.")),
    `<div class="prose wrap-any"><p>See <strong>[the book]\u200b(https://a.example/r)</strong> or ${link("https://b.example/")}.</p></div>`,
  );
  assert.match(
    String(foreignProse("[the book](https://a.example/r)")),
    new RegExp(link("https://a.example/r")),
  );
  const disguised = String(foreignProse("[https://ours.example](https://theirs.example/)"));
  for (const [, target, label] of disguised.matchAll(/href="([^"]*)"[^>]*>([^<]*)</g))
    assert.equal(label, target);
});
