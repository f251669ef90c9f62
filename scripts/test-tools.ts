/** The programs that tests need and npm does not install: Chromium, Alertmanager and Prometheus. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const TOOLS = [
  {
    name: "Chromium",
    debian: "chromium",
    paths: ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"],
  },
  {
    name: "Prometheus Alertmanager",
    debian: "prometheus-alertmanager",
    paths: ["/usr/bin/prometheus-alertmanager"],
  },
  { name: "Prometheus", debian: "prometheus", paths: ["/usr/bin/prometheus"] },
];

/**
 * Installs missing programs if possible (Debian, as root).
 * @throws Error saying what to install otherwise
 */
export async function installTestTools(): Promise<void> {
  const missing = TOOLS.filter(({ paths }) => !paths.some((path) => existsSync(path)));
  if (missing.length === 0) return;
  const packages = missing.map(({ debian }) => debian);
  const advice = `The tests need ${missing.map(({ name }) => name).join(" and ")}. Install: apt-get install ${packages.join(" ")}`;
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) throw new Error(advice);
  // The packages must not start services: the suite runs its own.
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
  for (const args of [["update"], ["install", "-y", "--no-install-recommends", ...packages]]) {
    const { status } = spawnSync("apt-get", args, { env, stdio: ["ignore", "ignore", "inherit"] });
    if (status !== 0) throw new Error(`${advice} (apt-get ${args[0]} failed)`);
  }
}
