/** What several ask at the same time in the same words is looked up once for all of them. */

/** Answers a question, by `look` of the first who asks it. */
export type SharedAnswers<T> = (owner: object, question: string, look: () => Promise<T>) => Promise<T>;

interface UnderWay<T> {
  /** The answer to all who ask meanwhile. */
  next?: { answer: Promise<T>; begin(): void };
}

/**
 * No answer is kept, and a look begins after each of its questions was asked: who asks while the question is being answered
 * waits for the end of that look and shares the next one with all who came by then. So what was committed before a question is
 * seen by its answer, and one question holds one connection, however many ask it (decision 0214). All get the same object.
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
