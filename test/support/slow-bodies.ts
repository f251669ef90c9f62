/** Clients that announce a body and send a part of it, and what becomes of the room that it takes. */
import { connect, type Socket } from "node:net";
import { whenDone } from "./cleanup.ts";
import { until } from "./until.ts";

export const MIB = 1024 * 1024;

export interface SlowClient {
  socket: Socket;
  /** The response up to the end of its headers; empty: the connection was closed without one. */
  response: Promise<string>;
  /** Its status; 0: none. */
  status: Promise<number>;
}

/** Announces a body of `of` bytes and sends `sent` of them, all blanks; resolves when these are sent. */
export async function sendsPart(
  { url, path, headers = [] }: { url: string; path: string; headers?: readonly string[] },
  sent: number,
  of: number,
): Promise<SlowClient> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  whenDone(async () => void socket.destroy());
  socket.setTimeout(300_000, () => socket.destroy());
  let text = "";
  const response = new Promise<string>((resolve) => {
    const end = () => resolve(text);
    socket.on("data", (chunk) => {
      text += chunk;
      if (text.includes("\r\n\r\n")) end();
    });
    socket.on("error", end);
    socket.on("close", end);
  });
  const status = response.then((read) => Number(read.split(" ")[1] ?? 0));
  const lines = [`POST ${path} HTTP/1.1`, "Host: localhost", ...headers, `Content-Length: ${of}`];
  const head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`);
  await new Promise((done) => socket.write(Buffer.concat([head, Buffer.alloc(sent, " ")]), done));
  return { socket, response, status };
}

/** The status with which a client that sends nothing yet is refused at once; 0: there is still room, so that it is waited for. */
export async function refusedAtOnce({ socket, status }: SlowClient): Promise<number> {
  const got = await Promise.race([status, new Promise<number>((given) => setTimeout(given, 500, 0))]);
  socket.destroy();
  return got;
}

/** Asks until the service has read so much, or given so much back, that it answers with this status. */
export async function comesTo(status: number, ask: () => Promise<number>): Promise<void> {
  await until(async () => (await ask()) === status);
}

/** Posts zeros without a declared length. */
export function streamed(url: string, bytes: number, headers: Record<string, string>): Promise<Response> {
  const init: RequestInit & { duplex: "half" } = {
    ...{ method: "POST", body: new Blob([new Uint8Array(bytes)]).stream(), duplex: "half" },
    headers,
  };
  return fetch(url, init);
}
