// npm run test:spark: the tests of engines in Spark, in one process and on a master with two workers of this machine. Installs
// PySpark, whose package holds Spark's programs, into a folder beside node_modules; needs a Java machine and Python.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const version = "4.3.0";
const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const environment = join(root, ".cache", `spark-${version}`);
const python = process.env.MOIETY_PYTHON ?? "python3";

for (const [program, what] of [
  ["java", "a Java machine (java)"],
  [python, "Python (python3 or MOIETY_PYTHON)"],
]) {
  if (spawnSync(program, ["-version"], { stdio: "ignore" }).error === undefined) continue;
  process.stdout.write(`skipped: the tests of Spark need ${what}\n`);
  process.exit(0);
}

function run(program, args) {
  const { status } = spawnSync(program, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} failed`);
}

function home() {
  const library = join(environment, "lib");
  const pythons = existsSync(library) ? readdirSync(library) : [];
  return pythons
    .map((name) => join(library, name, "site-packages", "pyspark"))
    .find((folder) => existsSync(join(folder, "jars")));
}

function skip(why) {
  process.stdout.write(`skipped: the tests of Spark: ${why}\n`);
  process.exit(0);
}

if (home() === undefined) {
  try {
    run(python, ["-m", "venv", environment]);
    run(join(environment, "bin", "python"), ["-m", "pip", "install", "--quiet", `pyspark==${version}`]);
  } catch ({ message }) {
    skip(`PySpark could not be installed (${message})`);
  }
}

const folder = mkdtempSync(join(tmpdir(), "moiety-spark-"));
const children = [];

function start(program, args, environment = {}) {
  const child = spawn(join(home(), "bin", program), args, {
    cwd: folder,
    stdio: "ignore",
    env: { ...process.env, SPARK_HOME: home(), SPARK_LOCAL_IP: "127.0.0.1", SPARK_NO_DAEMONIZE: "1", ...environment },
  });
  children.push(child);
  return child;
}

async function freePort() {
  const server = createServer();
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address();
  await new Promise((closed) => server.close(closed));
  return port;
}

async function listening(port, child) {
  for (let tries = 0; ; tries++) {
    if (child.exitCode !== null) throw new Error("a process of Spark has ended");
    // Ten minutes: it takes one on two busy cores.
    if (tries > 2000) throw new Error("a process of Spark does not listen");
    const open = await new Promise((resolve) => {
      const socket = connect(port, "127.0.0.1");
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
      socket.once("connect", () => socket.destroy());
    });
    if (open) return;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}

async function connectServer(master, name, environment = {}) {
  const port = await freePort();
  const settings = {
    "spark.connect.grpc.binding.port": port,
    "spark.connect.grpc.binding.address": "127.0.0.1",
    "spark.ui.enabled": false,
    "spark.sql.warehouse.dir": join(folder, name),
    "spark.cores.max": 2,
    "spark.executor.memory": "1g",
  };
  const flags = Object.entries(settings).flatMap(([key, value]) => ["--conf", `${key}=${value}`]);
  const service = "org.apache.spark.sql.connect.service.SparkConnectServer";
  const args = ["--class", service, "--master", master, "--driver-memory", "2g", ...flags];
  const child = start("spark-submit", args, environment);
  await listening(port, child);
  return port;
}

function test(files, filter, environment) {
  const names = files.map((name) => `src/engines/${name}.test.ts`);
  const env = { ...process.env, ...environment };
  const { status } = spawnSync("npx", ["vitest", "run", ...names, "-t", filter], { cwd: root, stdio: "inherit", env });
  if (status !== 0) process.exitCode = 1;
}

function testPeople(port, filter) {
  test(["sql-scanner", "sql-rows"], filter, { MOIETY_SPARK: `sc://127.0.0.1:${port}/` });
}

try {
  process.stdout.write("Spark in one process\n");
  // --local: whole runs alone, in some minutes.
  const local = process.argv.includes("--local");
  testPeople(await connectServer("local[2]", "local"), local ? "in Spark are" : "in Spark");
  if (!local) {
    process.stdout.write("Spark behind TLS, with a token\n");
    // The token that the test gives.
    const token = { SPARK_CONNECT_AUTHENTICATE_TOKEN: "open-sesame-4711" };
    const secured = await connectServer("local[1]", "secured", token);
    test(["spark/tls"], "in Spark", { MOIETY_SPARK_WITH_TOKEN: String(secured) });
    process.stdout.write("Spark on a master and two workers\n");
    const port = await freePort();
    const host = ["--host", "127.0.0.1"];
    const master = start("spark-class", [
      "org.apache.spark.deploy.master.Master",
      ...host,
      "--port",
      port,
      "--webui-port",
      "0",
    ]);
    await listening(port, master);
    const worker = [
      "org.apache.spark.deploy.worker.Worker",
      ...host,
      "--cores",
      "1",
      "--memory",
      "1g",
      "--webui-port",
      "0",
    ];
    for (let i = 0; i < 2; i++)
      start("spark-class", [...worker, "-d", join(folder, `worker${i}`), `spark://127.0.0.1:${port}`]);
    testPeople(await connectServer(`spark://127.0.0.1:${port}`, "cluster"), "in Spark labels");
  }
} finally {
  const ended = children.map((child) => new Promise((resolve) => child.once("exit", resolve)));
  for (const child of children) child.kill();
  await Promise.all(ended);
  rmSync(folder, { recursive: true, force: true });
}
