/** The content of the demo: six people, two groups, three projects, and everybody's roles. */
import type { Visibility } from "../accounts/namespace.ts";
import type { Role } from "../projects/role.ts";

/**
 * Domain of the mail addresses of the demo's people, and of nobody else: names below `.example` are reserved (RFC 2606). The demo
 * is found again by it.
 */
export const MAIL_DOMAIN = "harbourlight.example";

export interface Actor {
  username: string;
  name: string;
  /** Relative share of the work. */
  diligence: number;
  /** The week of the year in which their two weeks of summer holidays begin. */
  holidayWeek: number;
  /** Days after the demo's first day on which they joined. */
  joinsAfterDays: number;
}

export const PEOPLE = [
  { username: "maya", name: "Maya Lindqvist", diligence: 10, holidayWeek: 29, joinsAfterDays: 0 },
  { username: "ines", name: "Ines Okafor", diligence: 6, holidayWeek: 33, joinsAfterDays: 0 },
  { username: "tomas", name: "Tomás Rivera", diligence: 8, holidayWeek: 31, joinsAfterDays: 1 },
  { username: "jonas", name: "Jonas Thiel", diligence: 7, holidayWeek: 27, joinsAfterDays: 2 },
  { username: "bea", name: "Bea Nakamura", diligence: 5, holidayWeek: 35, joinsAfterDays: 40 },
  { username: "noor", name: "Noor Haddad", diligence: 3, holidayWeek: 30, joinsAfterDays: 150 },
] as const satisfies readonly Actor[];
export type Username = (typeof PEOPLE)[number]["username"];

export interface Group {
  path: string;
  name: string;
  description: string;
  visibility: Visibility;
  owner: Username;
}

export const GROUPS = [
  {
    path: "harbourlight",
    name: "Harbourlight",
    description: "Software for the harbour office: who moors where, and when.",
    visibility: "public",
    owner: "ines",
  },
  {
    path: "quayside",
    name: "Quayside",
    description: "Open data about tides and quays.",
    visibility: "public",
    owner: "bea",
  },
] as const satisfies readonly Group[];

export interface DemoProject {
  group: (typeof GROUPS)[number]["path"];
  path: string;
  name: string;
  description: string;
  visibility: Visibility;
  /** New issues on a usual working day. */
  pace: number;
  members: Readonly<Partial<Record<Username, Exclude<Role, "owner">>>>;
  environments: readonly { name: string; externalUrl: string | null }[];
}

export const PROJECTS = [
  {
    group: "harbourlight",
    path: "berth-scheduler",
    name: "berth-scheduler",
    description: "Gives every vessel a berth before it arrives.",
    visibility: "private",
    pace: 0.62,
    members: { maya: "maintainer", tomas: "developer", jonas: "developer", bea: "reporter", noor: "planner" },
    environments: [
      { name: "production", externalUrl: "https://berths.harbourlight.example" },
      { name: "staging", externalUrl: "https://staging.berths.harbourlight.example" },
      { name: "archive", externalUrl: null },
    ],
  },
  {
    group: "harbourlight",
    path: "pilot-roster",
    name: "pilot-roster",
    description: "Which pilot boards which vessel, and who sleeps.",
    visibility: "internal",
    pace: 0.3,
    members: { jonas: "maintainer", maya: "developer", bea: "developer", tomas: "reporter", noor: "guest" },
    environments: [{ name: "production", externalUrl: "https://pilots.harbourlight.example" }],
  },
  {
    group: "quayside",
    path: "tide-tables",
    name: "tide-tables",
    description: "Tide predictions of 41 ports as files that anyone may use.",
    visibility: "public",
    pace: 0.26,
    members: { tomas: "maintainer", ines: "developer", maya: "developer", jonas: "reporter", noor: "guest" },
    environments: [{ name: "production", externalUrl: "https://tides.quayside.example" }],
  },
] as const satisfies readonly DemoProject[];

/** The application that `examples/sample-client` uses. */
export const APPLICATION = {
  name: "Tidewatch",
  owner: "noor",
  redirectUri: "http://127.0.0.1:4000/callback",
  scopes: ["read_user", "profile"],
  homePage: "https://tidewatch.example",
} as const;
