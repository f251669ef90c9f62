/** Reads messages for DingTalk, WeCom, Feishu (Lark), Grafana OnCall, Stackfield, AlertNow and the bots of Telegram, Signal and QQ, and Monika's. */
import { isObject, type JsonObject } from "../../platform/json-object.ts";
import { MAX_PARTS, type Message, names, objectsIn, stringIn } from "./chat-message.ts";
import { objectIn, textOf } from "./member.ts";

const DINGTALK = names(
  "msgtype text markdown markdown_v2 link actionCard at isAtAll msgUuid chatid agentid touser toparty totag safe",
);
const FEISHU = names("msg_type content card timestamp sign receive_id uuid");
const TELEGRAM = names(
  "chat_id text parse_mode disable_web_page_preview disable_notification message_thread_id link_preview_options protect_content",
);
const SIGNAL = names("message number recipients text_mode base64_attachments");
const ONEBOT = names("message message_type group_id user_id auto_escape");
const MONIKA = names("type alert url time monika");
const ONCALL_MARKS = ["image_url", "link_to_upstream_details"];
const ONCALL = names(`title message state ${ONCALL_MARKS.join(" ")}`);
const STACKFIELD = names("Title");
const ALERTNOW = names("summary status event_type event_id");

/** Returns a payload as a message; undefined if it is none of these. */
export function officeMessageOf(payload: JsonObject, members: readonly string[]): Message | undefined {
  const isOf = (allowed: ReadonlySet<string>, ...marks: string[]) =>
    marks.every((name) => Object.hasOwn(payload, name)) && members.every((name) => allowed.has(name));
  if (isOf(DINGTALK, "msgtype")) return dingtalkMessage(payload);
  if (isOf(FEISHU, "msg_type")) return feishuMessage(payload);
  if (isOf(TELEGRAM, "chat_id", "text")) return plainMessage("Telegram", payload.text);
  if (isOf(SIGNAL, "message", "number", "recipients")) return plainMessage("Signal", payload.message);
  if (isOf(ONEBOT, "message", "message_type")) return plainMessage("OneBot", payload.message);
  if (isOf(MONIKA, "type", "alert", "monika")) return monikaMessage(payload);
  if (isOf(STACKFIELD, "Title")) return stackfieldMessage(payload.Title);
  if (isOf(ALERTNOW, ...ALERTNOW)) return alertNowMessage(payload);
  return isOf(ONCALL, "title", "message", "state") ? oncallMessage(payload) : undefined;
}

/** Reads a Grafana OnCall payload without `alert_uid`, as Uptime Kuma sends it; its title may have a state, too. */
function oncallMessage(payload: JsonObject): Message | undefined {
  const { state } = payload;
  if (state !== "ok" && state !== "alerting") return undefined;
  return {
    chat: "Grafana OnCall",
    headline: stringIn(payload, "title"),
    texts: [stringIn(payload, "message") ?? ""],
    facts: [],
    links: [payload.link_to_upstream_details],
    isOver: state === "ok",
    hasCommonNames: !ONCALL_MARKS.some((name) => Object.hasOwn(payload, name)),
  };
}

/** Reads a message for Stackfield, whose only member holds all lines; the first one often names only the sender. */
function stackfieldMessage(text: unknown): Message | undefined {
  if (typeof text !== "string") return undefined;
  return { chat: "Stackfield", texts: text.split("\n", MAX_PARTS), facts: [], links: [] };
}

/** The sentence with which Uptime Kuma begins a summary, and the address at its end. */
const KUMA_SUMMARY = /^\[[^\]]{0,200}\] \S{1,8} Application (?:went down|is back online) - | >> https?:\S+$/g;

/** Reads an event of AlertNow. Uptime Kuma's ids differ between a problem and its end, so those are known by their text. */
function alertNowMessage({ summary, status, event_id }: JsonObject): Message | undefined {
  if (typeof summary !== "string" || (status !== "open" && status !== "close")) return undefined;
  const headline = summary.replace(KUMA_SUMMARY, "");
  return {
    chat: "AlertNow",
    headline,
    texts: [],
    facts: headline === summary ? [["Event ID", textOf(event_id) ?? ""]] : [],
    links: [],
    isOver: status === "close",
  };
}

/** Reads Monika's webhook, which has as members what its chat messages have as lines. */
function monikaMessage({ type, alert, url, time }: JsonObject): Message | undefined {
  if (type !== "incident" && type !== "recovery") return undefined;
  const word = type === "incident" ? "Incident" : "Recovery";
  return {
    chat: "Monika",
    headline: `New ${word} from Monika`,
    texts: [textOf(alert) ?? ""],
    facts: [["URL", textOf(url) ?? ""]],
    links: [],
    at: time,
  };
}

function plainMessage(chat: string, text: unknown): Message | undefined {
  return typeof text === "string" ? { chat, texts: [text], facts: [], links: [] } : undefined;
}

/** Reads a message whose text is in the member that `msgtype` names, as `text` or `content`; WeCom has only `content`. */
function dingtalkMessage(payload: JsonObject): Message | undefined {
  const kind = textOf(payload.msgtype) ?? "";
  const said = objectIn(payload, kind);
  const text = stringIn(said, "text") ?? stringIn(said, "content");
  if (text === undefined) return undefined;
  return {
    chat: Object.hasOwn(said, "content") && kind !== "text" ? "WeCom" : "DingTalk",
    headline: stringIn(said, "title"),
    texts: [text],
    facts: [],
    links: [said.messageUrl, said.singleURL],
  };
}

function feishuMessage(payload: JsonObject): Message | undefined {
  const content = objectIn(payload, "content");
  const text = stringIn(content, "text");
  const [post] = Object.values(objectIn(content, "post")).filter(isObject);
  const header = objectIn(objectIn(payload, "card"), "header");
  const told = post ? [postText(post)] : text === undefined ? cardTexts(objectIn(payload, "card")) : [text];
  const headline = post ? stringIn(post, "title") : stringIn(objectIn(header, "title"), "content");
  if (headline === undefined && told.length === 0) return undefined;
  return { chat: "Feishu", headline, texts: told, facts: [], links: [], colour: header.template };
}

/** Joins the lines of a post, each of which has several parts. */
function postText(post: JsonObject): string {
  const lines = Array.isArray(post.content) ? post.content.filter(Array.isArray).slice(0, MAX_PARTS) : [];
  return lines
    .map((line: unknown[]) =>
      line
        .filter(isObject)
        .slice(0, MAX_PARTS)
        .map((part) => stringIn(part, "text") ?? "")
        .join(""),
    )
    .join("\n");
}

/** Returns the texts of a card's elements: their own content, their `text`, and their fields. */
function cardTexts(card: JsonObject): string[] {
  const elements = objectsIn(card, "elements");
  return [...elements, ...elements.flatMap((one) => objectsIn(one, "fields"))].flatMap((one) => {
    const said = stringIn(one, "content") ?? stringIn(objectIn(one, "text"), "content");
    return said === undefined ? [] : [said];
  });
}
