/** `gatehouse rotate-key`: creates a new master key while the service runs, and later drops the old one. */
import { dropOldMasterKeys, type Rotation, rotateMasterKey } from "../operations/rotate-master-key.ts";
import type { Config } from "../platform/config.ts";
import { type Answer, runCommand } from "./command.ts";

const USAGE = `Usage: gatehouse rotate-key [--finish] [--json]

Makes a new master key beside the old one and seals every stored secret with it, while the service serves. The old key
still opens what was given out before: open forms, codes of devices, refreshes that are repeated. Stopped in the middle,
run it again. With GATEHOUSE_MASTER_KEY put the new key there before the old one yourself; it says so.

  --finish   a day later: drop the old key, after sealing anew what still needs it. Refused within the first minute; without an
             old key there is nothing to drop, and nothing changes
  --json     answer with one JSON object: {"new_key": true, "values": 9, "resealed": 9, "unreadable": 0, "old_keys": 1,
             "dropped_keys": 0}

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
        return answerOf(rotation, platform.config.masterKey !== undefined, Boolean(given.values.finish));
      },
  );
}

function answerOf(rotation: Rotation, isGiven: boolean, isEnd: boolean): Answer {
  const { isNew, values, earlier, unreadable, kept, dropped } = rotation;
  const lines = [
    ...(isNew ? ["A new master key seals from now on."] : []),
    ...(isEnd && kept + dropped === 0 ? ["There is one master key, and no older one to drop."] : []),
    `${values} sealed values: ${earlier} needed an older key and were sealed again with the newest.`,
    ...(unreadable > 0 ? [`${unreadable} open with no key that is here, and were left alone.`] : []),
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
  if (dropped > 0)
    return ["The old key is dropped: only backups of before need it, and they have it with them."];
  if (kept === 0) return [];
  if (isGiven)
    return [
      "The older keys stand in GATEHOUSE_MASTER_KEY, where this command cannot drop them. Nothing stored needs them: a day after the renewal take them out, and start every process again.",
    ];
  return [
    "The old key still opens forms and codes that are under way. In a day drop it: gatehouse rotate-key --finish",
  ];
}
