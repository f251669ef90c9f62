/** Looks, before anything is written, whether the address leads to a server that the service can work with. */
import pg from "pg";

/**
 * @throws Error saying what to change: a standby, or a pooler that hands its sessions from one connection to another
 */
export async function checkServer(connection: pg.ClientConfig): Promise<void> {
  const clients = [newClient(connection), newClient(connection)] as const;
  const [one, two] = clients;
  try {
    await one.connect();
    await two.connect();
    const first = await look(one);
    if (first.isStandby) {
      throw new Error(
        "the server at DATABASE_URL is a standby, which takes no writes: let the address lead to the primary, or promote it",
      );
    }
    // Whoever keeps sessions gives two connections two of them, and leaves them their own.
    const second = await look(two);
    const again = await look(one);
    if (second.session === first.session || again.session !== first.session) {
      throw new Error(
        "the pooler at DATABASE_URL hands its sessions from one connection to another: let it keep them (PgBouncer: pool_mode = session), or go to PostgreSQL itself",
      );
    }
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => {})));
  }
}

function newClient(connection: pg.ClientConfig): pg.Client {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 10_000 });
  client.on("error", () => {});
  return client;
}

async function look(client: pg.Client): Promise<{ session: number; isStandby: boolean }> {
  const { rows } = await client.query<{ session: number; is_standby: boolean }>(
    "select pg_backend_pid() as session, pg_is_in_recovery() as is_standby",
  );
  return { session: Number(rows[0]?.session), isStandby: rows[0]?.is_standby === true };
}
