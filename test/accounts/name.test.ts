/** Names of users: joiners are allowed where they are visible, and hidden characters are not. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { nameFault } from "../../src/accounts/name.ts";

const FAULT = "cannot contain control or invisible characters";

test("names accept the joiners that their script or an emoji needs (RFC 5892 A.1, A.2; UTS #51 ED-27; decision 0184)", () => {
  for (const name of [
    "علی\u200cرضا", // Persian, Ali-Reza: lam and yeh would join.
    "نِیۀ بِ\u200cخِش", // With vowel marks between the letters and the non-joiner.
    "ئەی\u200cمەن", // Kurdish
    "क्\u200dषत्रिय", // Hindi, half a ka.
    "क्\u200cषत्रिय", // And a ka with its virama.
    "ශ්\u200dරී ලංකා", // Sinhala, Sri Lanka.
    "നന്\u200d", // Malayalam, chillu.
    "ক্\u200cষ", // Bengali
    "ᠮᠣᠩ\u200cᠭᠣᠯ", // Mongolian
    "Team 👩\u200d💻",
    "👨\u200d👩\u200d👧\u200d👦 Family",
    "Pirates 🏴\u200d☠️",
    "🧑🏽\u200d🚀🧑🏽\u200d🚀",
    "Love ❤️\u200d🔥",
    "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f} Scotland", // With tags.
    "Zoë O’Hara-Ōta", // No joiner.
  ])
    assert.equal(nameFault(name), undefined, name);
});

test("names refuse joiners that have no visible effect (RFC 5892 A.1, A.2; decision 0184)", () => {
  for (const name of [
    "Ol\u200dga",
    "Ol\u200cga",
    "Olga\u200d",
    "\u200dOlga",
    "دار\u200cا", // Reh does not join the letter after it.
    "علی\u200c", // At the end of a word.
    "علی\u200c رضا",
    "علی\u200c\u200cرضا", // Twice.
    "علی\u200dرضا", // They join without it.
    "क\u200dष", // No virama.
    "क्😀\u200d", // Not directly after the virama.
    "😀\u200dOlga",
    "😀\u200d😀", // Not part of an emoji sequence.
    "👩\u200d",
    "Олег\u200dа",
  ])
    assert.equal(nameFault(name), FAULT, JSON.stringify(name));
});

test("names refuse other hidden characters and those that change the text direction (decision 0184)", () => {
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
  assert.equal(nameFault("علی\u200c", 255, "علی\u200c"), undefined, "an existing name stays valid");
});
