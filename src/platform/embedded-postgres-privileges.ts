/** Decides which user PostgreSQL runs as: it refuses to run as root, and Gatehouse may be root. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);
// "nobody", which exists in the user list of nearly every system; initdb looks it up.
const UNPRIVILEGED = 65_534;

/** How a Gatehouse that runs as root gives up its privileges: by what works, by a user namespace, or as an unprivileged user. */
export type RootMode = "auto" | "userns" | "uid";

export interface ServerIdentity {
  /** The user that must own the cluster and the socket directory; undefined: the user of this process. */
  owner: number | undefined;
  /** Options of `spawn` that run the child as that user. */
  spawnOptions: { uid?: number; gid?: number };
  /** Words before the program's name. */
  prefix: string[];
  /** The same for programs that must end with this process, however it ends. */
  lifetimePrefix: string[];
}

/**
 * Chooses the identity by trying (decision 0003): a plain user stays as it is; root becomes the plain user that owns the cluster,
 * so that a command run as root does not lock the service out of its data; else root uses a user namespace, where the files stay
 * root's; else root becomes "nobody".
 * @param holder the owner of the cluster; undefined before the first start
 * @throws Error when `mode` asks for a user namespace and the system refuses.
 */
export async function chooseServerIdentity(
  mode: RootMode,
  holder?: { uid: number; gid: number },
): Promise<ServerIdentity> {
  // Without setpriv, a server outlives a killed process; the next start finds and ends it.
  const setpriv = ["setpriv", "--pdeathsig", "INT", "--"];
  const lifetime = (await works([...setpriv, "true"])) ? setpriv : [];
  const root = process.getuid?.() === 0;
  if (!root) return { owner: undefined, spawnOptions: {}, prefix: [], lifetimePrefix: lifetime };

  if (mode === "auto" && holder && holder.uid !== 0 && holder.uid !== UNPRIVILEGED) {
    const { uid, gid } = holder;
    return { owner: uid, spawnOptions: { uid, gid }, prefix: [], lifetimePrefix: lifetime };
  }
  const namespace = ["unshare", "-U", `--map-user=${UNPRIVILEGED}`, `--map-group=${UNPRIVILEGED}`, "--"];
  if (mode !== "uid" && (await works([...namespace, "true"]))) {
    return { owner: 0, spawnOptions: {}, prefix: namespace, lifetimePrefix: [...namespace, ...lifetime] };
  }
  if (mode === "userns") throw new Error("this system refuses user namespaces");
  const spawnOptions = { uid: UNPRIVILEGED, gid: UNPRIVILEGED };
  return { owner: UNPRIVILEGED, spawnOptions, prefix: [], lifetimePrefix: lifetime };
}

/** Runs a program to its end as the server's user, in `cwd`, with `input`; never throws for its exit code. */
export function runAs(
  identity: ServerIdentity,
  [program, ...args]: [string, ...string[]],
  options: { cwd: string; input?: string },
): Promise<{ ok: boolean; output: string }> {
  const [file, ...words] = [...identity.prefix, program, ...args] as [string, ...string[]];
  return new Promise((resolve) => {
    const child = execFile(
      file,
      words,
      { cwd: options.cwd, ...identity.spawnOptions, env: serverEnvironment() },
      (error, stdout, stderr) =>
        // Error messages come last, where they survive when a long text is cut.
        resolve({ ok: error === null, output: `${stdout}${stderr}`.trim() || (error?.message ?? "") }),
    );
    // A program that could not start has closed its input; its exit reports the reason.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(options.input ?? "");
  });
}

/** The environment of the server: no secret of the service, and no PG* variable that would change its behaviour. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH ?? "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };
}

async function works([file, ...args]: string[]): Promise<boolean> {
  if (file === undefined) return false;
  return run(file, args).then(
    () => true,
    () => false,
  );
}
