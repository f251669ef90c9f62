/** The OpenAPI document, generated from the routes' own schemas and guards, so that it cannot say anything else. */
import swagger from "@fastify/swagger";
import type { FastifyInstance } from "fastify";

/** Doors that belong in the document; pages and assets do not. */
const DOCUMENTED =
  /^\/(api\/v4|oauth\/(token|revoke|introspect|userinfo|authorize_device|discovery)|\.well-known|-\/(liveness|readiness))/;

/** What is said of every answer; `null` leaves out a body, which would seem described. */
const ANSWERS = {
  "2xx": { type: "null", description: "Done. docs/ shows by example what is answered." },
  "4xx": { type: "null", description: "Refused: `message` says why, or `error` and `error_description` do." },
};

/** Watches the routes registered after it; `GET /openapi.json` answers the document. */
export async function describeApi(app: FastifyInstance, publicUrl: string): Promise<void> {
  await app.register(swagger, {
    hideUntagged: false,
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Gatehouse",
        version: "4",
        description: "Delegated access by OAuth2, alerts and events, in the shapes of the GitLab v4 API.",
      },
      servers: [{ url: publicUrl }],
      components: {
        securitySchemes: {
          bearer: { type: "http", scheme: "bearer", description: "An OAuth or personal access token" },
          query: { type: "apiKey", in: "query", name: "access_token" },
          personal: { type: "apiKey", in: "header", name: "PRIVATE-TOKEN" },
        },
      },
    },
    transform: ({ schema, url, route }) => {
      const { config } = route;
      const hide = !DOCUMENTED.test(url) || config?.undocumented === true || route.method === "HEAD";
      const scopes = config?.scopes;
      const described = withoutOwnKeywords({ ...schema }) as Record<string, unknown>;
      if (scopes) {
        described.security = [{ bearer: [] }, { query: [] }, { personal: [] }];
        described.description = [schema?.description, `Scopes, any one of: ${scopes.join(", ")}.`]
          .filter(Boolean)
          .join(" ");
      }
      described.tags ??= [tagOf(url)];
      // Routes declare no answers (decision 0074); of a status made up, "200", many would be untrue.
      described.response = ANSWERS;
      return { schema: { ...described, hide }, url };
    },
  });
  app.get("/openapi.json", { config: { undocumented: true } }, async (_request, reply) =>
    reply
      .header("content-type", "application/json")
      .header("access-control-allow-origin", "*")
      .send(app.swagger()),
  );
}

/** Keywords that only our own checker reads. */
const OWN_KEYWORDS = new Set(["badValue", "clamp", "nested"]);

function withoutOwnKeywords(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutOwnKeywords);
  if (value === null || typeof value !== "object") return value;
  const kept = Object.entries(value).filter(([name]) => !OWN_KEYWORDS.has(name));
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutOwnKeywords(inner)]));
}

function tagOf(url: string): string {
  if (!url.startsWith("/api/v4/")) return url.startsWith("/-/") ? "service" : "oauth";
  const words = url.slice("/api/v4/".length).split("/");
  const nested = words.slice(1).find((word) => !word.startsWith(":"));
  return (words[0] === "projects" && nested ? nested : words[0]) ?? "api";
}
