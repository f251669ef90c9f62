/** The backup file: frames of JSON and rows, compressed, then encrypted with a passphrase (decision 0072). */
import { createCipheriv, createDecipheriv, createHash, randomBytes, scrypt } from "node:crypto";
import { once } from "node:events";
import type { WriteStream } from "node:fs";
import { createReadStream } from "node:fs";
import { link, lstat, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { errorCode } from "../platform/error-code.ts";
import { Problem } from "../platform/problem.ts";

/** A part of a backup: metadata, or rows of the table that was named last. */
export type Frame = { json: Record<string, unknown>; rows?: never } | { rows: Buffer; json?: never };

/** Passphrases shorter than this are refused. */
export const SHORTEST_PASSPHRASE = 12;

const MAGIC = "gatehouse-backup 2";
/** Twice is what OWASP recommends with these 64 MiB (ASVS 11.4.4). */
const SCRYPT = { N: 65_536, r: 8, p: 2 };
/** By the first line of a file, how often its passphrase was stretched: once until November 2026. */
const STRETCHED = new Map([
  [MAGIC, SCRYPT.p],
  ["gatehouse-backup 1", 1],
]);
const SCRYPT_MEMORY_BYTES = 128 * 1024 * 1024;
const TAG_BYTES = 16;
const HEADER_BYTES = 4096;
const CUT_OR_CHANGED = "The backup is damaged: it was truncated or changed.";
/** The disk is full, a quota or the largest file size is reached, or it is broken or read-only by now. */
const OF_DISK = new Set(["ENOSPC", "EDQUOT", "EFBIG", "EIO", "EROFS"]);
const JSON_FRAME = 0x4a;
const ROWS_FRAME = 0x52;

/**
 * Writes the frames that `produce` passes on. The file gets its name once it is complete and on the disk.
 * @throws Problem conflict when a file of that name exists, or the disk refuses the data
 */
export async function writeBackup(
  path: string,
  passphrase: string,
  produce: (write: (frame: Frame) => Promise<void>) => Promise<void>,
): Promise<void> {
  // A unique name, so that two backups cannot write the same file.
  const partial = `${path}.${process.pid}-${randomBytes(4).toString("hex")}.partial`;
  const salt = randomBytes(16);
  const iv = randomBytes(12);
  const { key, proof } = await keyFrom(passphrase, salt, SCRYPT.p);
  const about = { kdf: "scrypt", ...SCRYPT, salt: salt.toString("hex"), iv: iv.toString("hex"), proof };
  const header = Buffer.from(`${MAGIC}\n${JSON.stringify(about)}\n`);
  const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(header);
  const gzip = createGzip();
  await checkFree(path);
  const file = await create(partial, path);
  try {
    file.write(header);
    const flowing = pipeline(gzip, cipher, file, { end: false });
    const write = async (frame: Frame) => {
      // Not a race with `flowing`, which would keep a reaction to each until its end. If that fails, nobody waits for this.
      if (!gzip.write(framed(frame))) await once(gzip, "drain");
    };
    await Promise.race([
      produce(write),
      flowing.then(() => Promise.reject(new Error("the file ended early"))),
    ]);
    gzip.end();
    await flowing;
    file.end(cipher.getAuthTag());
    await once(file, "close");
    await name(partial, path);
  } catch (error) {
    const code = errorCode(error) ?? "";
    if (!OF_DISK.has(code)) throw error;
    throw new Problem("conflict", `${path} cannot be written: ${code}. The incomplete file was deleted.`, {
      cause: error,
    });
  } finally {
    file.destroy();
    await rm(partial, { force: true });
  }
}

/** Checked before the work. @throws Problem conflict */
async function checkFree(path: string): Promise<void> {
  if (await lstat(path).catch(() => undefined)) throw fileExists(path);
}

/** @throws Problem conflict if the file cannot be created */
async function create(partial: string, path: string): Promise<WriteStream> {
  const handle = await open(partial, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new Problem("conflict", `${path} cannot be created: ${error.code}.`);
  });
  return handle.createWriteStream({ flush: true });
}

/** Gives the file its name, unless another file has it by now, and makes the name durable. */
async function name(partial: string, path: string): Promise<void> {
  try {
    await link(partial, path);
  } catch (error) {
    const code = errorCode(error);
    if (code === "EEXIST") throw fileExists(path);
    // A file system without hard links, such as on a USB stick.
    await checkFree(path);
    await rename(partial, path);
  }
  const directory = await open(dirname(path), "r");
  await directory.sync().catch(() => {});
  await directory.close();
}

