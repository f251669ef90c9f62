/** What an operation of the OpenAPI document answers, as the explorer shows it, and the records that answers consist of. */
import { type Member, membersOf, nameOf, namesIn, type Schema, typeOf } from "./schema-words.ts";

interface Content {
  schema?: Schema;
}

/** Answers of the document, by status, or those that several operations share, by name. */
export type DescribedAnswers = Readonly<
  Record<string, { $ref?: string; description?: string; content?: Readonly<Record<string, Content>> }>
>;

export interface OperationAnswer {
  status: string;
  description: string;
  /** The type of its body in words; undefined: it has none. */
  body: string | undefined;
  /** The names of the records that stand in that. */
  records: readonly string[];
  /** Whether so many operations refuse with it that it is explained once for all of them. */
  usual: boolean;
}

/** So many operations make a refusal a usual one. */
const USUAL = 20;

/** The names of the refusals that many operations share, one for each status. */
export function usualOf(all: readonly DescribedAnswers[]): Set<string> {
  const uses = new Map<string, number>();
  for (const answer of all.flatMap((told) => Object.values(told))) {
    const name = nameOf(answer);
    if (name !== undefined) uses.set(name, (uses.get(name) ?? 0) + 1);
  }
  return new Set([...uses].flatMap(([name, count]) => (count < USUAL ? [] : name)));
}

/** With what a reference names put in its place. */
export function answersOf(
  told: DescribedAnswers,
  shared: DescribedAnswers,
  usual: ReadonlySet<string>,
): OperationAnswer[] {
  return Object.entries(told).map(([status, answer]) => {
    const name = nameOf(answer);
    const { description = "", content = {} } = (name === undefined ? answer : shared[name]) ?? {};
    const schemas = Object.entries(content);
    return {
      status,
      description,
      body: schemas.length === 0 ? undefined : schemas.map(bodyWords).join(", or "),
      records: namesIn(content),
      usual: name !== undefined && usual.has(name),
    };
  });
}

function bodyWords([mediaType, { schema = {} }]: [string, Content]): string {
  return mediaType === "application/json" ? typeOf(schema) : mediaType;
}

/** A schema that stands in the document under a name. */
export interface NamedRecord {
  name: string;
  description: string;
  /** Empty where it is one of several others. */
  members: readonly Member[];
}

/** What these answers consist of, with all that this consists of in turn, by name. */
export function recordsOf(
  schemas: Readonly<Record<string, Schema>>,
  answers: readonly OperationAnswer[],
): NamedRecord[] {
  const met = new Set(answers.flatMap(({ records }) => records));
  // A set is walked with what is added to it meanwhile.
  for (const name of met) for (const used of namesIn(schemas[name])) met.add(used);
  return [...met].sort().map((name) => {
    const schema = schemas[name] ?? {};
    return {
      name,
      description: schema.description ?? (schema.properties ? "" : typeOf(schema)),
      members: membersOf(schema),
    };
  });
}
