/** The programs of the suite that npm does not bring: a real Chromium, a real Alertmanager and a real Prometheus. */
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
 * Installs what is missing where that is possible (Debian, as root).
 * @throws Error saying what to install, where it is not
 */
export async function installTestTools(): Promise<void> {
  const missing = TOOLS.filter(({ paths }) => !paths.some((path) => existsSync(path)));
  if (missing.length === 0) return;
  const packages = missing.map(({ debian }) => debian);
  const advice = `The tests need ${missing.map(({ name }) => name).join(" and ")}. Install: apt-get install ${packages.join(" ")}`;
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) throw new Error(advice);
  // No service of the packages may start: the suite runs its own.
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
  for (const args of [["update"], ["install", "-y", "--no-install-recommends", ...packages]]) {
    const { status } = spawnSync("apt-get", args, { env, stdio: ["ignore", "ignore", "inherit"] });
    if (status !== 0) throw new Error(`${advice} (apt-get ${args[0]} failed)`);
  }
}