function fileExists(path: string): Problem {
  return new Problem("conflict", `${path} exists already; a backup never overwrites a file.`);
}

/**
 * Yields the frames of a backup. They are authenticated only once the end was reached.
 * @throws Problem invalid: not a backup, another passphrase, or a file that was cut short or changed
 */
export async function* readBackup(path: string, passphrase: string): AsyncGenerator<Frame> {
  const { header, about, stretched, size } = await readHeader(path);
  const { key, proof } = await keyFrom(passphrase, Buffer.from(about.salt, "hex"), stretched);
  if (proof !== about.proof) throw new Problem("invalid", "The passphrase does not belong to this backup.");
  const end = size - TAG_BYTES;
  const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(about.iv, "hex")).setAAD(header);
  decipher.setAuthTag(await bytesAt(path, end, TAG_BYTES));
  const source = createReadStream(path, { start: header.length, end: end - 1 });
  const plain = createGunzip();
  const flowing = pipeline(source, decipher, plain);
  flowing.catch(() => {});
  try {
    yield* framesOf(plain);
    await flowing;
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem("invalid", CUT_OR_CHANGED, { cause: error });
  } finally {
    source.destroy();
  }
}

/** Derives 32 bytes for the cipher, and a proof that distinguishes a wrong passphrase from a damaged file. */
async function keyFrom(passphrase: string, salt: Buffer, p: number): Promise<{ key: Buffer; proof: string }> {
  const derived = await new Promise<Buffer>((resolve, reject) => {
    scrypt(
      passphrase.normalize("NFC"),
      salt,
      64,
      { ...SCRYPT, p, maxmem: SCRYPT_MEMORY_BYTES },
      (error, bytes) => (error ? reject(error) : resolve(bytes)),
    );
  });
  const proof = createHash("sha256").update(derived.subarray(32)).digest("hex");
  return { key: derived.subarray(0, 32), proof };
}

async function readHeader(path: string) {
  const file = await open(path, "r").catch((error: NodeJS.ErrnoException) => {
    throw new Problem("not_found", `${path} cannot be read: ${error.code}`);
  });
  try {
    const stats = await file.stat();
    if (stats.isDirectory()) throw new Problem("invalid", `${path} is a directory, not a backup file.`);
    const { size } = stats;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    const [magic, json] = buffer.subarray(0, bytesRead).toString("latin1").split("\n", 2);
    const header = Buffer.from(`${magic}\n${json}\n`, "latin1");
    const stretched = STRETCHED.get(magic ?? "");
    if (stretched === undefined || json === undefined) {
      throw new Problem("invalid", `${path} is not a backup of Gatehouse, or was made by a newer version.`);
    }
    if (size <= header.length + TAG_BYTES) throw new Problem("invalid", CUT_OR_CHANGED);
    return { header, about: aboutOf(json), stretched, size };
  } finally {
    await file.close();
  }
}

function aboutOf(json: string): { salt: string; iv: string; proof: string } {
  try {
    const { salt, iv, proof } = JSON.parse(json);
    return { salt: String(salt), iv: String(iv), proof: String(proof) };
  } catch (cause) {
    throw new Problem("invalid", "The backup is damaged: its first lines cannot be read.", { cause });
  }
}

async function bytesAt(path: string, position: number, length: number): Promise<Buffer> {
  const file = await open(path, "r");
  try {
    return (await file.read(Buffer.alloc(length), 0, length, position)).buffer;
  } finally {
    await file.close();
  }
}

function framed(frame: Frame): Buffer {
  const body = frame.rows ?? Buffer.from(JSON.stringify(frame.json));
  const head = Buffer.alloc(5);
  head[0] = frame.rows ? ROWS_FRAME : JSON_FRAME;
  head.writeUInt32BE(body.length, 1);
  return Buffer.concat([head, body]);
}

async function* framesOf(source: AsyncIterable<Buffer>): AsyncGenerator<Frame> {
  let buffer: Buffer = Buffer.alloc(0);
  for await (const chunk of source) {
    buffer = buffer.length === 0 ? chunk : Buffer.concat([buffer, chunk]);
    for (;;) {
      if (buffer.length < 5) break;
      const end = 5 + buffer.readUInt32BE(1);
      if (buffer.length < end) break;
      const body = buffer.subarray(5, end);
      if (buffer[0] === ROWS_FRAME) yield { rows: Buffer.from(body) };
      else yield { json: JSON.parse(body.toString("utf8")) };
      buffer = buffer.subarray(end);
    }
  }
  if (buffer.length > 0) throw new Error("the last frame is not whole");
}
