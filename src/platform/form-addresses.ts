/** Addresses that only take forms: whoever looks at one is led to the page on which the form stands (decision 0240). */
import type { FastifyInstance, FastifyRequest, RouteOptions } from "fastify";

/** The page on which a form stands, where that is not the nearest one above the address that takes it. */
type FormOn = string | ((query: Readonly<Record<string, unknown>>) => string | undefined);

declare module "fastify" {
  interface FastifyContextConfig {
    formOn?: FormOn;
  }
}

type Segments = readonly string[];

/** Before the doors, which it watches; wildcards have no address of their own, and answer what is left. */
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

/** The segments of an address, as it was written. */
export function addressOf({ url }: FastifyRequest): string[] {
  return (url.split("?", 1)[0] ?? "").slice(1).split("/");
}

/** The nearest page above an address, the start page if there is none. */
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
