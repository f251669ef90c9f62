/** The reading rules of an integration that has none of its own. */
import type { ReadingRules } from "../../src/alerts/reading-rules.ts";

export const PLAIN_RULES = {
  strict: false,
  mapping: null,
  valueTables: null,
  groupBy: [],
  ignore: [],
} as unknown as ReadingRules;
