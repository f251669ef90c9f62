/** How large the body of a delivery may be. */
import { Problem } from "../platform/problem.ts";

/** Largest body of a generic payload; groups of Alertmanager and Grafana may be sixteen times as large. */
export const GENERIC_LIMIT_BYTES = 1024 * 1024;
export const GROUP_LIMIT_BYTES = 16 * 1024 * 1024;

/** Returns the error for a body beyond its limit. */
export function tooLarge(): Problem {
  return new Problem(
    "too_large",
    "413 Request Entity Too Large: at most 1 MiB, or 16 MiB for Alertmanager, Prometheus and Grafana.",
  );
}
