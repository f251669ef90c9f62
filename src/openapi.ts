/** The OpenAPI document, generated from the routes' own schemas and guards, so that it cannot differ from them. */
import type { FastifyInstance } from "fastify";
import type { DescribedRoute } from "./platform/openapi-document.ts";

/** Routes that belong in the document; pages and assets do not. */
const DOCUMENTED =
  /^\/(api\/v4|oauth\/(par|token|revoke|introspect|userinfo|authorize_device|register|discovery)|\.well-known|-\/(liveness|readiness))/;

/**
 * Watches the routes registered after it. `GET /openapi.json` answers the document, and so does the returned function: JSON, UTF-8.
 * The generator is only loaded on request, which is rare (decision 0218).
 */
export function describeApi(app: FastifyInstance, publicUrl: string): () => Promise<Buffer> {
  const routes: DescribedRoute[] = [];
  app.addHook("onRoute", ({ method, url, schema, config }) => {
    if (!DOCUMENTED.test(url) || config?.undocumented === true) return;
    for (const each of [method].flat()) {
      if (each !== "HEAD")
        routes.push({ method: each, url, ...(schema && { schema }), ...(config && { config }) });
    }
  });
  // Generated once: it is large, and anybody may request it.
  let written: Promise<Buffer> | undefined;
  const describe = () => {
    written ??= import("./platform/openapi-document.ts").then(({ writeDocument }) =>
      writeDocument(routes, publicUrl),
    );
    // After a failure the next request tries again.
    written.catch(() => {
      written = undefined;
    });
    return written;
  };
  app.get("/openapi.json", { config: { undocumented: true } }, async (_request, reply) =>
    reply
      .header("content-type", "application/json; charset=utf-8")
      .header("access-control-allow-origin", "*")
      .send(await describe()),
  );
  return describe;
}
