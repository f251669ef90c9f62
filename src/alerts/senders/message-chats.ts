/** Reads messages for Slack and compatible chats, Discord, Teams and Google Chat. */
import { isObject, type JsonObject } from "../../platform/json-object.ts";
import { MAX_PARTS, type Message, names, objectsIn, textIn } from "./chat-message.ts";
import { objectIn, ownValue, textOf } from "./member.ts";
import { officeMessageOf } from "./message-offices.ts";
import { pushMessageOf } from "./message-pushes.ts";

const SLACK = names(
  "text attachments blocks username icon_emoji icon_url icon emoji avatar alias channel mrkdwn link_names parse unfurl_links unfurl_media thread_ts reply_broadcast response_type replace_original delete_original props type as_user metadata roomId tmid sendAs timestamp markdown html sections summary data",
);
const DISCORD = names(
  "content embeds username avatar_url tts allowed_mentions flags components thread_name applied_tags attachments nonce poll",
);
const GOOGLE = names("text cards cardsV2 thread fallbackText");
const CARD = names(
  "@type @context type summary title text themeColor sections potentialAction correlationId originator hideOriginalBody $schema version body actions msteams fallbackText",
);
/** Returns a payload as a message; undefined if it is none. */
export function messageOf(payload: JsonObject): Message | undefined {
  // Computed once, since a payload may have tens of thousands of members.
  const members = Object.keys(payload);
  const consistsOf = (allowed: ReadonlySet<string>) => members.every((name) => allowed.has(name));
  const has = (name: string) => textOf(ownValue(payload, name)) !== null;
  if (consistsOf(GOOGLE) && (isList(payload.cards) || isList(payload.cardsV2))) return googleMessage(payload);
  if (consistsOf(CARD) && isCard(payload)) return cardMessage(payload);
  if (
    consistsOf(SLACK) &&
    (has("text") || has("markdown") || isList(payload.attachments) || isList(payload.blocks))
  ) {
    return slackMessage(payload);
  }
  if (consistsOf(DISCORD) && (has("content") || isList(payload.embeds))) return discordMessage(payload);
  return officeMessageOf(payload, members) ?? pushMessageOf(payload, members);
}

function isList(value: unknown): boolean {
  return Array.isArray(value) && value.some(isObject);
}

/** Joins the headlines of one message, so that none is lost. */
function joinedHeadline(headlines: readonly string[]): string[] {
  const different = [...new Set(headlines)];
  return different.length > 0 ? [different.join(" · ")] : [];
}

/** Returns the facts of an embed, attachment or card: `name` or `title`, and `value`. */
function factsOf(list: readonly JsonObject[]): [string, string][] {
  return list.flatMap((fact): [string, string][] => {
    const [name] = textIn(fact, "name", "title");
    const value = textOf(ownValue(fact, "value"));
    return name !== undefined && value !== null ? [[name, value]] : [];
  });
}

/** Reads Slack's format, also used by Mattermost, Rocket.Chat, Flock and Webex, and by Teams workflows to wrap a card. */
function slackMessage(payload: JsonObject): Message {
  const attachments = objectsIn(payload, "attachments");
  const cards = attachments.map((one) => objectIn(one, "content")).filter((card) => isList(card.body));
  if (cards[0]) return cardMessage(cards[0]);
  const parts = [...objectsIn(payload, "blocks"), ...attachments.flatMap((one) => objectsIn(one, "blocks"))];
  const header = parts.find(({ type }) => type === "header");
  const [headline] = [
    ...joinedHeadline(attachments.flatMap((one) => textIn(one, "title"))),
    ...textIn(objectIn(header ?? {}, "text"), "text"),
    ...textIn(payload, "summary"),
  ];
  const sections = parts.filter(({ type }) => type === "section");
  const own = attachments.flatMap((one) => textIn(one, "pretext", "text", "description"));
  const texts = [
    ...textIn(payload, "text", "markdown"),
    ...own,
    ...sections.flatMap((part) => textIn(objectIn(part, "text"), "text")),
    ...attachments.flatMap((one) => textIn(one, "footer")),
  ];
  return {
    chat: "Slack",
    headline,
    texts: texts.length > 0 ? texts : attachments.flatMap((one) => textIn(one, "fallback")),
    facts: [
      ...factsOf(attachments.flatMap((one) => objectsIn(one, "fields"))),
      ...sections.flatMap((part) => objectsIn(part, "fields")).flatMap(blockFact),
    ],
    links: attachments.flatMap((one) => [one.title_link, one.url, one.author_link]),
    colour: attachments.map(({ color }) => color).find((color) => color),
    sender: ownValue(payload, "username", "alias") ?? ownValue(objectIn(payload, "sendAs"), "name"),
    at: attachments.map(({ ts }) => ts).find((ts) => ts),
  };
}

