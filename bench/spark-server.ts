import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "./free-port.js";

const java = "java";

/** Where `npm run test:spark` has put Spark, or SPARK_HOME. */
function sparkHome(): string | undefined {
  const cache = fileURLToPath(new URL("../../.cache", import.meta.url));
  const within = (folder: string) => (existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []);
  const kept = within(cache).flatMap((each) => within(join(each, "lib")));
  const homes = [process.env.SPARK_HOME ?? "", ...kept.map((each) => join(each, "site-packages", "pyspark"))];
  return homes.find((folder) => existsSync(join(folder, "bin", "spark-submit")));
}

/** Why there is no Spark to start; undefined where there is. */
export function withoutSpark(): string | undefined {
  if (spawnSync(java, ["-version"], { stdio: "ignore" }).error) return "there is no Java machine";
  return sparkHome() === undefined
    ? "there is no Spark (npm run test:spark installs one, or name it in SPARK_HOME)"
    : undefined;
}

/** Partitions that Spark makes of a table: so many workers can share it. */
export const partitions = 32;

/** Starts a Connect server with so many worker threads for some work. The processor seconds of each task, stage by stage. */
export async function sparkStages(
  folder: string,
  workers: number,
  work: (address: string) => Promise<void>,
): Promise<number[][]> {
  const home = sparkHome() as string;
  const [port, pages] = [await freePort(), await freePort()];
  const settings = {
    "spark.connect.grpc.binding.port": port,
    "spark.connect.grpc.binding.address": "127.0.0.1",
    "spark.ui.port": pages,
    "spark.sql.warehouse.dir": join(folder, `warehouse${workers}`),
    "spark.sql.files.minPartitionNum": partitions,
    "spark.sql.files.openCostInBytes": 0,
  };
  const flags = Object.entries(settings).flatMap(([key, value]) => ["--conf", `${key}=${value}`]);
  const main = ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "--master", `local[${workers}]`];
  const server = spawn(join(home, "bin", "spark-submit"), [...main, "--driver-memory", "2g", ...flags], {
    ...{ cwd: folder, stdio: "ignore" },
    env: { ...process.env, SPARK_HOME: home, SPARK_LOCAL_IP: "127.0.0.1" },
  });
  const ended = new Promise((resolve) => server.once("exit", resolve));
  try {
    while (!(await isOpen(port))) {
      if (server.exitCode !== null) throw new Error("Spark has ended before it listened");
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    await work(`sc://127.0.0.1:${port}/`);
    const api = `http://127.0.0.1:${pages}/api/v1/applications`;
    const [{ id }] = (await (await fetch(api)).json()) as { id: string }[];
    const stages = await fetch(`${api}/${id}/stages?status=complete&details=true`);
    return ((await stages.json()) as Stage[]).map(({ tasks }) =>
      Object.values(tasks).map(({ taskMetrics }) => (taskMetrics?.executorCpuTime ?? 0) / 1e9),
    );
  } finally {
    server.kill();
    await ended;
  }
}

/** What Spark's interface tells of a stage, as far as it is used. */
interface Stage {
  readonly tasks: Readonly<Record<string, { readonly taskMetrics?: { readonly executorCpuTime: number } }>>;
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("error", () => resolve(false));
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
  });
}
