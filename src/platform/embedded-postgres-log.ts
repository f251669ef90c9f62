/** Sorts the lines that PostgreSQL writes: what an operator must see, and what the service was answered anyway. */

/** The value of `log_line_prefix` that `postgresLog` reads: SQLSTATE and kind of process. */
export const LOG_LINE_PREFIX = "%e %b|";

const LINE = /^([0-9A-Z]{5}) ([^|]*)\|(\w+): +(.*)$/;
// Sign-in and start-up noise (28, 3D, 57): the client was told.
const TOLD = /^(28|3D|57)/;
// Errors of statements reach the service; those of the machine or of PostgreSQL itself reach the operator too.
const GRAVE = /^(53|58|F0|XX)/;

export interface PostgresLog {
  /** Takes a piece of the server's standard error, whole lines or not. */
  write(chunk: string): void;
  /** The last lines, wanted or not, for the message when a start fails. */
  recent(): string;
}

/** Hands warnings and worse to `log`, one line each, and remembers the last lines. */
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
