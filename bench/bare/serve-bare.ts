/** Shared code of the bare servers: reporting the port to the parent, a connection pool, reading a body. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import pg from "pg";

/** Listens on a free port of the loopback interface and reports it to the parent; exits with the parent. */
export function serveBare(handle: (request: IncomingMessage, reply: ServerResponse) => void): void {
  const server = createServer(handle);
  server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));
  process.on("disconnect", () => process.exit(0));
}

/** Like `serveBare` for an async handler; a failure is a 500 with the message. */
export function serveBareAsync(
  handle: (request: IncomingMessage, reply: ServerResponse) => Promise<void>,
): void {
  serveBare((request, reply) => {
    handle(request, reply).catch((error: Error) => reply.writeHead(500).end(error.message));
  });
}

/** Returns the connection settings of the bench database. */
export function connectionOfBench(): pg.ClientConfig {
  pg.types.setTypeParser(20, Number);
  return JSON.parse(process.env.BENCH_CONNECTION ?? "{}") as pg.ClientConfig;
}

/** Opens 16 connections: more made the bare servers slower. */
export function openPool(max = 16): pg.Pool {
  return new pg.Pool({ ...connectionOfBench(), max, idleTimeoutMillis: 2000 });
}

export function sendJson(reply: ServerResponse, status: number, value: unknown): void {
  const body = Buffer.from(JSON.stringify(value));
  reply.writeHead(status, { "content-type": "application/json", "content-length": body.length });
  reply.end(body);
}

export async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
