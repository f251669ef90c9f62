/** `…/-/silences`: the list of silences, and the pages that create, preview, change and end one (decision 0096). */
import type { FastifyReply, FastifyRequest } from "fastify";
import { redirectWith } from "../accounts/browser.ts";
import { changedIn, type Shown, shownIn } from "../platform/form-shown.ts";
import { formList, formText } from "../platform/form-text.ts";
import { numberIn } from "../platform/number-in.ts";
import { listQuery, queryPage } from "../platform/page-query.ts";
import { rowsOf } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem } from "../platform/problem.ts";
import type { PagePlace, ProjectPages } from "../projects/page-route.ts";
import { isAtLeast } from "../projects/role.ts";
import { linkButton } from "../ui/button.ts";
import { pageHead, stack } from "../ui/card.ts";
import { html } from "../ui/html.ts";
import { matcherLines, readMatcherLines } from "./matcher-lines.ts";
import { queryMember, sendProjectPage, type Visit, visit } from "./pages-frame.ts";
import { refusalOf } from "./pages-kept.ts";
import { nothingNew } from "./pages-nothing-new.ts";
import { operationsTabs } from "./pages-operations-tabs.ts";
import {
  endButton,
  LENGTHS,
  SILENCES_A_PAGE,
  type SilenceFaults,
  type SilenceForm,
  silenceForm,
  silenceTable,
  stateBadge,
} from "./pages-silences-view.ts";
import { previewSilence } from "./preview-silence.ts";
import { reportedTime } from "./reported-time.ts";
import { type GivenSilence, saveSilence, silenceOf, stopSilence } from "./save-silence.ts";
import { type Recurrence, recurrenceOf, type Silence, type SilenceFields } from "./silence.ts";
import { findAlert, findNow } from "./store.ts";
import { countSilences, listSilences } from "./store-silences.ts";

const PATH = "/-/silences";
const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];

export function silencePages(pages: ProjectPages, platform: Platform): void {
  const visiting = (request: FastifyRequest, reply: FastifyReply, place: PagePlace) =>
    visit(platform, request, reply, place, "developer");
  const one = async (request: FastifyRequest, reply: FastifyReply, place: PagePlace) => {
    const visited = await visiting(request, reply, place);
    const id = numberIn(place.params.silence_id);
    return { visited, silence: await silenceOf(platform.db, visited.project.id, id) };
  };
  pages.get(PATH, async (request, reply, place) => showList(await visiting(request, reply, place)));
  pages.get(`${PATH}/new`, async (request, reply, place) => showNew(await visiting(request, reply, place)));
  pages.post(PATH, async (request, reply, place) => answer(await visiting(request, reply, place)));
  pages.get(`${PATH}/:silence_id`, async (request, reply, place) => {
    const { visited, silence } = await one(request, reply, place);
    return show(visited, filled(silence), silence);
  });
  pages.post(`${PATH}/:silence_id`, async (request, reply, place) => {
    const { visited, silence } = await one(request, reply, place);
    if (formText(request, "action") !== "end") return answer(visited, silence);
    await stopSilence(platform, visited.act, visited.project, silence.id);
    return redirectWith(platform, request, reply, `${visited.home}${PATH}${listQuery(request)}`, {
      kind: "ok",
      text: "The silence is over. Alerts that are still open will be notified in a few seconds.",
    });
  });
}

async function showList(visited: Visit): Promise<FastifyReply> {
  const { platform, project, home, browser } = visited;
  const page = queryPage(visited.request);
  const query = listQuery(visited.request);
  const range = rowsOf({ page, perPage: SILENCES_A_PAGE });
  const [silences, { total }] = await Promise.all([
    listSilences(platform.db, project.id, range),
    countSilences(platform.db, project.id),
  ]);
  const head = pageHead({
    heading: "Silences",
    lead: "Alerts that are kept and counted, but open no incident and notify nobody.",
    actions: [
      browser.csrfToken !== undefined &&
        linkButton("New silence", `${home}${PATH}/new`, { tone: "primary", icon: "plus" }),
    ],
  });
  return sendProjectPage(visited, {
    title: "Silences",
    current: "operations",
    crumbs: [{ label: "Operations", href: `${home}/-/settings/operations` }, { label: "Silences" }],
    main: html`${head}${operationsTabs(home, "silences", isAtLeast(project.access, "maintainer"))}${stack([silenceTable({ home, silences, page, query, total, csrfToken: browser.csrfToken })])}`,
  });
}

/** Sends the form of a new silence; `?alert=` fills in conditions that match that alert. */
async function showNew(visited: Visit): Promise<FastifyReply> {
  const all = { label: "Silences", path: PATH };
  const readOnly = nothingNew(visited, { title: "New silence", current: "operations", all });
  if (readOnly) return readOnly;
  const iid = numberIn(queryMember(visited.request, "alert"));
  const alert = iid === undefined ? undefined : await findAlert(visited.platform.db, visited.project.id, iid);
  const lines = [
    alert && `title = ${alert.title}`,
    alert?.service && `service = ${alert.service}`,
    alert?.environmentName && `environment = ${alert.environmentName}`,
  ];
  return show(visited, {
    matchers: lines.filter(Boolean).join("\n"),
    comment: "",
    starts: "",
    lasts: "2",
    ends: "",
    days: [],
    from: "",
    to: "",
    zone: "",
  });
}

interface Refused {
  faults?: SilenceFaults;
  preview?: Awaited<ReturnType<typeof previewSilence>>;
  message?: string;
  shown?: Shown;
}

