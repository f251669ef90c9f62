/** Collects what people do in one project; numbers are assigned at the end, in order of time. */
import type { Action, NewEvent, NoteableType, PushData, TargetType } from "../events/event.ts";
import type { Actor } from "./cast.ts";

/** An issue, merge request, milestone or snippet; its number is assigned by `close`. */
export interface Thing {
  type: "Issue" | "MergeRequest" | "Milestone" | "Snippet";
  title: string;
  number: number;
  confidential: boolean;
}

export interface Comment {
  kind: "Note" | "DiscussionNote" | "DiffNote";
  body: string;
  on: Thing | { commitId: string; title: string };
}

/** Times are milliseconds since 1970. */
export interface Chronicle {
  make(actor: Actor, at: number, type: Thing["type"], title: string, confidential?: boolean): Thing;
  act(actor: Actor, at: number, action: Action, thing: Thing): void;
  comment(actor: Actor, at: number, comment: Comment): void;
  /** `ref` is called once numbers are assigned, because branches are named after them. */
  push(
    actor: Actor,
    at: number,
    data: Partial<PushData> & { commitTo: string | null },
    ref: () => string,
  ): void;
  wiki(actor: Actor, at: number, action: "created" | "updated", page: readonly [string, string]): void;
  /** Assigns the numbers and returns the events before `until`, oldest first. */
  close(until: number): NewEvent[];
}

interface Draft {
  actor: Actor;
  at: number;
  action: Action;
  /** The thing that this event creates. */
  makes?: Thing;
  rest(): Partial<NewEvent>;
}

/** Begins the chronicle of a project. */
export function beginChronicle(projectId: number, idOf: (actor: Actor) => number): Chronicle {
  const drafts: Draft[] = [];
  const write = (actor: Actor, at: number, action: Action, rest: Draft["rest"], makes?: Thing) =>
    void drafts.push(makes ? { actor, at, action, rest, makes } : { actor, at, action, rest });
  const about = (thing: Thing) => (): Partial<NewEvent> => ({
    targetType: thing.type,
    targetIid: thing.number,
    title: thing.title,
    confidential: thing.confidential,
  });
  return {
    make(actor, at, type, title, confidential = false) {
      const thing: Thing = { type, title, number: 0, confidential };
      write(actor, at, "created", about(thing), thing);
      return thing;
    },
    act: (actor, at, action, thing) => write(actor, at, action, about(thing)),
    comment: (actor, at, comment) => write(actor, at, "commented", () => commentOn(comment)),
    push: (actor, at, data, ref) => write(actor, at, "pushed", () => ({ push: pushOf(data, ref()) })),
    wiki: (actor, at, action, [slug, title]) =>
      write(actor, at, action, () => ({
        targetType: "WikiPage::Meta",
        title,
        wikiPage: { slug, title, format: "markdown" },
      })),
    close(until) {
      const past = drafts.filter(({ at }) => at < until).sort((a, b) => a.at - b.at);
      const made = new Map<TargetType, number>();
      for (const { makes } of past) {
        if (!makes) continue;
        makes.number = (made.get(makes.type) ?? 0) + 1;
        made.set(makes.type, makes.number);
      }
      return past.map(({ actor, at, action, rest }) => ({
        projectId,
        authorId: idOf(actor),
        action,
        createdAt: new Date(at),
        ...rest(),
      }));
    },
  };
}

function pushOf(data: Partial<PushData>, ref: string): PushData {
  return {
    commitCount: 1,
    action: "pushed",
    refType: "branch",
    commitFrom: null,
    commitTo: null,
    commitTitle: null,
    refCount: null,
    ...data,
    ref,
  };
}

function commentOn({ kind, body, on }: Comment): Partial<NewEvent> {
  const isThing = "number" in on;
  return {
    targetType: kind,
    title: on.title,
    ...(isThing ? { confidential: on.confidential } : {}),
    note: {
      type: kind === "Note" ? null : kind,
      body,
      attachment: null,
      system: false,
      internal: false,
      noteableType: isThing ? (on.type as NoteableType) : "Commit",
      noteableIid: isThing ? on.number : null,
      noteableId: null,
      commitId: isThing ? null : on.commitId,
    },
  };
}
