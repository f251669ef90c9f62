/** The description of messages of known tools that are no alerts. */

/** A kind of message that is no alert. Places have the syntax of those of a `Tool`. */
export interface Notice {
  /** The tool that sends it. */
  name: string;
  /** Places that must all exist in it. */
  marks: readonly string[];
  /** Patterns of values that must match as well; a missing value is matched as empty text. */
  where: Readonly<Record<string, RegExp>>;
  /** The place of the text that the warning quotes. */
  what: string;
  /** Members of the specification that its alerts have as well, with `title`; without this, it must have no title. */
  shared?: readonly string[];
}
