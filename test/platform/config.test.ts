/** The configuration and its errors. */
import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ConfigError, readConfig } from "../../src/platform/config.ts";

const faultsOf = (environment: Record<string, string>) => {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.faults;
  }
};

test("an empty environment serves on loopback with the embedded database (contract §1)", () => {
  const config = readConfig({});
  assert.equal(config.host, "127.0.0.1");
  assert.equal(config.port, 3000);
  assert.equal(config.publicUrl, "http://localhost:3000");
  assert.equal(config.databaseUrl, undefined);
  assert.equal(config.secure, false);
});

test("localhost is one address to listen on: of two servers only one would finish its requests at a stop (reference reliability F8)", () => {
  assert.equal(readConfig({ HOST: "localhost" }).host, "127.0.0.1");
  assert.equal(readConfig({ HOST: "::1" }).host, "::1");
});

test("the public URL follows the port (contract §1)", () => {
  assert.equal(readConfig({ PORT: "4123" }).publicUrl, "http://localhost:4123");
});

test("all errors are reported at once, with the names of the variables (contract §1)", () => {
  const faults = faultsOf({
    PORT: "http",
    DATABASE_URL: "mysql://x",
    GATEHOUSE_PUBLIC_URL: "gatehouse.example.org",
    GATEHOUSE_WORKERS: "0",
    GATEHOUSE_MASTER_KEY: "short",
    GATEHOUSE_ADMIN_USERNAME: "ada",
  });
  for (const name of ["PORT", "DATABASE_URL", "PUBLIC_URL", "WORKERS", "MASTER_KEY", "ADMIN_USERNAME"]) {
    assert.ok(
      faults.some((fault) => fault.includes(name)),
      `${name} in ${faults.join(" | ")}`,
    );
  }
});

test("errors in combinations of variables are reported together with errors in single ones (contract §1)", () => {
  const faults = faultsOf({
    PORT: "http",
    GATEHOUSE_PUBLIC_URL: "http://gatehouse.example.org",
    GATEHOUSE_REGISTRATION: "open",
  });
  assert.equal(faults.length, 3, faults.join(" | "));
  for (const name of ["PORT", "PUBLIC_URL", "REGISTRATION"]) {
    assert.ok(faults.some((fault) => fault.startsWith(name) || fault.startsWith(`GATEHOUSE_${name}`)));
  }
  assert.deepEqual(
    faultsOf({ PORT: "http", GATEHOUSE_SMTP_URL: "ftp://x", GATEHOUSE_MAIL_FROM: "a@b" }).length,
    2,
  );
});

test("a database URL that the driver cannot parse is an error, without the password in it (contract §1)", () => {
  for (const good of [
    "u:p@host/db",
    "u:p w@host/db",
    "u:p@[::1]:5432/db",
    "u:p@/db?host=/run/postgresql",
    "/db",
  ]) {
    assert.deepEqual(faultsOf({ DATABASE_URL: `postgres://${good}` }), [], good);
  }
  for (const bad of ["u:hunter#22@host/db", "u:hunter/22@host/db", "u:hunter22@host:99999/db"]) {
    const [fault = "", ...more] = faultsOf({ DATABASE_URL: `postgres://${bad}` });
    assert.match(fault, /^DATABASE_URL cannot be read: .*%23/, bad);
    assert.ok(more.length === 0 && !fault.includes("hunter"));
  }
});

test("a database URL of which the driver would decode a part differently is an error (docs/operations.md, A PostgreSQL of your own)", () => {
  for (const bad of ["u:hunter 22%3A@host/db", "u:hunter%%2F@host/db"]) {
    const [fault = "", ...more] = faultsOf({ DATABASE_URL: `postgres://${bad}` });
    assert.match(fault, /^DATABASE_URL cannot be read: write a space as %20 and % as %25/, bad);
    assert.ok(more.length === 0 && !fault.includes("hunter"));
  }
  for (const good of ["u:p%20w%3A@host/db", "u:p w%23@host/db", "u:%25%3A@host/db"]) {
    assert.deepEqual(faultsOf({ DATABASE_URL: `postgres://${good}` }), [], good);
  }
});

test("a certificate file of the database that does not exist is an error that names the file (docs/operations.md, When something is wrong)", () => {
  const there = join(mkdtempSync(join(tmpdir(), "gatehouse-config-")), "ca.pem");
  const address = (path: string) => `postgres://u@host/db?sslmode=verify-full&sslrootcert=${path}`;
  assert.deepEqual(faultsOf({ DATABASE_URL: address(there) }), [
    `DATABASE_URL names a file in sslrootcert that cannot be read: ${there} (ENOENT)`,
  ]);
  writeFileSync(there, "");
  assert.deepEqual(faultsOf({ DATABASE_URL: address(there) }), []);
});

test("an error never contains the value of a secret (reference reliability S127)", () => {
  const text = faultsOf({
    DATABASE_URL: "mysql://user:hunter22@h/db",
    GATEHOUSE_MASTER_KEY: "hunter22",
  }).join("\n");
  assert.ok(!text.includes("hunter22"), text);
});

test("plain http is only allowed for loopback, or with a variable of its own (contract §1)", () => {
  for (const url of ["http://localhost:8080", "http://127.0.0.1:1", "http://[::1]:2"]) {
    assert.deepEqual(faultsOf({ GATEHOUSE_PUBLIC_URL: url }), []);
  }
  assert.equal(faultsOf({ GATEHOUSE_PUBLIC_URL: "http://gatehouse.example.org" }).length, 1);
  assert.deepEqual(
    faultsOf({ GATEHOUSE_PUBLIC_URL: "http://gatehouse.example.org", GATEHOUSE_ALLOW_HTTP: "true" }),
    [],
  );
  assert.equal(readConfig({ GATEHOUSE_PUBLIC_URL: "https://gatehouse.example.org/" }).secure, true);
});

