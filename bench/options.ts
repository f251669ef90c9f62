/** The command line options of the bench. */
import { parseArgs } from "node:util";

export const GROUPS = ["token-info", "tokens", "alerts", "events"] as const;
export type Group = (typeof GROUPS)[number];

export interface Options {
  groups: readonly Group[];
  /** Seeded rows. */
  events: number;
  tokens: number;
  alerts: number;
  /** Seeded authorization codes, and as many refresh tokens: each is used once. */
  singleUse: number;
  rounds: number;
  seconds: number;
  warmUpSeconds: number;
  /** File for the figures as JSON. */
  json: string | undefined;
  /** Directory for a processor profile of the service. */
  profile: string | undefined;
  /** Directory of the throw-away database; it must be on a disk, since a memory file system has no durable writes. */
  directory: string;
}

export const USAGE = `Usage: npm run bench -- [options]

  --quick           100,000 events, tokens and alerts, one round of 1 s: for a first look, within 90 s
  --only A,B        of ${GROUPS.join(", ")}
  --events N        seeded events (1,000,000)
  --tokens N        seeded access tokens (1,000,000)
  --alerts N        seeded alerts (1,000,000)
  --rounds N        measurements of each operation; the median counts (3)
  --seconds N       length of one measurement (2)
  --json FILE       write every figure there
  --profile DIR     write a processor profile of the service there
  --dir DIR         where the throw-away database lives (./tmp)
`;

/** Parses the arguments; undefined: help was requested. @throws Error that says what is wrong with the arguments */
export function readOptions(args: readonly string[]): Options | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string" },
      events: { type: "string" },
      tokens: { type: "string" },
      alerts: { type: "string" },
      rounds: { type: "string" },
      seconds: { type: "string" },
      json: { type: "string" },
      profile: { type: "string" },
      dir: { type: "string", default: "tmp" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  const { quick } = values;
  const number = (name: "events" | "tokens" | "alerts" | "rounds" | "seconds", usual: number) => {
    const value = Number(values[name] ?? usual);
    if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} must be a whole number from 1`);
    return value;
  };
  return {
    groups: groupsOf(values.only),
    events: number("events", quick ? 100_000 : 1_000_000),
    tokens: number("tokens", quick ? 100_000 : 1_000_000),
    alerts: number("alerts", quick ? 100_000 : 1_000_000),
    singleUse: quick ? 15_000 : 30_000,
    rounds: number("rounds", quick ? 1 : 3),
    seconds: number("seconds", quick ? 1 : 2),
    warmUpSeconds: quick ? 0.3 : 0.5,
    json: values.json,
    profile: values.profile,
    directory: values.dir,
  };
}

function groupsOf(only: string | undefined): readonly Group[] {
  if (only === undefined) return GROUPS;
  return only.split(",").map((word) => {
    const group = GROUPS.find((known) => known === word.trim());
    if (!group) throw new Error(`--only knows ${GROUPS.join(", ")}, not ${word}`);
    return group;
  });
}
