/** The environment variables that the README's calls need from a demo. */
import type { SeededDemo } from "./seed-demo.ts";

/** Returns the variables by name, including secrets. */
export function callVariables(demo: SeededDemo, publicUrl: string): Record<string, string> {
  const { application, cast, sources } = demo;
  const [maya] = cast.people;
  const [source] = sources;
  return {
    GATEHOUSE: publicUrl,
    CLIENT_ID: application.uid,
    CLIENT_SECRET: application.secret,
    MAYA_PASSWORD: maya?.password ?? "",
    ALERT_URL: publicUrl + source?.path,
    ALERT_KEY: source?.key ?? "",
  };
}
