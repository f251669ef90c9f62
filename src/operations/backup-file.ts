/** The backup file: frames of JSON and rows, compressed, then sealed with a passphrase (decision 0072). */
import { createCipheriv, createDecipheriv, createHash, randomBytes, scrypt } from "node:crypto";
import { once } from "node:events";
import type { WriteStream } from "node:fs";
import { createReadStream } from "node:fs";
import { link, lstat, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { Problem } from "../platform/problem.ts";

/** A piece of a backup: something said about it, or rows of the table said last. */
export type Frame = { json: Record<string, unknown>; rows?: never } | { rows: Buffer; json?: never };

/** Passphrases shorter than this are refused. */
export const SHORTEST_PASSPHRASE = 12;

const MAGIC = "gatehouse-backup 1";
const SCRYPT = { N: 65_536, r: 8, p: 1 };
const SCRYPT_MEMORY_BYTES = 128 * 1024 * 1024;
const TAG_BYTES = 16;
const HEADER_BYTES = 4096;
const CUT_OR_CHANGED = "The backup is damaged: it was cut short or changed.";
/** Full, beyond a quota or the largest file, broken, or read-only by now. */
const OF_DISK = new Set(["ENOSPC", "EDQUOT", "EFBIG", "EIO", "EROFS"]);
const JSON_FRAME = 0x4a;
const ROWS_FRAME = 0x52;

/**
 * Writes the frames that `produce` hands over. The file appears under its name when it is whole and on the disk.
 * @throws Problem conflict when a file of that name is there, or the disk takes no more
 */
export async function writeBackup(
  path: string,
  passphrase: string,
  produce: (write: (frame: Frame) => Promise<void>) => Promise<void>,
): Promise<void> {
  // Of its own, so that two backups cannot become one file.
  const partial = `${path}.${process.pid}-${randomBytes(4).toString("hex")}.partial`;
  const salt = randomBytes(16);
  const iv = randomBytes(12);
  const { key, proof } = await keyFrom(passphrase, salt);
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
      if (!gzip.write(framed(frame))) await Promise.race([once(gzip, "drain"), flowing]);
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
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!OF_DISK.has(code)) throw error;
    throw new Problem("conflict", `${path} cannot be written: ${code}. Nothing of it was kept.`, {
      cause: error,
    });
  } finally {
    file.destroy();
    await rm(partial, { force: true });
  }
}

/** Said before the work. @throws Problem conflict */
async function checkFree(path: string): Promise<void> {
  if (await lstat(path).catch(() => undefined)) throw taken(path);
}

/** @throws Problem conflict when there is no place for it */
async function create(partial: string, path: string): Promise<WriteStream> {
  const handle = await open(partial, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new Problem("conflict", `${path} cannot be made: ${error.code}.`);
  });
  return handle.createWriteStream({ flush: true });
}

/** Gives the file its name, unless another has it by now, and keeps the name over a loss of power. */
async function name(partial: string, path: string): Promise<void> {
  try {
    await link(partial, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") throw taken(path);
    // A disk without links, such as a stick.
    await checkFree(path);
    await rename(partial, path);
  }
  const directory = await open(dirname(path), "r");
  await directory.sync().catch(() => {});
  await directory.close();
}

function taken(path: string): Problem {
  return new Problem("conflict", `${path} is there already; a backup replaces no file.`);
}

/**
 * The frames of a backup, one after the other. What comes before the end is proven only when the end was reached.
 * @throws Problem invalid: no backup, another passphrase, or a file that was cut short or changed
 */
export async function* readBackup(path: string, passphrase: string): AsyncGenerator<Frame> {
  const { header, about, size } = await readHeader(path);
  const { key, proof } = await keyFrom(passphrase, Buffer.from(about.salt, "hex"));
  if (proof !== about.proof) throw new Problem("invalid", "The passphrase is not the one of this backup.");
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

/** 32 bytes for the cipher, and a proof by which a wrong passphrase is told from a damaged file. */
async function keyFrom(passphrase: string, salt: Buffer): Promise<{ key: Buffer; proof: string }> {
  const derived = await new Promise<Buffer>((resolve, reject) => {
    scrypt(
      passphrase.normalize("NFC"),
      salt,
      64,
      { ...SCRYPT, maxmem: SCRYPT_MEMORY_BYTES },
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
    if (stats.isDirectory()) throw new Problem("invalid", `${path} is a folder, and a backup is a file.`);
    const { size } = stats;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    const [magic, json] = buffer.subarray(0, bytesRead).toString("latin1").split("\n", 2);
    const header = Buffer.from(`${magic}\n${json}\n`, "latin1");
    if (magic !== MAGIC || json === undefined) {
      throw new Problem("invalid", `${path} is not a backup of Gatehouse, or one of a newer version.`);
    }
    if (size <= header.length + TAG_BYTES) throw new Problem("invalid", CUT_OR_CHANGED);
    return { header, about: aboutOf(json), size };
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
