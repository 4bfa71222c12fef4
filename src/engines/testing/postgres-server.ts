import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { freePort } from "../../../bench/free-port.js";

/** Where the server's programs are: on the path, or where Debian keeps them. */
function programs(): string | undefined {
  const versions = "/usr/lib/postgresql";
  const kept = existsSync(versions) ? readdirSync(versions).map((version) => join(versions, version, "bin")) : [];
  const folders = [...(process.env.PATH ?? "").split(delimiter), ...kept];
  return folders.find((folder) => ["postgres", "initdb"].every((name) => existsSync(join(folder, name))));
}

/** Why there is no server to test with; undefined where there is one. */
export function withoutPostgres(): string | undefined {
  return programs() === undefined ? "PostgreSQL's server (postgres and initdb) is not installed" : undefined;
}

/** The server does not run as root: another user of the system does it. */
function anotherUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ["postgres", "nobody"]) {
    try {
      const [uid, gid] = ["-u", "-g"].map((flag) =>
        Number(execFileSync("id", [flag, name], { stdio: "pipe" }).toString()),
      );
      return { uid, gid };
    } catch {
      // The next one, then.
    }
  }
  throw new Error("there is no user that a PostgreSQL server could run as");
}

/** A real server with a database of its own in a temporary folder. Its user is `tester`, with the password `secret`. */
export class PostgresServer {
  private constructor(
    private readonly folder: string,
    private readonly port: number,
    private child: ChildProcess,
  ) {}

  static async start(): Promise<PostgresServer> {
    const bin = programs() as string;
    const folder = mkdtempSync(join(tmpdir(), "moiety-postgres-"));
    const user = anotherUser();
    if (user !== undefined) chownSync(folder, user.uid, user.gid);
    const environment = { ...process.env, PGPASSWORD: "secret", LC_ALL: "C" };
    const data = join(folder, "data");
    const passwordFile = join(folder, "password");
    writeFileSync(passwordFile, "secret\n");
    execFileSync(
      join(bin, "initdb"),
      ["-D", data, "-U", "tester", `--pwfile=${passwordFile}`, "-A", "scram-sha-256", "-E", "UTF8", "--no-sync"],
      { stdio: "pipe", env: environment, cwd: folder, ...user },
    );
    const port = await freePort();
    const server = new PostgresServer(folder, port, PostgresServer.spawn(bin, folder, port));
    await server.reachable();
    return server;
  }

  url(rest = ""): string {
    return `postgres://tester:secret@127.0.0.1:${this.port}/postgres${rest}`;
  }

  async stop(): Promise<void> {
    await this.halt();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Stops, and starts again: connections are lost and temporary tables gone. */
  async restart(): Promise<void> {
    await this.halt();
    this.child = PostgresServer.spawn(programs() as string, this.folder, this.port);
    await this.reachable();
  }

  private static spawn(bin: string, folder: string, port: number): ChildProcess {
    const settings = [`port=${port}`, `unix_socket_directories=${folder}`, "listen_addresses=127.0.0.1", "fsync=off"];
    const flags = ["-D", join(folder, "data"), ...settings.flatMap((setting) => ["-c", setting])];
    return spawn(join(bin, "postgres"), flags, { stdio: "ignore", cwd: folder, ...anotherUser() });
  }

  private async halt(): Promise<void> {
    const gone = new Promise<void>((resolve) => this.child.once("exit", () => resolve()));
    this.child.kill("SIGINT");
    await gone;
  }

  private async reachable(): Promise<void> {
    const { Client } = await import("pg");
    for (;;) {
      if (this.child.exitCode !== null) throw new Error("the PostgreSQL server has stopped");
      const client = new Client({ connectionString: this.url() });
      client.on("error", () => undefined);
      const ready = await client.connect().then(
        () => true,
        () => false,
      );
      await client.end().catch(() => undefined);
      if (ready) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
