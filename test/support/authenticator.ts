/** A software authenticator for passkeys that can give false responses: wrong counter, origin, user or verification. */
import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import type { Visitor } from "./visitor.ts";

/** What a response claims instead of the truth. */
export interface Lies {
  origin?: string;
  rpId?: string;
  type?: string;
  challenge?: string;
  counter?: number;
  /** Whether the user was verified by fingerprint, face or PIN. */
  verified?: boolean;
  userHandle?: string | null;
}

interface Asked {
  challenge: string;
  user?: { id: string };
}

const PRESENT = 0x01;
const VERIFIED = 0x04;
const WITH_KEY = 0x40;

const sha256 = (data: string | Buffer) => createHash("sha256").update(data).digest();
const url = (data: Buffer) => data.toString("base64url");

export class Authenticator {
  readonly id = randomBytes(32);
  readonly #keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  readonly #origin: string;
  #handle: string | undefined;
  counter = 0;

  /** An authenticator for a service at this origin. */
  constructor(origin: string) {
    this.#origin = origin;
  }

  /** The response to registration options. */
  create(options: Asked, lies: Lies = {}): string {
    this.#handle = options.user?.id;
    const { x, y } = this.#keys.publicKey.export({ format: "jwk" });
    const part = (text = "") => Buffer.concat([Buffer.from([0x58, 0x20]), Buffer.from(text, "base64url")]);
    // COSE: an EC2 key of P-256 for ES256 (RFC 9053 §7.1.1), as hand-written CBOR.
    const cose = Buffer.concat([
      Buffer.from("a501020326200121", "hex"),
      part(x),
      Buffer.from([0x22]),
      part(y),
    ]);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.id.length);
    const key = Buffer.concat([Buffer.alloc(16), length, this.id, cose]);
    const data = Buffer.concat([this.#data(lies, WITH_KEY), key]);
    const object = Buffer.concat([
      Buffer.from("a363666d74646e6f6e656761747453746d74a068617574684461746158", "hex"),
      Buffer.from([data.length]),
      data,
    ]);
    const response = {
      clientDataJSON: this.#clientData("webauthn.create", options, lies),
      attestationObject: url(object),
      transports: ["internal", "of another world"],
    };
    return this.#answer(response);
  }

  /** The response to the options of a sign-in or password check. */
  get(options: Asked, lies: Lies = {}): string {
    this.counter++;
    const data = this.#data(lies);
    const clientDataJSON = this.#clientData("webauthn.get", options, lies);
    const signed = Buffer.concat([data, sha256(Buffer.from(clientDataJSON, "base64url"))]);
    const response = {
      clientDataJSON,
      authenticatorData: url(data),
      signature: url(sign("sha256", signed, this.#keys.privateKey)),
      ...(lies.userHandle === null ? {} : { userHandle: lies.userHandle ?? this.#handle }),
    };
    return this.#answer(response);
  }

  #answer(response: object): string {
    const id = url(this.id);
    return JSON.stringify({ id, rawId: id, type: "public-key", clientExtensionResults: {}, response });
  }

  #clientData(type: string, { challenge }: Asked, lies: Lies): string {
    const said = {
      type: lies.type ?? type,
      challenge: lies.challenge ?? challenge,
      origin: lies.origin ?? this.#origin,
    };
    return url(Buffer.from(JSON.stringify({ ...said, crossOrigin: false })));
  }

  #data(lies: Lies, more = 0): Buffer {
    const flags = PRESENT | (lies.verified === false ? 0 : VERIFIED) | more;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(lies.counter ?? this.counter);
    const rpId = lies.rpId ?? new URL(this.#origin).hostname;
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), counter]);
  }
}

/** Requests the options of a form from the service, as its script does. */
export async function optionsOf(visitor: Visitor, path: string) {
  const page = await visitor.post(path, {});
  assert.equal(page.status, 200, page.text);
  assert.equal(page.headers.get("cache-control"), "no-store");
  return JSON.parse(page.text);
}

/** Adds a passkey for the person who is signed in; returns it, and the recovery codes that were shown. */
export async function addPasskey(visitor: Visitor, origin: string, name = "Blue key") {
  await visitor.get("/profile/two_factor");
  const authenticator = new Authenticator(origin);
  const passkey = authenticator.create(await optionsOf(visitor, "/profile/two_factor/passkeys/options"));
  const added = await visitor.post("/profile/two_factor/passkeys", { name, passkey });
  assert.equal(added.status, 303, added.text);
  const page = await visitor.follow(added);
  const codes = /id="recovery-codes"[^>]*>([^<]+)</.exec(page.text)?.[1]?.trim().split(/\s+/) ?? [];
  return { authenticator, codes, page };
}
