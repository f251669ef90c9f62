/** Shares one lookup among identical requests that arrive at the same time. */

/** Returns the result for a question, by the `look` of the first caller that asks it. */
export type SharedAnswers<T> = (owner: object, question: string, look: () => Promise<T>) => Promise<T>;

interface UnderWay<T> {
  /** The lookup that all callers share who come while the current one runs. */
  next?: { answer: Promise<T>; begin(): void };
}

/**
 * Nothing is cached, and a lookup begins after all of its callers asked: a caller that comes while one runs waits for its end,
 * and shares the next one with all who came by then. So a result includes everything committed before the question, and one
 * question uses one connection, however many ask it (decision 0214). All callers get the same object.
 */
export function sharedAnswers<T>(): SharedAnswers<T> {
  const owners = new WeakMap<object, Map<string, UnderWay<T>>>();
  return (owner, question, look) => {
    let asked = owners.get(owner);
    if (!asked) {
      asked = new Map();
      owners.set(owner, asked);
    }
    const underWay = asked.get(question);
    if (!underWay) return answered(asked, question, look);
    underWay.next ??= later(asked, question, look);
    return underWay.next.answer;
  };
}

async function answered<T>(
  asked: Map<string, UnderWay<T>>,
  question: string,
  look: () => Promise<T>,
): Promise<T> {
  const underWay: UnderWay<T> = {};
  asked.set(question, underWay);
  try {
    return await look();
  } finally {
    asked.delete(question);
    underWay.next?.begin();
  }
}

function later<T>(asked: Map<string, UnderWay<T>>, question: string, look: () => Promise<T>) {
  const { promise, resolve } = Promise.withResolvers<T>();
  return { answer: promise, begin: () => resolve(answered(asked, question, look)) };
}
