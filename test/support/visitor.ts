/** A browser without script, as far as the service can tell: cookies, forms with their CSRF token, redirects. */
import assert from "node:assert/strict";
import { PASSWORD, type Person, type World } from "./world.ts";

export interface Page {
  status: number;
  headers: Headers;
  text: string;
  /** The Location header. */
  location: string | null;
}

export class Visitor {
  readonly #url: string;
  readonly #cookies = new Map<string, string>();
  /** The CSRF token of the last page. */
  csrfToken = "";

  constructor(url: string) {
    this.#url = url;
  }

  /** Loads a page without following redirects. */
  get(path: string, headers: Record<string, string> = {}): Promise<Page> {
    return this.#send(path, { headers });
  }

  /** Posts a form with the CSRF token of the last page, unless the fields include one. */
  post(path: string, fields: Record<string, string> | [string, string][], headers = {}): Promise<Page> {
    const body = new URLSearchParams(fields);
    if (!body.has("csrf_token")) body.set("csrf_token", this.csrfToken);
    return this.#send(path, {
      method: "POST",
      body: body.toString(),
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    });
  }

  /** Posts a form with a file, and with the CSRF token of the last page unless the form has one. */
  upload(path: string, form: FormData): Promise<Page> {
    if (!form.has("csrf_token")) form.set("csrf_token", this.csrfToken);
    return this.#send(path, { method: "POST", body: form, headers: {} });
  }

  /** Loads the page with the form, then submits it. */
  async submit(path: string, fields: Record<string, string> | [string, string][], at = path): Promise<Page> {
    await this.get(at);
    return this.post(path, fields);
  }

  /** Follows the redirects of a response within this site. */
  async follow(page: Page): Promise<Page> {
    let now = page;
    for (let hops = 0; now.location !== null && hops < 10; hops++) {
      const next = new URL(now.location, this.#url);
      assert.equal(next.origin, new URL(this.#url).origin, "the redirect stays on this site");
      now = await this.get(next.pathname + next.search);
    }
    return now;
  }

  cookie(name: string): string | undefined {
    return this.#cookies.get(name);
  }

  setCookie(name: string, value: string): void {
    this.#cookies.set(name, value);
  }

  async #send(path: string, options: RequestInit & { headers: Record<string, string> }): Promise<Page> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { ...(cookie ? { cookie } : {}), ...options.headers };
    const reply = await fetch(this.#url + path, { ...options, headers, redirect: "manual" });
    for (const line of reply.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/expires=Thu, 01 Jan 1970|max-age=0/i.test(line)) this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    const text = await reply.text();
    this.csrfToken = /name="csrf_token" value="([^"]+)"/.exec(text)?.[1] ?? this.csrfToken;
    return { status: reply.status, headers: reply.headers, text, location: reply.headers.get("location") };
  }
}

/** A visitor who has signed in with the password. */
export async function signedIn(world: World, person: Person): Promise<Visitor> {
  const visitor = new Visitor(world.url);
  const page = await visitor.submit("/users/sign_in", { username: person, password: PASSWORD });
  assert.equal(page.status, 303, page.text);
  return visitor;
}