async function show(
  visited: Visit,
  form: SilenceForm,
  silence?: Silence,
  refused: Refused = {},
): Promise<FastifyReply> {
  const { home, browser } = visited;
  const title = silence ? silence.comment : "New silence";
  const head = pageHead({
    heading: title,
    ...(silence ? { above: html`${stateBadge(silence)}` } : {}),
    actions: [
      silence && !silence.isOver && endButton(`${home}${PATH}/${silence.id}`, silence, browser.csrfToken),
    ],
  });
  const failed = refused.faults !== undefined || refused.message !== undefined;
  const body = silenceForm({
    home,
    action: silence ? `${home}${PATH}/${silence.id}` : `${home}${PATH}`,
    form,
    shown: refused.shown ?? { ...form },
    faults: refused.faults ?? {},
    preview: refused.preview,
    csrfToken: silence?.isOver ? undefined : browser.csrfToken,
    isNew: silence === undefined,
  });
  return sendProjectPage(visited, {
    title,
    current: "operations",
    crumbs: [
      { label: "Operations", href: `${home}/-/settings/operations` },
      { label: "Silences", href: `${home}${PATH}` },
      { label: title.slice(0, 60) },
    ],
    main: html`${head}${stack([body])}`,
    messages: refused.message ? [{ kind: "bad", text: refused.message }] : [],
    failed,
    status: failed ? 422 : 200,
  });
}

async function answer(visited: Visit, silence?: Silence): Promise<FastifyReply> {
  const { platform, request, reply, project, home } = visited;
  const form = typed(request);
  const shown = shownIn(request);
  try {
    const { matchers, fault } = readMatcherLines(form.matchers);
    if (formText(request, "action") === "preview") {
      if (fault) throw new FieldProblem({ matchers: [fault] });
      const preview = await previewSilence(platform.db.pooled, project.id, matchers);
      return await show(visited, form, silence, { preview, shown });
    }
    const now = await findNow(platform.db);
    const changed = changedIn(form, shown);
    const given = (before?: Silence): GivenSilence => {
      const stands = before ? { ...filled(before), ...changed } : form;
      const { faults, ...times } = timesOf(stands, now, !before);
      return {
        ...times,
        matchers,
        comment: stands.comment.trim(),
        ...(before && kept(before, changed)),
        faults: fault ? { ...faults, matchers: [fault] } : faults,
      };
    };
    await saveSilence(platform, visited.act, project, given, silence?.id);
    return await redirectWith(platform, request, reply, `${home}${PATH}`, {
      kind: "ok",
      text: silence ? "Saved." : "The silence was added.",
    });
  } catch (error) {
    return show(visited, form, silence, { ...refusalOf(error), shown });
  }
}

/** Returns the stored values of unchanged fields, which the form may show with less precision. */
function kept(
  { matchers, startsAt, endsAt }: Silence,
  changed: Partial<SilenceForm>,
): Partial<SilenceFields> {
  return {
    ...(changed.matchers === undefined && { matchers }),
    ...(changed.starts === undefined && { startsAt }),
    ...(changed.ends === undefined && changed.lasts === undefined && { endsAt }),
  };
}

function typed(request: FastifyRequest): SilenceForm {
  return {
    matchers: formText(request, "matchers"),
    comment: formText(request, "comment"),
    starts: formText(request, "starts_at"),
    lasts: formText(request, "lasts"),
    ends: formText(request, "ends_at"),
    days: formList(request, "days"),
    from: formText(request, "from"),
    to: formText(request, "to"),
    zone: formText(request, "zone"),
  };
}

/**
 * Returns start, end and recurrence, and the errors of times that cannot be read. In a new silence a typed end takes precedence over
 * the length; in an existing one, whose end is filled in already, a chosen length does.
 */
function timesOf(form: SilenceForm, now: Date, isNew: boolean) {
  const faults: Record<string, string[]> = {};
  const timeOf = (field: string, typed: string): Date | null => {
    if (typed.trim() === "") return null;
    const at = reportedTime(typed);
    if (!at) faults[field] = ["is not a time such as 2026-01-31 22:00"];
    return at ?? null;
  };
  const startsAt = timeOf("starts_at", form.starts);
  const isTyped = isNew && form.ends.trim() !== "";
  const hours = isTyped ? undefined : LENGTHS.find(({ value }) => value !== "" && value === form.lasts);
  const endsAt = hours
    ? new Date((startsAt ?? now).getTime() + Number(hours.value) * 3_600_000)
    : timeOf("ends_at", form.ends);
  return { startsAt, endsAt, recurrence: recurrenceIn(form), faults };
}

/** Returns the typed windows; without a weekday they begin on every day, as the form says. Null: it does not recur. */
function recurrenceIn({ days, from, to, zone }: SilenceForm): Recurrence | null {
  if (days.length > 0) return { days: days.map(Number), from, to, zone };
  return [from, to, zone].some((typed) => typed.trim() !== "") ? { days: EVERY_DAY, from, to, zone } : null;
}

function filled(silence: Silence): SilenceForm {
  const recurs = recurrenceOf(silence);
  const words = (at: Date | null) => at?.toISOString().slice(0, 19).replace("T", " ") ?? "";
  return {
    matchers: matcherLines(silence.matchers),
    comment: silence.comment,
    starts: words(silence.startsAt),
    lasts: "",
    ends: words(silence.endsAt),
    days: (recurs?.days ?? []).map(String).sort(),
    from: recurs?.from ?? "",
    to: recurs?.to ?? "",
    zone: recurs?.zone ?? "",
  };
}
