/** Fills an installation with the demo: people, projects, two years of events, and alerts in every state. */

import { createToken } from "../accounts/create-token.ts";
import { alertBot } from "../alerts/alert-bot.ts";
import { recordEvents } from "../events/record.ts";
import { WRITE_API } from "../events/target.ts";
import { NO_KEYS } from "../oauth/public-keys.ts";
import { registerApplication } from "../oauth/register-application.ts";
import type { Db, Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { APPLICATION, MAIL_DOMAIN, PEOPLE } from "./cast.ts";
import { historyOf } from "./history.ts";
import { openSources, playAlerts, type Source } from "./play-alerts.ts";
import { createRandom } from "./random.ts";
import { type SettledCast, settleCast } from "./settle-cast.ts";
import {
  countFigures,
  type DemoFigures,
  findBelongings,
  findNow,
  lockDemo,
  updateArrivals,
  updateBeginnings,
  updateLastActivity,
} from "./store.ts";
import { withinTransaction } from "./within-transaction.ts";
import { arrivalOf, DAY } from "./working-time.ts";

/** What was created, with secrets that are not shown again. */
export interface SeededDemo extends DemoFigures {
  cast: SettledCast;
  sources: readonly Source[];
  application: { uid: string; secret: string };
  /** A personal access token of the first person, with scope api. */
  token: string;
}

/** Two years, less a margin before the events slice begins to delete old events. */
const DAYS_OF_HISTORY = 728;
/** An arbitrary number: the same one gives the same demo. */
const SEED = 20_26;
const BATCH = 1_000;

/**
 * Creates the demo in one transaction (decision 0060). Its content is the same at every run; times are relative to now.
 * @throws Problem conflict: the demo exists already, or one of its names is taken
 */
export async function seedDemo(platform: Platform & { db: Db }): Promise<SeededDemo> {
  // Before the transaction, which would fail if a starting service created the bot at the same time.
  await alertBot(platform);
  return platform.db.transaction(async (tx) => {
    await lockDemo(tx);
    const before = await findBelongings(tx);
    if (before.userIds.length > 0) {
      const remedy = "Remove it first with: gatehouse seed --remove";
      throw new Problem("conflict", `The demo exists already (users of ${MAIL_DOMAIN}). ${remedy}`);
    }
    const inside = withinTransaction(platform, tx);
    const now = await findNow(tx);
    const cast = await settleCast(inside);
    const application = await registerSample(tx, cast);
    const sources = await openSources(inside, cast);
    const from = new Date(now.getTime() - DAYS_OF_HISTORY * DAY);
    const projectIds = cast.projects.map(({ id }) => id);
    await updateBeginnings(tx, from, { groupIds: cast.groups.map(({ id }) => id), projectIds });
    await updateArrivals(
      tx,
      cast.people.map(({ id }) => id),
      PEOPLE.map((actor) => new Date(arrivalOf(actor, from.getTime()))),
    );
    await recordHistory(tx, cast, from, now);
    await playAlerts(inside, cast, sources, createRandom(SEED), now);
    await updateLastActivity(tx, projectIds);
    const { secret: token } = await createToken(tx, cast.idOf("maya"), {
      name: "Demo",
      description: "Made together with the demo",
      scopes: ["api"],
      expiresOn: null,
    });
    return { cast, sources, application, token, ...(await countFigures(tx, projectIds)) };
  });
}

function registerSample(tx: Queries, cast: SettledCast): Promise<{ uid: string; secret: string }> {
  return registerApplication(tx, cast.idOf(APPLICATION.owner), {
    name: APPLICATION.name,
    redirectUris: [APPLICATION.redirectUri],
    postLogoutRedirectUris: [],
    backchannelLogoutUri: "",
    backchannelLogoutSessionRequired: false,
    accessTokenSeconds: null,
    refreshIdleSeconds: null,
    refreshAbsoluteSeconds: null,
    ...NO_KEYS,
    scopes: APPLICATION.scopes,
    grantTypes: ["authorization_code", "refresh_token", "password"],
    confidential: true,
    omitIss: false,
    requirePushed: false,
    idTokenAlgorithm: "RS256",
    boundTokensOnly: false,
    homePage: APPLICATION.homePage,
  });
}

async function recordHistory(tx: Queries, cast: SettledCast, from: Date, until: Date): Promise<void> {
  const period = { from: from.getTime(), until: until.getTime() };
  for (const [index, project] of cast.projects.entries()) {
    const events = historyOf(project, project.ownerId, cast.idOf, createRandom(SEED + index), period);
    for (let start = 0; start < events.length; start += BATCH) {
      await recordEvents(tx, events.slice(start, start + BATCH), WRITE_API);
    }
  }
}
