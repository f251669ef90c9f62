/**
 * `/admin/settings`: what the instance allows applications, and who may register, for administrators (decisions 0082 and 0121).
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { checkFormOfAdministrator, needsAdminViewer } from "../accounts/admin-viewer.ts";
import { frameOf, redirectWith } from "../accounts/browser.ts";
import { changeRegistration } from "../accounts/change-registration.ts";
import { findRegistration } from "../accounts/find-registration.ts";
import { mailIsOn } from "../outbox/send-mail.ts";
import { changedIn, shownIn } from "../platform/form-shown.ts";
import { formText } from "../platform/form-text.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem } from "../platform/problem.ts";
import { adminPage } from "../ui/admin-page.ts";
import { changeSettings } from "./change-settings.ts";
import { type RefusedRegistration, registrationCard } from "./pages-settings-registration.ts";
import { type SettingsForm, settingsMain, type TypedSettings } from "./pages-settings-views.ts";
import { type StoredSettings, SWITCHES } from "./settings.ts";
import { findStoredSettings } from "./store-settings.ts";

const HOME = "/admin/settings";

/** Registers the page of the settings, which have their defaults from the start configuration. 404 for everybody else. */
export function settingsPages(app: FastifyInstance, platform: Platform): void {
  app.get(HOME, async (request, reply) =>
    show(platform, request, reply, formOf(await settingsFor(platform, request, reply))),
  );

  app.post(HOME, async (request, reply) => {
    const { act } = await checkFormOfAdministrator(platform, request, reply, HOME);
    const typed = typedForm(request);
    const shown = shownIn(request);
    try {
      const change = storedOf(changedIn(typed, shown));
      await changeSettings(platform.db, change, act);
    } catch (error) {
      if (!(error instanceof FieldProblem)) throw error;
      return show(platform, request, reply, { typed, shown, faults: error.fields });
    }
    return redirectWith(platform, request, reply, HOME, {
      kind: "ok",
      text: "Settings saved.",
    });
  });
  app.post(`${HOME}/registration`, async (request, reply) => saveRegistration(platform, request, reply));
}

async function saveRegistration(platform: Platform, request: FastifyRequest, reply: FastifyReply) {
  const { act } = await checkFormOfAdministrator(platform, request, reply, `${HOME}#registration-card`);
  const typed = {
    registration: formText(request, "registration"),
    domains: formText(request, "registration_domains").slice(0, 5000),
  };
  const shown = shownIn(request);
  try {
    await changeRegistration(platform, changedIn(typed, shown), act);
  } catch (error) {
    if (!(error instanceof FieldProblem)) throw error;
    const stored = formOf(await settingsFor(platform, request, reply));
    return show(platform, request, reply, stored, { typed, shown, faults: error.fields });
  }
  const text = "Registration saved. It counts now.";
  return redirectWith(platform, request, reply, HOME, { kind: "ok", text });
}

async function settingsFor(platform: Platform, request: FastifyRequest, reply: FastifyReply) {
  await needsAdminViewer(platform, request, reply);
  return findStoredSettings(platform.db);
}

async function show(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  form: SettingsForm,
  refused?: RefusedRegistration,
): Promise<FastifyReply> {
  const browser = await needsAdminViewer(platform, request, reply);
  const failed = form.faults !== undefined || refused !== undefined;
  const now = await findRegistration(platform);
  const { csrfToken } = browser;
  const registration = registrationCard(csrfToken, now, mailIsOn(platform.config), refused);
  const main = settingsMain(csrfToken, platform.config.securityProfile, form, registration);
  const page = adminPage(frameOf(browser), { title: "Settings", current: "settings", main, failed });
  return sendPage(reply, page, { failed });
}

function formOf(stored: StoredSettings): SettingsForm {
  const switches = SWITCHES.map((name) => [name, stored[name] === null ? "" : stored[name] ? "on" : "off"]);
  const typed = {
    ...Object.fromEntries(switches),
    codeSeconds: String(stored.codeSeconds ?? ""),
  } as TypedSettings;
  return { typed, shown: typed };
}

function typedForm(request: FastifyRequest): TypedSettings {
  const typed = SWITCHES.map((name) => [name, formText(request, name)]);
  return {
    ...Object.fromEntries(typed),
    codeSeconds: formText(request, "codeSeconds").trim().slice(0, 20),
  } as TypedSettings;
}

function storedOf({ codeSeconds, ...switches }: Partial<TypedSettings>): Partial<StoredSettings> {
  const read = (word: string) => (word === "on" ? true : word === "off" ? false : null);
  return {
    ...Object.fromEntries(Object.entries(switches).map(([name, word]) => [name, read(word)])),
    ...(codeSeconds !== undefined && { codeSeconds: codeSeconds === "" ? null : Number(codeSeconds) }),
  };
}
