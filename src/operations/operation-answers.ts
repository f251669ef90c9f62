/** The responses of an operation in the OpenAPI document, as the explorer shows them, and the records in them. */
import { type Member, membersOf, nameOf, namesIn, type Schema, typeOf } from "./schema-words.ts";

interface Content {
  schema?: Schema;
}

/** Responses in the document by status, or shared ones by name. */
export type DescribedAnswers = Readonly<
  Record<string, { $ref?: string; description?: string; content?: Readonly<Record<string, Content>> }>
>;

export interface OperationAnswer {
  status: string;
  description: string;
  /** The type of its body in words; undefined if it has none. */
  body: string | undefined;
  /** The names of the records in that type. */
  records: readonly string[];
  /** Whether so many operations share this refusal that it is explained once for all. */
  usual: boolean;
}

/** This many operations make a refusal a usual one. */
const USUAL = 20;

/** The names of the refusals that many operations share. */
export function usualOf(all: readonly DescribedAnswers[]): Set<string> {
  const uses = new Map<string, number>();
  for (const answer of all.flatMap((told) => Object.values(told))) {
    const name = nameOf(answer);
    if (name !== undefined) uses.set(name, (uses.get(name) ?? 0) + 1);
  }
  return new Set([...uses].flatMap(([name, count]) => (count < USUAL ? [] : name)));
}

/** Resolves references to shared responses. */
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

/** A named schema of the document. */
export interface NamedRecord {
  name: string;
  description: string;
  /** Empty if it is a union of other records. */
  members: readonly Member[];
}

/** Returns the records in these responses, with all records that they contain, by name. */
export function recordsOf(
  schemas: Readonly<Record<string, Schema>>,
  answers: readonly OperationAnswer[],
): NamedRecord[] {
  const met = new Set(answers.flatMap(({ records }) => records));
  // Iterating a set includes elements that are added meanwhile.
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
