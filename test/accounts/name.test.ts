/** Names: joiners where they are seen, and nothing that hides. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { nameFault } from "../../src/accounts/name.ts";

const FAULT = "cannot contain control or invisible characters";

test("names take the joiners that their script or an emoji is written with (RFC 5892 A.1, A.2; UTS #51 ED-27; decision 0184)", () => {
  for (const name of [
    "علی\u200cرضا", // Persian, Ali-Reza: lam and yeh would join
    "نِیۀ بِ\u200cخِش", // with vowel marks between the letters and the non-joiner
    "ئەی\u200cمەن", // Kurdish
    "क्\u200dषत्रिय", // Hindi, half a ka
    "क्\u200cषत्रिय", // and a ka with its virama
    "ශ්\u200dරී ලංකා", // Sinhala, Sri Lanka
    "നന്\u200d", // Malayalam, chillu
    "ক্\u200cষ", // Bengali
    "ᠮᠣᠩ\u200cᠭᠣᠯ", // Mongolian
    "Team 👩\u200d💻",
    "👨\u200d👩\u200d👧\u200d👦 Family",
    "Pirates 🏴\u200d☠️",
    "🧑🏽\u200d🚀🧑🏽\u200d🚀",
    "Love ❤️\u200d🔥",
    "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f} Scotland", // with tags
    "Zoë O’Hara-Ōta", // none at all
  ])
    assert.equal(nameFault(name), undefined, name);
});

test("names refuse joiners that nobody would see (RFC 5892 A.1, A.2; decision 0184)", () => {
  for (const name of [
    "Ol\u200dga",
    "Ol\u200cga",
    "Olga\u200d",
    "\u200dOlga",
    "دار\u200cا", // reh joins to nothing after it
    "علی\u200c", // at the end of a word
    "علی\u200c رضا",
    "علی\u200c\u200cرضا", // twice
    "علی\u200dرضا", // they join without it
    "क\u200dष", // no virama
    "क्😀\u200d", // nor before the emoji
    "😀\u200dOlga",
    "😀\u200d😀", // no sequence that is drawn as one
    "👩\u200d",
    "Олег\u200dа",
  ])
    assert.equal(nameFault(name), FAULT, JSON.stringify(name));
});

test("names refuse whatever else is not shown or turns the direction (decision 0184)", () => {
  for (const hidden of [
    "\u0000",
    "\n",
    "\u0085",
    "\u00ad",
    "\u034f",
    "\u061c",
    "\u115f",
    "\u180e",
    "\u200b",
    "\u200e",
    "\u200f",
    "\u2028",
    "\u202e",
    "\u2060",
    "\u2066",
    "\u3164",
    "\ufeff",
    "\u{e0041}",
  ])
    assert.equal(nameFault(`Ol${hidden}ga`), FAULT, JSON.stringify(hidden));
  assert.equal(nameFault("علی\u200c", 255, "علی\u200c"), undefined, "what it is called already");
});