/** Reads a field of a block: a line with the name, and the value on the lines below. */
function blockFact(field: JsonObject): [string, string][] {
  const [name = "", ...value] = (textOf(field.text) ?? "").split("\n");
  return value.length > 0 ? [[name, value.join("\n")]] : [];
}

function discordMessage(payload: JsonObject): Message {
  const embeds = objectsIn(payload, "embeds");
  return {
    chat: "Discord",
    headline: joinedHeadline(embeds.flatMap((one) => textIn(one, "title")))[0],
    texts: [
      ...textIn(payload, "content"),
      ...embeds.flatMap((one) => [...textIn(one, "description"), ...textIn(objectIn(one, "footer"), "text")]),
    ],
    facts: factsOf(embeds.flatMap((one) => objectsIn(one, "fields"))),
    links: embeds.map(({ url }) => url),
    colour: embeds.map(({ color }) => color).find((color) => color !== undefined),
    sender: ownValue(payload, "username"),
    at: embeds.map(({ timestamp }) => timestamp).find((at) => at),
  };
}

/** Whether a payload is a Teams card: an adaptive card, or a message card, which some tools send without `@type`. */
function isCard(payload: JsonObject): boolean {
  if (payload["@type"] === "MessageCard") return true;
  if (Object.hasOwn(payload, "title")) return false;
  return payload.type === "AdaptiveCard"
    ? isList(payload.body)
    : isList(payload.sections) && Object.hasOwn(payload, "themeColor");
}

function cardMessage(card: JsonObject): Message {
  if (isList(card.body)) return adaptiveMessage(card);
  const sections = objectsIn(card, "sections");
  const titles = sections.flatMap((one) => textIn(one, "activityTitle"));
  // Uptime Kuma puts a section with its own name before the one whose title repeats the summary.
  const summed = titles.filter((title) => title === card.summary);
  const [headline] = [...textIn(card, "title"), ...summed, ...titles, ...textIn(card, "summary")];
  return {
    chat: "Microsoft Teams",
    headline,
    texts: [
      ...textIn(card, "text"),
      ...sections.flatMap((one) => textIn(one, "activitySubtitle", "activityText", "text")),
    ],
    facts: factsOf(sections.flatMap((one) => objectsIn(one, "facts"))),
    links: objectsIn(card, "potentialAction").flatMap((one) => [
      ...objectsIn(one, "targets").map(({ uri }) => uri),
      ...[one.target].flat(),
    ]),
    colour: card.themeColor,
  };
}

function adaptiveMessage(card: JsonObject): Message {
  const parts = partsOf(card);
  const texts = parts.filter(({ type }) => type === "TextBlock");
  const coloured = texts.find(({ color }) => color)?.color ?? parts.find(({ style }) => style)?.style;
  return {
    chat: "Microsoft Teams",
    headline: texts.flatMap((one) => textIn(one, "text"))[0],
    texts: texts.slice(1).flatMap((one) => textIn(one, "text")),
    facts: factsOf(parts.flatMap((one) => objectsIn(one, "facts"))),
    links: [...objectsIn(card, "actions"), ...parts.flatMap((one) => objectsIn(one, "actions"))].map(
      ({ url }) => url,
    ),
    colour: coloured,
  };
}

/** Returns the parts of a card in reading order, including nested ones. */
function partsOf(card: JsonObject): JsonObject[] {
  const found: JsonObject[] = [];
  let open = objectsIn(card, "body");
  while (open.length > 0 && found.length < MAX_PARTS) {
    const [next, ...rest] = open as [JsonObject, ...JsonObject[]];
    found.push(next);
    open = [...objectsIn(next, "items"), ...objectsIn(next, "columns"), ...rest];
  }
  return found;
}

function googleMessage(payload: JsonObject): Message {
  const cards = [
    ...objectsIn(payload, "cards"),
    ...objectsIn(payload, "cardsV2").map((one) => objectIn(one, "card")),
  ];
  const sections = cards.flatMap((one) => objectsIn(one, "sections"));
  const widgets = sections.flatMap((one) => objectsIn(one, "widgets"));
  const labelled = widgets.flatMap((one) => [objectIn(one, "keyValue"), objectIn(one, "decoratedText")]);
  return {
    chat: "Google Chat",
    headline: cards.flatMap((one) => textIn(objectIn(one, "header"), "title"))[0],
    texts: [
      ...textIn(payload, "text"),
      ...cards.flatMap((one) => textIn(objectIn(one, "header"), "subtitle")),
      ...sections.flatMap((one) => textIn(one, "header")),
      ...widgets.flatMap((one) => textIn(objectIn(one, "textParagraph"), "text")),
    ],
    facts: labelled.flatMap((one): [string, string][] => {
      const [value] = textIn(one, "content", "text");
      return value === undefined ? [] : [[textIn(one, "topLabel")[0] ?? "message", value]];
    }),
    links: labelled.map((one) => objectIn(objectIn(one, "onClick"), "openLink").url),
  };
}
