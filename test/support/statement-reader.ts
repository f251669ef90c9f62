/** Finds the statements in what a client and PostgreSQL say to each other (PostgreSQL: Frontend/Backend Protocol). */

export interface Statement {
  text: string;
  /** What this connection has sent since its last `begin`, which is included. */
  earlier: readonly string[];
}

export interface Message {
  bytes: Buffer;
  /** In a request: the statement that this message runs. In a reply: the one that is done with it. */
  statement?: Statement | undefined;
}

/** Reads both directions of one connection without TLS; a message may arrive in several parts. */
export class StatementReader {
  private requestRest: Buffer = Buffer.alloc(0);
  private replyRest: Buffer = Buffer.alloc(0);
  private hasStarted = false;
  private readonly prepared = new Map<string, string>();
  private bound = "";
  private transaction: string[] = [];
  private readonly unanswered: Statement[] = [];

  requests(part: Buffer): Message[] {
    const { messages, rest } = split(Buffer.concat([this.requestRest, part]), !this.hasStarted);
    this.requestRest = rest;
    return messages.map((bytes) => {
      const isFirst = !this.hasStarted;
      this.hasStarted = true;
      return { bytes, statement: isFirst ? undefined : this.statementOf(bytes) };
    });
  }

  replies(part: Buffer): Message[] {
    const { messages, rest } = split(Buffer.concat([this.replyRest, part]), false);
    this.replyRest = rest;
    // Each statement ends with a message "ready for query", as the driver sends a Sync for each.
    return messages.map((bytes) => ({
      bytes,
      statement: typeOf(bytes) === "Z" ? this.unanswered.shift() : undefined,
    }));
  }

  private statementOf(bytes: Buffer): Statement | undefined {
    switch (typeOf(bytes)) {
      case "P": {
        const [name = "", text = ""] = wordsOf(bytes);
        this.prepared.set(name, text);
        return undefined;
      }
      case "B":
        this.bound = this.prepared.get(wordsOf(bytes)[1] ?? "") ?? "";
        return undefined;
      case "E":
        return this.noted(this.bound);
      case "Q":
        return this.noted(wordsOf(bytes)[0] ?? "");
      default:
        return undefined;
    }
  }

  private noted(text: string): Statement {
    if (text === "begin") this.transaction = [];
    const statement = { text, earlier: [...this.transaction] };
    this.transaction.push(text);
    this.unanswered.push(statement);
    return statement;
  }
}

/** @param isFirst the first message of a client has no type before its length */
function split(bytes: Buffer, isFirst: boolean): { messages: Buffer[]; rest: Buffer } {
  const messages: Buffer[] = [];
  for (let at = 0; ; ) {
    const length = at + (isFirst && messages.length === 0 ? 0 : 1);
    const end = bytes.length < length + 4 ? Number.POSITIVE_INFINITY : length + bytes.readUInt32BE(length);
    if (bytes.length < end) return { messages, rest: bytes.subarray(at) };
    messages.push(bytes.subarray(at, end));
    at = end;
  }
}

const typeOf = (bytes: Buffer) => String.fromCharCode(bytes[0] ?? 0);

/** The texts at the beginning of a message, each of which ends with NUL. */
function wordsOf(bytes: Buffer): string[] {
  return bytes.subarray(5).toString("latin1").split("\0");
}
