/** How many connections to the database the processes of a service take at most. */

/** The pool of a process, its two pipelines, and the connections that listen or copy. */
const CONNECTIONS_A_PROCESS = 14;

/** @param workers as `GATEHOUSE_WORKERS` sets them; with several, the process above them has connections too */
export function connectionsFor(workers: number): number {
  return CONNECTIONS_A_PROCESS * (workers === 1 ? 1 : workers + 1);
}
