/** `gatehouse rotate-key`: a new master key while the service serves, and the end of the old one. */
import { dropOldMasterKeys, type Rotation, rotateMasterKey } from "../operations/rotate-master-key.ts";
import type { Config } from "../platform/config.ts";
import { type Answer, runCommand } from "./command.ts";

const USAGE = `Usage: gatehouse rotate-key [--finish] [--json]

Makes a new master key beside the old one and seals every stored secret with it, while the service serves. The old key
still opens what was given out before: open forms, codes of devices, refreshes that are repeated. Stopped in the middle,
run it again. With GATEHOUSE_MASTER_KEY put the new key there before the old one yourself; it says so.

  --finish   drop the old key, which nothing needs any more: a day later is early enough; at least a minute must be between
  --json     answer with one JSON object: {"new_key": true, "values": 9, "resealed": 9, "unreadable": 0, "old_keys": 1}

Works alone and beside a running service. With several machines that keep a master.key each, read "Renew the master key"
in docs/operations.md first.
Exit codes: 0 done, 1 refused or failed, 64 wrong usage, 78 wrong configuration.
For example: gatehouse rotate-key, and on the next day: gatehouse rotate-key --finish
`;

const options = { finish: { type: "boolean", default: false } } as const;

export function rotateKeyCommand(args: readonly string[], readConfig: () => Config): Promise<void> {
  return runCommand(
    { usage: USAGE, options, words: 0 },
    args,
    readConfig,
    (given) =>
      async ({ platform }) => {
        const rotation = await (given.values.finish
          ? dropOldMasterKeys(platform)
          : rotateMasterKey(platform));
        return answerOf(rotation, platform.config.masterKey !== undefined);
      },
  );
}

function answerOf({ isNew, values, earlier, unreadable, kept }: Rotation, isGiven: boolean): Answer {
  const lines = [
    ...(isNew ? ["A new master key seals from now on."] : []),
    `Of ${values} sealed values ${earlier} were sealed again with it; ${unreadable} open with no key that is here.`,
    endOf(kept, isGiven),
  ];
  return {
    text: `${lines.join("\n")}\n`,
    json: { new_key: isNew, values, resealed: earlier, unreadable, old_keys: kept },
  };
}

function endOf(kept: number, isGiven: boolean): string {
  if (kept === 0) return "No older key is left.";
  if (isGiven)
    return "Nothing stored needs the older keys: take them out of GATEHOUSE_MASTER_KEY in a day, and start every process again.";
  return "The old key still opens forms and codes that are under way. In a day: gatehouse rotate-key --finish";
}
