/** When bytes of a body that a process holds are released. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { test } from "node:test";
import { shareOf } from "../../src/platform/body-room.ts";

const ROOM = 16 * 1024 * 1024;

/** A response that is queued behind another one of its connection: it is not assigned to the socket. */
function queued(socket = new Socket()): { socket: Socket; answer: ServerResponse } {
  return { socket, answer: new ServerResponse(new IncomingMessage(socket)) };
}

test("the bytes of a request are released when its connection closes, also while its response is queued behind another one (decision 0115; RFC 9112 §9.3.2)", async () => {
  const { socket, answer } = queued();
  const [first, other] = [shareOf("strangers", answer), shareOf("strangers", queued().answer)];
  assert.equal(first.take(ROOM), true);
  assert.equal(other.take(1), false);
  socket.destroy();
  await once(socket, "close");
  assert.equal(answer.destroyed, false, "the response is not told");
  assert.equal(first.take(1), false, "nothing would release it");
  assert.equal(other.take(ROOM), true);
  other.giveBack();
});

test("a connection on which many requests follow one another is watched for those that are not answered yet only (decision 0115)", () => {
  const socket = new Socket();
  const listeners = socket.listenerCount("close");
  for (let n = 0; n < 20; n++) {
    const { answer } = queued(socket);
    shareOf("strangers", answer).take(1);
    answer.emit("finish");
  }
  assert.equal(socket.listenerCount("close"), listeners);
  const share = shareOf("strangers", queued().answer);
  assert.equal(share.take(ROOM), true, "all of it was released");
  share.giveBack();
});
