/** Bare server: `node:http` that returns a constant, the upper limit of any service on this runtime. */
import { serveBare } from "./serve-bare.ts";

const body = JSON.stringify({ hello: "world" });

serveBare((_request, reply) => {
  reply.writeHead(200, { "content-type": "application/json", "content-length": body.length });
  reply.end(body);
});
