/** Changes who may register, unless the environment sets it. */
import { mailIsOn } from "../outbox/send-mail.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem } from "../platform/problem.ts";
import type { Act } from "./audit.ts";
import { holdActor } from "./hold-actor.ts";
import { recordAudit } from "./record-audit.ts";
import { REGISTRATIONS, readDomains, registrationNow } from "./registration.ts";
import { deleteSignUps, lockRegistration, updateRegistration } from "./store-registration.ts";

const MAX_DOMAINS = 100;

/**
 * Takes effect at once; fields that are not named stay. Ends links of sign-ups if registration is no longer open. Recorded in the
 * audit log.
 * @throws FieldProblem registration: not a choice, open without mail, or not the one of the environment; registration_domains;
 * Problem as `holdActor`
 */
export async function changeRegistration(
  { db, config }: Pick<Platform, "db" | "config">,
  change: { registration?: string; domains?: string },
  act: Act,
): Promise<void> {
  const { isModeLocked, areDomainsLocked } = registrationNow(
    { registration: null, registrationDomains: [] },
    config,
  );
  if (isModeLocked && change.registration !== undefined && change.registration !== config.registration)
    throw new FieldProblem({ registration: ["is set by GATEHOUSE_REGISTRATION"] });
  const registration = REGISTRATIONS.find((known) => known === change.registration);
  const read = readDomains(change.domains ?? "");
  const faults: Record<string, string[]> = {};
  if (change.registration !== undefined && !registration) faults.registration = ["is not one of the choices"];
  else if (registration === "open" && !mailIsOn(config)) {
    faults.registration = ["needs mail: set GATEHOUSE_SMTP_URL and GATEHOUSE_MAIL_FROM"];
  }
  if ("wrong" in read) {
    faults.registration_domains = [`must list domains such as example.org, and ${read.wrong} is none`];
  } else if (read.domains.length > MAX_DOMAINS) {
    faults.registration_domains = [`are at most ${MAX_DOMAINS}`];
  }
  if ("wrong" in read || Object.keys(faults).length > 0) throw new FieldProblem(faults);
  await db.transaction(async (tx) => {
    await holdActor(tx, act);
    const before = await lockRegistration(tx);
    const keepsDomains = areDomainsLocked || change.domains === undefined;
    const after = {
      registration: isModeLocked ? before.registration : (registration ?? before.registration),
      registrationDomains: keepsDomains ? before.registrationDomains : read.domains,
    };
    const [was, domains] = [before, after].map((one) => one.registrationDomains.join(", "));
    if (before.registration === after.registration && was === domains) return;
    await updateRegistration(tx, after);
    if ((config.registration ?? after.registration) !== "open") await deleteSignUps(tx);
    const details = {
      registration: after.registration ?? "default",
      domains: domains?.slice(0, 500) || "all",
    };
    await recordAudit(tx, { ...act, action: "settings_changed", userId: null, details });
  });
}