test("a number must be written in digits: a blank value is an error, not 0 (contract §1)", () => {
  for (const value of [" ", "\t\n", "0x10", "1e1", "3.5", "-1", "366", "9".repeat(400)]) {
    assert.throws(() => readConfig({ GATEHOUSE_DELETION_DELAY_DAYS: value }), {
      message: "GATEHOUSE_DELETION_DELAY_DAYS must be a whole number from 0 to 365",
    });
  }
  assert.throws(() => readConfig({ PORT: " " }), { message: "PORT must be a whole number from 0 to 65535" });
  assert.equal(readConfig({ PORT: "8080 " }).port, 8080);
  assert.equal(readConfig({ GATEHOUSE_DELETION_DELAY_DAYS: "" }).deletionDelayDays, 7);
});

test("a secret may come from a file (contract §1)", () => {
  const path = join(mkdtempSync(join(tmpdir(), "gatehouse-config-")), "password");
  writeFileSync(path, "a long passphrase\n");
  const { admin } = readConfig({
    GATEHOUSE_ADMIN_USERNAME: "ada",
    GATEHOUSE_ADMIN_EMAIL: "ada@example.org",
    GATEHOUSE_ADMIN_PASSWORD_FILE: path,
  });
  assert.equal(admin?.password, "a long passphrase");
  assert.match(
    faultsOf({ GATEHOUSE_ADMIN_TOKEN_FILE: "/nowhere" })[0] ?? "",
    /ADMIN_TOKEN_FILE cannot be read/,
  );
});

test("a token that no request could contain is an error, and any other is accepted unchanged (contract §1)", () => {
  const admin = {
    GATEHOUSE_ADMIN_USERNAME: "ada",
    GATEHOUSE_ADMIN_EMAIL: "ada@example.org",
    GATEHOUSE_ADMIN_PASSWORD: "a long passphrase",
  };
  for (const token of ["two words", "schlüssel"]) {
    assert.match(
      faultsOf({ ...admin, GATEHOUSE_ADMIN_TOKEN: token }).join(),
      /ADMIN_TOKEN may only contain visible/,
    );
  }
  for (const token of ["gpat_chosen", "a/b+c=~.!"]) {
    assert.equal(readConfig({ ...admin, GATEHOUSE_ADMIN_TOKEN: token }).admin?.token, token);
  }
});

test("mail requires a server and a sender, and only one of them is an error (decision 0048)", () => {
  const smtp = "smtp://user:hunter22@mail.example.org:587";
  assert.equal(readConfig({}).mail, undefined);
  const from = "Gatehouse <gatehouse@example.org>";
  assert.deepEqual(readConfig({ GATEHOUSE_SMTP_URL: smtp, GATEHOUSE_MAIL_FROM: from }).mail, {
    smtpUrl: smtp,
    from: { name: "Gatehouse", address: "gatehouse@example.org" },
  });
  const plain = readConfig({ GATEHOUSE_SMTP_URL: smtp, GATEHOUSE_MAIL_FROM: "gatehouse@example.org" });
  assert.deepEqual(plain.mail?.from, { name: "", address: "gatehouse@example.org" });
  for (const half of [{ GATEHOUSE_SMTP_URL: smtp }, { GATEHOUSE_MAIL_FROM: from }]) {
    assert.match(faultsOf(half as Record<string, string>).join(), /go together/);
  }
  const faults = faultsOf({
    GATEHOUSE_SMTP_URL: "mail.example.org:hunter22",
    GATEHOUSE_MAIL_FROM: "Gatehouse",
  });
  assert.match(faults.join("\n"), /GATEHOUSE_SMTP_URL must be an address such as smtp:/);
  assert.match(faults.join("\n"), /GATEHOUSE_MAIL_FROM must be a mail address/);
  assert.doesNotMatch(faults.join("\n"), /hunter22/);
});

test("private targets for outgoing requests are host:port, addresses and ranges (decision 0049)", () => {
  const read = (list: string) => readConfig({ GATEHOUSE_ALLOW_PRIVATE_TARGETS: list }).allowPrivateTargets;
  const fine = ["chat.inner:8080", "[::1]:80", "10.0.0.7", "10.0.0.0/8", "fd00::/8"];
  assert.deepEqual(read(fine.join(", ")), fine);
  assert.deepEqual(read(""), []);
  for (const wrong of ["chat.inner", "10.0.0.0/33", "http://chat.inner", "10.0.0.0/8/8", "chat/8"]) {
    assert.match(faultsOf({ GATEHOUSE_ALLOW_PRIVATE_TARGETS: wrong }).join(), /none of them/, wrong);
  }
});

test("trusted proxies are addresses, ranges and names of ranges, and anything else is an error (contract §1)", () => {
  const fine = ["127.0.0.1", "::1", "10.0.0.0/8", "fd00::/8", "loopback", "uniquelocal"];
  assert.deepEqual(readConfig({ GATEHOUSE_TRUSTED_PROXIES: fine.join(", ") }).trustedProxies, fine);
  assert.deepEqual(readConfig({}).trustedProxies, []);
  for (const wrong of ["proxy.inner", "10.0.0.0/33", "0.0.0.0/0", "10.0.0.1:443", "10.0.0.0/8/8", "true"]) {
    assert.match(faultsOf({ GATEHOUSE_TRUSTED_PROXIES: wrong }).join(), /TRUSTED_PROXIES must list/, wrong);
  }
});
