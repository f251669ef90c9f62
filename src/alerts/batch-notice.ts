/** Writes the message that stands for very many changes of alerts at once (decision 0295). */
import { CHANNEL_EVENTS, type ChannelEvent } from "./channel.ts";
import { EVENT_WORDS, type Notice } from "./notice.ts";
import { noticeOfMany } from "./notice-of-many.ts";
import { type Worst, worstOf } from "./storm.ts";

/** A change of an alert that the message stands for. */
interface Change {
  happening: { what: ChannelEvent };
  alert: Worst;
}

/** Returns the message: how many alerts changed in which way, and the most severe of them. */
export function batchNotice(
  changes: readonly Change[],
  { projectPath }: { projectPath: string },
  publicUrl: string,
): Notice {
  const counts = CHANNEL_EVENTS.map(
    (what) => [what, changes.filter(({ happening }) => happening.what === what).length] as const,
  );
  const found = counts.filter(([, count]) => count > 0);
  const parts = found.map(([what, count]) => `${count} ${EVENT_WORDS[what]}`);
  return noticeOfMany({
    event: "alert.summary",
    subject: `[Summary] Alerts: ${parts.join(", ")} (${projectPath})`,
    words:
      `Very many alerts of ${projectPath} changed at once: ${parts.join(", ")}. ` +
      "This message stands for one message about each of these changes.",
    projectPath,
    worst: worstOf(changes.map(({ alert }) => alert)),
    publicUrl,
    bodyOf: (mostSevere) => ({ summary: { ...Object.fromEntries(counts), most_severe: mostSevere } }),
  });
}
