/** Writes the messages about a storm, for each kind of channel (decision 0099). */
import type { Notice } from "./notice.ts";
import { noticeOfMany } from "./notice-of-many.ts";
import { openedInWindow, type Storm, type StormState } from "./storm.ts";

/** A storm has begun, still lasts, or has ended. */
export type StormEvent = "storm_began" | "storm_continues" | "storm_ended";

/** Returns the message about a channel's storm, whose `state` is given. */
export function stormNotice(what: StormEvent, storm: Storm, state: StormState, publicUrl: string): Notice {
  const { projectPath, now } = storm;
  const { opened } = state;
  const since = state.since === null ? now : new Date(state.since);
  const inWindow = openedInWindow(state);
  const words = wordsOf(what, storm, state, since, inWindow).join(" ");
  return noticeOfMany({
    event: `alert.${what}`,
    subject: `[Storm] ${SUBJECTS[what](storm, opened, inWindow)} (${projectPath})`,
    words,
    projectPath,
    worst: state.worst,
    publicUrl,
    bodyOf: (mostSevere) => ({
      storm: {
        since: since.toISOString(),
        ended_at: what === "storm_ended" ? now.toISOString() : null,
        alerts_opened: opened,
        alerts_opened_in_window: inWindow,
        window_seconds: storm.windowSeconds,
        messages_held_back: state.held,
        most_severe: mostSevere,
      },
    }),
  });
}

const SUBJECTS: Readonly<Record<StormEvent, (storm: Storm, opened: number, inWindow: number) => string>> = {
  storm_began: (storm, _opened, inWindow) => `${inWindow} alerts opened in the last ${windowWords(storm)}`,
  storm_continues: (_storm, opened) => `${opened} alerts opened so far`,
  storm_ended: (_storm, opened) => `Over, ${opened} alerts opened`,
};

function wordsOf(
  what: StormEvent,
  storm: Storm,
  { held, heldSince, opened }: StormState,
  since: Date,
  inWindow: number,
): string[] {
  const { projectPath, now } = storm;
  const last = `${inWindow} alerts opened in the last ${windowWords(storm)}`;
  if (what === "storm_began") {
    return [
      `An alert storm has begun in ${projectPath}: ${last} that concern this channel.`,
      "Every alert is kept. Until the storm is over, you get a summary every five minutes at most, and no messages about single alerts.",
    ];
  }
  const begun = since.toISOString();
  if (what === "storm_continues") {
    return [
      `The alert storm in ${projectPath} that began at ${begun} continues: ${last}, ${opened} since it began.`,
      `${messages(heldSince)} held back since the last summary, ${held} in total.`,
    ];
  }
  return [
    `The storm of alerts in ${projectPath} is over: ${opened} alerts opened from ${begun} to ${now.toISOString()}.`,
    `${messages(held)} held back. From now on you get a message about each alert again.`,
  ];
}

function messages(n: number): string {
  return n === 1 ? "1 message was" : `${n} messages were`;
}

function windowWords({ windowSeconds }: Storm): string {
  return windowSeconds === 60 ? "minute" : `${windowSeconds} seconds`;
}
