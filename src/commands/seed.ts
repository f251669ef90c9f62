/** `gatehouse seed`: fills an installation with demo data, or removes them. */
import { APPLICATION } from "../demo/cast.ts";
import { type RemovedDemo, removeDemo } from "../demo/remove-demo.ts";
import { type SeededDemo, seedDemo } from "../demo/seed-demo.ts";
import { callVariables } from "../demo/variables.ts";
import type { Config } from "../platform/config.ts";
import { type Answer, runCommand, WrongUsage } from "./command.ts";

const USAGE = `Usage: gatehouse seed --demo | --remove [--json]

  --demo     create the demo: six users, three projects, two years of events, alerts in every state
  --remove   delete the demo and nothing else
  --json     print one JSON object

Can be run while the service is running or stopped. Passwords and secrets are shown only once.
Exit codes: 0 done, 1 refused (the demo exists already, or does not exist), 64 wrong usage, 78 wrong configuration.
For example: gatehouse seed --demo
`;

const FLAG = { type: "boolean" } as const;

/** Creates the demo or deletes it (decision 0060). */
export function seedCommand(args: readonly string[], readConfig: () => Config): Promise<void> {
  const shape = { usage: USAGE, options: { demo: FLAG, remove: FLAG }, positionals: 0 };
  return runCommand(shape, args, readConfig, ({ flags }) => {
    if (flags.has("demo") === flags.has("remove")) throw new WrongUsage();
    return async ({ platform }) =>
      flags.has("demo")
        ? seeded(await seedDemo(platform), platform.config.publicUrl)
        : removed(await removeDemo(platform.db));
  });
}

function seeded(demo: SeededDemo, publicUrl: string): Answer {
  const { cast, application, token, sources, events, alerts, incidents } = demo;
  const people = cast.people.map(({ username, name, email, password }) => ({
    username,
    name,
    email,
    password,
  }));
  const projects = cast.projects.map(({ id, fullPath, visibility }) => ({ id, path: fullPath, visibility }));
  const endpoints = sources.map(({ projectPath, path, key }) => ({
    project: projectPath,
    url: publicUrl + path,
    authorization_key: key,
  }));
  const json = {
    url: publicUrl,
    people,
    groups: cast.groups.map(({ fullPath }) => fullPath),
    projects,
    endpoints,
    events,
    alerts,
    incidents,
    application: { application_id: application.uid, secret: application.secret },
    token,
  };
  const text = `Created the demo: ${people.length} people, ${cast.groups.length} groups, ${projects.length} projects, ${events} events, ${alerts} alerts, ${incidents} incidents.

Sign in at ${publicUrl}/users/sign_in as one of these users (passwords are shown only once):

${people.map(({ username, password, name }) => `  ${username.padEnd(8)} ${password}   ${name}`).join("\n")}

Look at
${projects.map(({ path, visibility }) => `  ${publicUrl}/${path}   ${visibility}`).join("\n")}
  ${publicUrl}/${projects[0]?.path}/-/alerts
  ${publicUrl}/${people[0]?.username}

A personal access token of ${people[0]?.name} (scope api):
  ${token}

For the calls of the README, paste these lines into a shell:
${Object.entries(callVariables(demo, publicUrl))
  .map(([name, value]) => `  export ${name}=${value}`)
  .join("\n")}

The first three are for the sample client, which signs users in with Gatehouse: run
  sh bin/node examples/sample-client/client.ts
and open ${new URL(APPLICATION.redirectUri).origin} (the application ${APPLICATION.name}).

Remove the demo with: npx gatehouse seed --remove
`;
  return { json, text };
}

function removed(demo: RemovedDemo): Answer {
  const { people, groups, projects, events, alerts, incidents } = demo;
  return {
    json: demo,
    text: `Deleted the demo: ${people} people, ${groups} groups, ${projects} projects, ${events} events, ${alerts} alerts, ${incidents} incidents.\n`,
  };
}
