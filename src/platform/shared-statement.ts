/** Combines the lookups of concurrent requests into one statement. */
import type { Queries } from "./db.ts";
import { isOfThisStatement } from "./db-errors.ts";
import { type Sql, sql } from "./sql.ts";

/** Statements of one kind that may run at once; later questions share the next one. */
const UNDER_WAY = 2;
/** With `oneByOne`: a statement that takes longer than this, perhaps waiting for a row lock, does not delay the next one. */
const SLOW_MS = 20;
/** Default for the most questions of one statement. */
const MAX_TOGETHER = 256;
/** Questions of a failed statement are retried one by one, so many at a time. */
const LANES = 4;

/** Looks up one key: its row, or undefined if there is none. */
export type Shared<K, R> = (db: Queries, key: K) => Promise<R | undefined>;

interface Question<K, R> {
  key: K;
  answer: (row: R | undefined) => void;
  fail: (error: unknown) => void;
}

interface Options<K> {
  /** What a key consumes: of concurrent questions that consume the same thing one is asked, the others get undefined. */
  spends?: (key: K) => string;
  /** Most questions of one statement. */
  mostTogether?: number;
  /** A statement waits for the one before, unless that is slow: this makes fewer and fuller statements (decision 0217). */
  oneByOne?: boolean;
}

type Ask<K, R> = (db: Queries, keys: readonly K[]) => Promise<R[]>;

/**
 * Shares the statement, but no result: nothing is cached, and a statement begins after all of its questions were asked, so its
 * result includes everything committed before them (decision 0051).
 * @param ask returns at most one row per key; `place` is the position of the key, from 1
 */
export function sharedStatement<K, R extends { place: number }>(
  ask: Ask<K, R>,
  options: Options<K> = {},
): Shared<K, R> {
  const queues = new WeakMap<Queries, Queue<K, R>>();
  return (db, key) => {
    let queue = queues.get(db);
    if (!queue) {
      queue = new Queue((keys) => ask(db, keys), options);
      queues.set(db, queue);
    }
    return queue.add(key);
  };
}

/**
 * The keys as a table `k (key, place)`. The subselect hides their number from the planner, which would otherwise plan each
 * statement again, since a plan for few keys looks cheaper than the generic one.
 */
export function keysInOrder(keys: readonly unknown[], type: "bytea" | "text"): Sql {
  return type === "bytea"
    ? sql`unnest((select ${keys}::bytea[])) with ordinality as k (key, place)`
    : sql`unnest((select ${keys}::text[])) with ordinality as k (key, place)`;
}

class Queue<K, R extends { place: number }> {
  private readonly ask: (keys: readonly K[]) => Promise<R[]>;
  private readonly spends: ((key: K) => string) | undefined;
  private readonly mostTogether: number;
  private readonly oneByOne: boolean;
  private waiting: Question<K, R>[] = [];
  private underWay = 0;
  /** How many of those under way are slow. */
  private slow = 0;
  private isScheduled = false;

  constructor(
    ask: (keys: readonly K[]) => Promise<R[]>,
    { spends, mostTogether = MAX_TOGETHER, oneByOne = false }: Options<K>,
  ) {
    this.ask = ask;
    this.spends = spends;
    this.mostTogether = mostTogether;
    this.oneByOne = oneByOne;
  }

  add(key: K): Promise<R | undefined> {
    return new Promise((answer, fail) => {
      this.waiting.push({ key, answer, fail });
      if (this.isScheduled || !this.hasRoom()) return;
      this.isScheduled = true;
      // At the end of this turn of the event loop, together with the other requests that it has read.
      setImmediate(() => {
        this.isScheduled = false;
        this.send();
      });
    });
  }

  private send(): void {
    while (this.waiting.length > 0 && this.hasRoom()) {
      void this.execute(this.waiting.splice(0, this.mostTogether));
    }
  }

  private hasRoom(): boolean {
    return this.underWay < UNDER_WAY && (!this.oneByOne || this.underWay === this.slow);
  }

  /** Watches a statement that begins; returns a function to call at its end. */
  private sendsNextIfSlow(): () => void {
    if (!this.oneByOne) return () => {};
    let isSlow = false;
    const timer = setTimeout(() => {
      isSlow = true;
      this.slow++;
      this.send();
    }, SLOW_MS);
    return () => {
      clearTimeout(timer);
      if (isSlow) this.slow--;
    };
  }

  private async execute(questions: Question<K, R>[]): Promise<void> {
    this.underWay++;
    const end = this.sendsNextIfSlow();
    const [asked, late] = this.splitLate(questions);
    try {
      await this.askTogether(asked);
      for (const { answer } of late) answer(undefined);
    } catch (error) {
      for (const { fail } of questions) fail(error);
    } finally {
      end();
      this.underWay--;
      this.send();
    }
  }

  /** Splits off the questions that came too late for what they would consume. */
  private splitLate(questions: Question<K, R>[]): [Question<K, R>[], Question<K, R>[]] {
    if (!this.spends || questions.length === 1) return [questions, []];
    const first = new Map<string, Question<K, R>>();
    const late: Question<K, R>[] = [];
    for (const question of questions) {
      const spent = this.spends(question.key);
      if (first.has(spent)) late.push(question);
      else first.set(spent, question);
    }
    return [[...first.values()], late];
  }

  private async askTogether(questions: readonly Question<K, R>[]): Promise<void> {
    let rows: R[];
    try {
      rows = await this.ask(questions.map(({ key }) => key));
    } catch (error) {
      if (questions.length === 1 || !isOfThisStatement(error)) throw error;
      // Nothing was committed, and either one question is at fault or their combination.
      await this.askOneByOne(questions);
      return;
    }
    const found = new Array<R | undefined>(questions.length);
    for (const row of rows) found[row.place - 1] = row;
    questions.forEach(({ answer }, index) => {
      answer(found[index]);
    });
  }

  /** Asks each question by itself, a few at once, so that one waiting for a row lock does not delay all the others again. */
  private async askOneByOne(questions: readonly Question<K, R>[]): Promise<void> {
    const left = [...questions];
    const lane = async () => {
      for (let next = left.shift(); next; next = left.shift()) await this.askAlone(next);
    };
    await Promise.all(Array.from({ length: LANES }, lane));
  }

  private async askAlone({ key, answer, fail }: Question<K, R>): Promise<void> {
    try {
      answer((await this.ask([key]))[0]);
    } catch (error) {
      fail(error);
    }
  }
}
