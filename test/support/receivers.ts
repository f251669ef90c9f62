/** Receivers of what the service sends: a webhook receiver and a mail server, both real, on this machine. */
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { whenDone } from "./cleanup.ts";

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** When it was answered, in milliseconds since the process started. */
  at: number;
}

type Answer = number | { status: number; headers?: Record<string, string>; body?: string };

export interface Receiver {
  url: string;
  requests: Received[];
  /** The most requests that were in progress at once. */
  mostAtOnce: number;
  /** The responses to the next requests, in order; then 200 again. */
  answers(...answers: Answer[]): void;
  /** How long each response takes. */
  delays(milliseconds: number): void;
  /** Resolves when this many requests have been answered since `reset`. */
  next(count: number): Promise<void>;
  /** Resolves when this many requests have arrived since `reset`. */
  begun(count: number): Promise<void>;
  reset(): void;
}

/** Listens on 127.0.0.1 until the file's tests are done. */
export async function startReceiver(): Promise<Receiver> {
  let answers: Answer[] = [];
  let delay = 0;
  let begun = 0;
  let underWay = 0;
  const waiters: (() => void)[] = [];
  const tell = () => {
    for (const waiter of waiters) waiter();
  };
  const when = (isSo: () => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (isSo()) resolve();
      };
      waiters.push(look);
      look();
    });
  const server = createServer(async (request, reply) => {
    begun++;
    underWay++;
    receiver.mostAtOnce = Math.max(receiver.mostAtOnce, underWay);
    const answer = answers.shift() ?? 200;
    let body = "";
    request.setEncoding("utf8");
    try {
      for await (const chunk of request) body += chunk;
    } catch {
      // The sender has ended meanwhile, as one that a test kills.
      underWay--;
      return;
    }
    tell();
    if (delay > 0) await new Promise((done) => setTimeout(done, delay).unref());
    underWay--;
    receiver.requests.push({
      path: request.url ?? "",
      headers: request.headers,
      body,
      at: performance.now(),
    });
    const {
      status,
      headers = {},
      body: said = "ok",
    } = typeof answer === "number" ? { status: answer } : answer;
    reply.writeHead(status, headers).end(said);
    tell();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  whenDone(async () => {
    server.closeAllConnections();
    server.close();
  });
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    mostAtOnce: 0,
    answers: (...given) => {
      answers = given;
    },
    delays: (milliseconds) => {
      delay = milliseconds;
    },
    next: (count) => when(() => receiver.requests.length >= count),
    begun: (count) => when(() => begun >= count),
    reset: () => {
      answers = [];
      delay = 0;
      begun = 0;
      receiver.mostAtOnce = 0;
      receiver.requests.length = 0;
    },
  };
  return receiver;
}

export interface ReceivedMail {
  from: string;
  to: string[];
  raw: string;
  /** The raw text with quoted-printable decoded, for reading links. */
  text: string;
}

/** A mail server on 127.0.0.1 without TLS or authentication. */
export async function startMailServer() {
  const mails: ReceivedMail[] = [];
  let refused: string[] = [];
  let postponed: string[] = [];
  let refusals = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS", "AUTH"],
    logger: false,
    onRcptTo: ({ address }, _session, done) => {
      const isLater = postponed.includes(address);
      if (!isLater && !refused.includes(address)) return done();
      refusals++;
      return done(Object.assign(new Error("refused"), { responseCode: isLater ? 451 : 550 }));
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const raw = Buffer.concat(chunks).toString("utf8").replaceAll("\r\n", "\n");
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          from: mailFrom === false ? "" : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          raw,
          text: readable(raw),
        });
        done();
      });
    },
  });
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  whenDone(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    refuses: (...addresses: string[]) => {
      refused = addresses;
    },
    /** Addresses that are refused temporarily. */
    postpones: (...addresses: string[]) => {
      postponed = addresses;
    },
    refusals: () => refusals,
    reset: () => {
      refused = [];
      mails.length = 0;
    },
  };
}

function readable(raw: string): string {
  const bytes = raw
    .replaceAll(/=\n/g, "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}
