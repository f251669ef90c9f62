/** Filters the lines that PostgreSQL logs: operators see those that the service does not get as an error anyway. */

/** The value of `log_line_prefix` that `postgresLog` reads: SQLSTATE and kind of process. */
export const LOG_LINE_PREFIX = "%e %b|";

const LINE = /^([0-9A-Z]{5}) ([^|]*)\|(\w+): +(.*)$/;
// Failed sign-ins and start-up noise (28, 3D, 57), which the client gets as an error.
const TOLD = /^(28|3D|57)/;
// Errors of statements go to the service; those of the machine or of PostgreSQL itself go to the operator too.
const GRAVE = /^(53|58|F0|XX)/;

export interface PostgresLog {
  /** Takes a chunk of the server's standard error, which may end within a line. */
  write(chunk: string): void;
  /** The last lines, filtered or not, for the error message of a failed start. */
  recent(): string;
}

/** Passes warnings and worse to `log`, one line each, and remembers the last lines. */
export function postgresLog(log: (line: string) => void): PostgresLog {
  let rest = "";
  let wanted = false;
  const last: string[] = [];
  return {
    write(chunk) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const continues = line.startsWith("\t");
        if (!continues) wanted = matters(line);
        const text = line.replace(LINE, "$3: $4").trim();
        if (text === "") continue;
        if (wanted) log(`PostgreSQL: ${text}`);
        last.push(text);
        if (last.length > 12) last.shift();
      }
    },
    recent: () => [...last, rest.trim()].filter((line) => line !== "").join(" / "),
  };
}

function matters(line: string): boolean {
  const match = LINE.exec(line);
  if (!match) return true;
  const [, state = "", backend, severity] = match;
  if (severity === "PANIC" || severity === "WARNING") return true;
  if (severity === "FATAL") return !TOLD.test(state);
  return severity === "ERROR" && (backend !== "client backend" || GRAVE.test(state));
}
