/** Tells when a response is over: it was sent, or its connection has closed. */
import type { ServerResponse } from "node:http";

/**
 * Calls `act` once the response is over; returns what prevents that. The connection is watched too: Node.js 22 tells a response
 * that is queued behind another one of its connection nothing when that closes.
 */
export function onceOver(answer: ServerResponse, act: () => void): () => void {
  const { socket } = answer.req;
  const forget = () => {
    answer.off("close", over);
    answer.off("finish", over);
    socket.off("close", over);
  };
  const over = () => {
    forget();
    act();
  };
  // As many requests as a client sends at once (RFC 9112 §9.3.2).
  socket.setMaxListeners(0);
  answer.once("close", over);
  answer.once("finish", over);
  socket.once("close", over);
  return forget;
}

/** Whether nobody can receive the response. */
export function isLost(answer: ServerResponse): boolean {
  return answer.destroyed || answer.req.socket.destroyed;
}
