/** A world that sends mail, and a way to wait for a mail to an address. */
import assert from "node:assert/strict";
import { deliverDue } from "../../src/outbox/deliver-due.ts";
import { type ReceivedMail, startMailServer } from "./receivers.ts";
import { startWorld, type World } from "./world.ts";

export interface PostOffice {
  world: World;
  mails: ReceivedMail[];
  /** Sends waiting mail and returns the newest to this address, once there is one; it is removed. */
  mailTo(address: string): Promise<ReceivedMail>;
  /** Sends waiting mail; resolves when nothing new has arrived for a while. */
  settle(): Promise<void>;
}

export async function worldWithMail(environment: Readonly<Record<string, string>> = {}): Promise<PostOffice> {
  const server = await startMailServer();
  const world = await startWorld({
    GATEHOUSE_SMTP_URL: server.url,
    GATEHOUSE_MAIL_FROM: "Gatehouse <gatehouse@example.org>",
    ...environment,
  });
  const { mails } = server;
  const pause = () => new Promise((done) => setTimeout(done, 20));
  return {
    world,
    mails,
    mailTo: async (address) => {
      for (let look = 0; look < 2000; look++) {
        await deliverDue(world.platform);
        const index = mails.findLastIndex(({ to }) => to.includes(address));
        const [found] = index < 0 ? [] : mails.splice(index, 1);
        if (found) return found;
        await pause();
      }
      return assert.fail(`no mail to ${address}`);
    },
    settle: async () => {
      for (let look = 0; look < 10; look++) {
        await deliverDue(world.platform);
        await pause();
      }
    },
  };
}

/** The path of the first link in a mail. */
export function linkIn({ text }: ReceivedMail, world: World): string {
  const link = /https?:\/\/\S+\?\S+|https?:\/\/\S+\/g[a-z]{2}_\S+/.exec(text)?.[0] ?? "";
  assert.equal(URL.parse(link)?.origin, world.platform.config.publicUrl, text);
  return link.slice(world.platform.config.publicUrl.length);
}
