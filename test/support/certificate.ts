/** A self-signed certificate (RFC 5280 §4.1), created when it is needed and not stored. */
import { generateKeyPairSync, sign } from "node:crypto";

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const length = content.length;
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}

const sequence = (...parts: Buffer[]) => der(0x30, ...parts);
const object = (hex: string) => der(0x06, Buffer.from(hex, "hex"));
const time = (at: Date) =>
  der(0x18, Buffer.from(`${at.toISOString().replace(/[-:T]/g, "").slice(0, 14)}Z`, "latin1"));

/** ecdsa-with-SHA256 */
const SIGNED_BY = sequence(object("2a8648ce3d040302"));

/** For `localhost`, valid until `end`, which may be past; in PEM. */
export function certificateUntil(end: Date): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const commonName = sequence(object("550403"), der(0x0c, Buffer.from("localhost")));
  const name = sequence(der(0x31, commonName));
  const begin = new Date(end.getTime() - 90 * 86_400_000);
  const told = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    SIGNED_BY,
    name,
    sequence(time(begin), time(end)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
  );
  const signature = der(0x03, Buffer.from([0]), sign("sha256", told, privateKey));
  const text = sequence(told, SIGNED_BY, signature).toString("base64").replace(/.{64}/g, "$&\n");
  const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  return { key, cert: `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n` };
}
