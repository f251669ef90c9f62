/** `gatehouse rotate-key`: creates a new master key while the service runs, and later drops the old one. */
import { dropOldMasterKeys, type Rotation, rotateMasterKey } from "../operations/rotate-master-key.ts";
import type { Config } from "../platform/config.ts";
import { type Answer, runCommand } from "./command.ts";

const USAGE = `Usage: gatehouse rotate-key [--finish] [--json]

Generates a new master key beside the old one and re-encrypts every stored secret with it, while the service keeps running.
The old key is still needed for values that were issued before: open forms, device codes, repeated refresh requests. If the
command is interrupted, run it again. If you use GATEHOUSE_MASTER_KEY, put the new key before the old one there yourself; the
command tells you so.

  --finish   run a day later: re-encrypts what still needs the old key, then drops it. Refused within the first minute; without
             an old key it changes nothing
  --json     print one JSON object: {"new_key": true, "values": 9, "resealed": 9, "unreadable": 0, "old_keys": 1,
             "dropped_keys": 0}

Can be run while the service is running or stopped. If several machines have their own copy of master.key, read
"Renew the master key" in docs/operations.md first.
Exit codes: 0 done, 1 refused or failed, 64 wrong usage, 78 wrong configuration.
For example: gatehouse rotate-key, and on the next day: gatehouse rotate-key --finish
`;

const options = { finish: { type: "boolean", default: false } } as const;

export function rotateKeyCommand(args: readonly string[], readConfig: () => Config): Promise<void> {
  return runCommand(
    { usage: USAGE, options, positionals: 0 },
    args,
    readConfig,
    ({ flags }) =>
      async ({ platform }) => {
        const rotation = await (flags.has("finish")
          ? dropOldMasterKeys(platform)
          : rotateMasterKey(platform));
        return answerOf(rotation, platform.config.masterKey !== undefined, flags.has("finish"));
      },
  );
}

function answerOf(rotation: Rotation, isGiven: boolean, isEnd: boolean): Answer {
  const { isNew, values, earlier, unreadable, kept, dropped } = rotation;
  const lines = [
    ...(isNew ? ["A new master key is in use."] : []),
    ...(isEnd && kept + dropped === 0
      ? ["There is only one master key; there is no older one to drop."]
      : []),
    `${values} encrypted values: ${earlier} needed an older key and were re-encrypted with the newest.`,
    ...(unreadable > 0
      ? [`${unreadable} cannot be decrypted with any available key and were left unchanged.`]
      : []),
    ...endOf(rotation, isGiven),
  ];
  return {
    text: `${lines.join("\n")}\n`,
    json: {
      new_key: isNew,
      values,
      resealed: earlier,
      unreadable,
      old_keys: kept,
      dropped_keys: dropped,
    },
  };
}

/** Says what became of the older keys, and what to do next. */
function endOf({ kept, dropped }: Rotation, isGiven: boolean): string[] {
  if (dropped > 0) return ["The old key was dropped. Only earlier backups need it, and they contain it."];
  if (kept === 0) return [];
  if (isGiven)
    return [
      "The older keys are in GATEHOUSE_MASTER_KEY, where this command cannot drop them. No stored value needs them: remove them a day after the rotation and restart every process.",
    ];
  return [
    "Forms and codes issued before still need the old key. Drop it in a day: gatehouse rotate-key --finish",
  ];
}
