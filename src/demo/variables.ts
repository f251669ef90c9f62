/** What the README's calls need to know of a demo, as environment variables. */
import type { SeededDemo } from "./seed-demo.ts";

/** By name; secrets are among them. */
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
