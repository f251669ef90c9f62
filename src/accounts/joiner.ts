/** Finds the zero-width joiners and non-joiners that have a visible effect in a name: where scripts and emoji need them. */

// The tables are those of Unicode 14. Letters added later get no joiner, and are written without one.
/** Letters that join to the one after them (Joining_Type L or D). */
const JOINS_NEXT = inClass(`
  620 626 628 62a-62e 633-63f 641-647 649-64a 66e-66f 678-687 69a-6bf 6c1-6c2 6cc 6ce 6d0-6d1 6fa-6fc 6ff
  712-714 71a-71d 71f-727 729 72b 72d-72e 74e-758 75c-76a 76d-770 772 775-777 77a-77f 7ca-7ea 841-845 848
  84a-853 855 860 862-865 868 886 889-88d 8a0-8a9 8af-8b0 8b3-8b8 8ba-8c8 1807 1820-1878 1887-18a8 18aa
  a840-a872 10ac0-10ac4 10acd 10ad3-10adc 10ade-10ae0 10aeb-10aee 10b80 10b82 10b86-10b88 10b8a-10b8b
  10b8d 10b90 10bad-10bae 10d00-10d21 10d23 10f30-10f32 10f34-10f44 10f51-10f53 10f70-10f73 10f76-10f81
  10fb0 10fb2-10fb3 10fb8 10fbb-10fbc 10fbe-10fbf 10fc1 10fc4 10fca-10fcb 1e900-1e943`);

/** Letters that join to the one before them (Joining_Type R or D). */
const JOINS_LAST = inClass(`
  620 622-63f 641-64a 66e-66f 671-673 675-6d3 6d5 6ee-6ef 6fa-6fc 6ff 710 712-72f 74d-77f 7ca-7ea 840-858
  860 862-865 867-86a 870-882 886 889-88e 8a0-8ac 8ae-8c8 1807 1820-1878 1887-18a8 18aa a840-a871
  10ac0-10ac5 10ac7 10ac9-10aca 10ace-10ad6 10ad8-10ae1 10ae4 10aeb-10aef 10b80-10b91 10ba9-10bae
  10d01-10d23 10f30-10f44 10f51-10f54 10f70-10f81 10fb0 10fb2-10fb6 10fb8-10fbf 10fc1-10fc4 10fc9-10fca
  1e900-1e943`);

/** Signs that remove the vowel of a letter (Canonical_Combining_Class Virama). */
const VIRAMA = inClass(`
  94d 9cd a4d acd b4d bcd c4d ccd d3b-d3c d4d dca e3a eba f84 1039-103a 1714-1715 1734 17d2 1a60 1b44
  1baa-1bab 1bf2-1bf3 2d7f a806 a82c a8c4 a953 a9c0 aaf6 abed 10a3f 11046 11070 1107f 110b9 11133-11134
  111c0 11235 112ea 1134d 11442 114c2 115bf 1163f 116b6 1172b 11839 1193d-1193e 119e0 11a34 11a47 11a99
  11c3f 11d44-11d45 11d97`);

/** RFC 5892 A.1: after a virama, or between two letters that would join without it, with any marks. A.2: after a virama. */
const IN_PLACE = new RegExp(
  `(?<=[${VIRAMA}])[\\u200c\\u200d]|(?<=[${JOINS_NEXT}][\\p{Mn}\\p{Me}]*)\\u200c(?=[\\p{Mn}\\p{Me}]*[${JOINS_LAST}])`,
  "gu",
);

/**
 * Emoji that Unicode recommends for interchange (UTS #51, ED-27): other joined sequences are drawn as if they were not joined.
 */
const EMOJI = /\p{RGI_Emoji}/gv;

/** Returns the name without joiners that have a visible effect; those that remain would be invisible. */
export function withoutSeenJoiners(name: string): string {
  // A placeholder replaces an emoji, so that its neighbours do not become adjacent.
  return name.replace(EMOJI, ".").replace(IN_PLACE, "");
}

function inClass(ranges: string): string {
  return ranges.replace(/[0-9a-f]+/g, (code) => `\\u{${code}}`).replace(/\s/g, "");
}
