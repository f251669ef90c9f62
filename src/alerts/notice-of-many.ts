/** Formats a message that stands for many about single alerts, for each kind of channel. */
import { cutText } from "../platform/cut-text.ts";
import { escaped, type Notice, oneLine, projectOf, section } from "./notice.ts";
import type { Worst } from "./storm.ts";

/** The parts of such a message. */
interface ManyWords {
  event: string;
  subject: string;
  words: string;
  projectPath: string;
  /** The alerts that it names. */
  worst: readonly Worst[];
  publicUrl: string;
  /** The further members of the body for webhooks, given those of the named alerts. */
  bodyOf(mostSevere: readonly unknown[]): Readonly<Record<string, unknown>>;
}

/** Returns the message; it links to the list of alerts and to each that it names. */
export function noticeOfMany(parts: ManyWords): Notice {
  const { event, subject, words, projectPath, worst, publicUrl, bodyOf } = parts;
  const url = `${publicUrl}/${projectPath}/-/alerts`;
  const named = worst.map((one) => ({ ...one, webUrl: `${url}/${one.iid}` }));
  const lines = named.map(({ iid, title, severity }) => `${severity}: ${oneLine(title)} (#${iid})`);
  const links = named.map(
    (one) => `*${one.severity}*: <${one.webUrl}|${escaped(oneLine(one.title))}> (#${one.iid})`,
  );
  const list = lines.length > 0 ? ["", "The most severe of them:", ...lines] : [];
  return {
    event,
    subject: oneLine(subject),
    text: [words, ...list, "", url, ""].join("\n"),
    slack: {
      text: `${escaped(words)} ${url}`,
      blocks: [
        section(`*<${url}|Alerts of ${escaped(projectPath)}>*\n${escaped(words)}`),
        ...(links.length > 0 ? [section(cutText(links.join("\n"), 2900))] : []),
      ],
    },
    body: {
      event,
      project: projectOf({ projectPath }, publicUrl),
      ...bodyOf(named.map(({ iid, title, severity, webUrl }) => ({ iid, title, severity, web_url: webUrl }))),
    },
  };
}
