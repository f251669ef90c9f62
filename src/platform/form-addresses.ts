/** Redirects GET requests to addresses that only accept forms to the page with the form (decision 0240). */
import type { FastifyInstance, FastifyRequest, RouteOptions } from "fastify";

/** The page of a form, if it is not the nearest one above the address that accepts it. */
type FormOn = string | ((query: Readonly<Record<string, unknown>>) => string | undefined);

declare module "fastify" {
  interface FastifyContextConfig {
    formOn?: FormOn;
  }
}

type Segments = readonly string[];

/** Must be registered before the routes, which it records. Acts where only a wildcard route matches a GET request. */
export function leadsToForms(pages: FastifyInstance): void {
  const looks: Segments[] = [];
  const forms: { segments: Segments; formOn: FormOn | undefined }[] = [];
  pages.addHook("onRoute", ({ method, url, config }: RouteOptions) => {
    if (method === "GET") looks.push(url.slice(1).split("/"));
    if (method === "POST") forms.push({ segments: url.slice(1).split("/"), formOn: config?.formOn });
  });
  const isPage = (address: Segments) => looks.some((segments) => fits(segments, address));
  pages.addHook("onRequest", async (request, reply) => {
    if (request.method !== "GET" && request.method !== "HEAD") return undefined;
    if (!request.routeOptions.url?.endsWith("*")) return undefined;
    const address = addressOf(request);
    const form = forms.find(({ segments }) => fits(segments, address));
    if (!form) return undefined;
    const { formOn } = form;
    const page = typeof formOn === "function" ? formOn(request.query as Record<string, unknown>) : formOn;
    return reply.redirect(page ?? pageAbove(address, isPage), 302);
  });
}

/** The segments of the request's address, not decoded. */
export function addressOf({ url }: FastifyRequest): string[] {
  return (url.split("?", 1)[0] ?? "").slice(1).split("/");
}

/** Returns the nearest page above an address; the start page if there is none. */
export function pageAbove(address: Segments, isPage: (address: Segments) => boolean): string {
  let above = address.slice(0, -1);
  while (above.length > 0 && !isPage(above)) above = above.slice(0, -1);
  return `/${above.join("/")}`;
}

function fits(segments: Segments, address: Segments): boolean {
  return (
    segments.length === address.length &&
    segments.every((part, i) => (part.startsWith(":") ? address[i] !== "" : part === address[i]))
  );
}
