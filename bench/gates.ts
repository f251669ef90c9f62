/** The targets of each operation, as ratios of figures of the same run: what it must reach, and what it should reach. */

/** `than` is another figure of the same run; without that peer the target is not judged. */
export interface Target {
  figure: "rate" | "p99" | "absolute-p99-ms" | "resident-mebibytes";
  than?: string;
  /** A rate must be at least this many times the other's; p99 and absolute figures at most. */
  factor: number;
}

export interface Gate {
  /** Id of the operation. */
  id: string;
  gate: Target[];
  goal: Target[];
}

const firstPage = (id: string): Gate => ({
  id,
  gate: [{ figure: "absolute-p99-ms", factor: 20 }],
  goal: [{ figure: "absolute-p99-ms", factor: 5 }],
});
const rate = (factor: number, than: string): Target => ({ figure: "rate", than, factor });
const p99 = (factor: number, than: string): Target => ({ figure: "p99", than, factor });

const SLOWEST_FILTER = 3;
const slowest = (id: string): Gate => ({
  id,
  gate: [p99(SLOWEST_FILTER, "events-author")],
  goal: [p99(2, "events-author")],
});
/** A page far from the beginning, or a list over thousands of projects, compared with the first page over few. */
const far = (id: string, first: string): Gate => ({ id, gate: [p99(10, first)], goal: [] });
const list = (id: string): Gate => ({
  id,
  gate: [rate(0.6, "bare-events")],
  goal: [rate(0.85, "bare-events")],
});

export const GATES: readonly Gate[] = [
  {
    id: "token-info",
    gate: [rate(0.65, "bare-token-info"), rate(1, "peer-node-oauth-authenticate")],
    goal: [rate(0.9, "bare-token-info")],
  },
  { id: "token-info-64", gate: [], goal: [rate(1.5, "bare-token-info-64")] },
  { id: "user", gate: [rate(0.65, "bare-token-info")], goal: [rate(0.85, "bare-token-info")] },
  {
    id: "token-info-open",
    gate: [{ figure: "absolute-p99-ms", factor: 10 }],
    goal: [{ figure: "absolute-p99-ms", factor: 5 }],
  },
  { id: "token-info-passwords", gate: [p99(3, "token-info-open")], goal: [p99(2, "token-info-open")] },
  {
    id: "password",
    gate: [rate(0.9, "peer-node-oauth-password")],
    goal: [rate(1.2, "peer-node-oauth-password")],
  },
  { id: "password-real", gate: [rate(0.85, "hash-limit")], goal: [rate(0.95, "hash-limit")] },
  { id: "code", gate: [rate(2, "peer-oidc-code")], goal: [rate(3, "peer-oidc-code")] },
  { id: "refresh", gate: [rate(1, "peer-oidc-refresh")], goal: [rate(1.3, "peer-oidc-refresh")] },
  {
    id: "alert",
    gate: [rate(0.7, "bare-insert")],
    goal: [rate(0.6, "bare-insert-coalesced"), p99(1, "peer-alertmanager")],
  },
  { id: "alert-plain", gate: [rate(0.7, "bare-insert")], goal: [rate(0.6, "bare-insert-coalesced")] },
  {
    id: "alert-64",
    gate: [rate(1.3, "bare-insert-64")],
    goal: [rate(0.6, "bare-insert-coalesced-64"), rate(0.4, "peer-alertmanager-64")],
  },
  {
    id: "alert-plain-64",
    gate: [rate(1.3, "bare-insert-64")],
    goal: [rate(0.6, "bare-insert-coalesced-64"), rate(0.4, "peer-alertmanager-64")],
  },
  { id: "alert-same", gate: [rate(1, "bare-upsert")], goal: [rate(2, "bare-upsert")] },
  firstPage("alerts-list"),
  firstPage("alerts-open"),
  firstPage("alerts-severity"),
  firstPage("alerts-counts"),
  list("events-author"),
  list("events-project"),
  list("events-self"),
  list("events-all"),
  far("events-wide", "events-all"),
  { id: "events-month", gate: [p99(2, "events-project")], goal: [] },
  slowest("events-filter"),
  slowest("events-type"),
  slowest("events-page"),
  far("events-far", "events-project"),
  far("events-all-far", "events-all"),
  ...["token-info", "tokens", "alerts", "events"].map(
    (group): Gate => ({
      id: `memory-${group}`,
      gate: [{ figure: "resident-mebibytes", factor: 140 }],
      goal: [{ figure: "resident-mebibytes", factor: 110 }],
    }),
  ),
];
