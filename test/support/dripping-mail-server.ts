/** A mail server that never ends its first answer, and is never silent either. */
import { type AddressInfo, createServer, type Socket } from "node:net";
import { whenDone } from "./cleanup.ts";

/** Listens on 127.0.0.1 until the file's tests are done. */
export async function startDrippingMailServer() {
  const sockets = new Set<Socket>();
  let lines = 0;
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    socket.write("220 slow.example ESMTP\r\n");
    socket.once("data", () => {
      const drip = setInterval(() => {
        socket.write("250-AND-SO-ON\r\n");
        lines++;
      }, 20);
      socket.once("close", () => {
        clearInterval(drip);
        sockets.delete(socket);
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const end = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  whenDone(async () => end());
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** How many connections are open on which it has begun its answer. */
    open: () => sockets.size,
    /** How many lines of answers it has sent. */
    lines: () => lines,
    end,
  };
}
