import { createServer } from "node:http";
import { MoietyError } from "../errors.js";
import type { CoordinatorService } from "../federation/coordinator/service.js";
import { type Kit, memberOf } from "../federation/identity/kit.js";
import type { PartyService } from "../federation/party/service.js";
import { version } from "../version.js";

/** One number, and what it is of. */
interface MetricSample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Numbers of one kind, in Prometheus' words. */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type?: "gauge" | "counter";
  readonly samples: readonly MetricSample[];
}

/** What a process says of itself to whoever watches it. */
export interface Monitored {
  /** Whether it does what it is there for, and if not, why. */
  health(): { readonly healthy: boolean; readonly status: string };
  metrics(): Promise<readonly MetricFamily[]> | readonly MetricFamily[];
}

/** GET /metrics in Prometheus' text format and GET /health, for this machine alone. They hold counts and names of members, no data. */
export async function serveMetrics(
  monitored: Monitored,
  port: number,
): Promise<{ port: number; close(): Promise<void> }> {
  let hosts: readonly string[] = [];
  const server = createServer(async (request, response) => {
    const answer = (status: number, type: string, text: string) => {
      response.writeHead(status, { "Content-Type": type, "Cache-Control": "no-store" }).end(text);
    };
    const { healthy, status } = monitored.health();
    // A page elsewhere whose name leads to this machine is no monitor.
    if (!hosts.includes(request.headers.host ?? "")) answer(403, "text/plain", "ask by the address that was printed\n");
    else if (request.method !== "GET") answer(405, "text/plain", "only GET is answered\n");
    else if (request.url === "/health")
      answer(healthy ? 200 : 503, "application/json", `${JSON.stringify({ healthy, status })}\n`);
    else if (request.url === "/metrics") {
      const metrics = [...(await monitored.metrics()), healthMetric(healthy), ...processMetrics()];
      answer(200, "text/plain; version=0.0.4", metricsText(metrics));
    } else answer(404, "text/plain", "there are /metrics and /health\n");
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) =>
      reject(
        new MoietyError("usage", `port ${port} of \`metrics\` cannot be used (${cause.code}): choose another one`, {
          cause,
        }),
      ),
    );
    server.listen(port, "127.0.0.1", resolve);
  });
  const { port: listening } = server.address() as { port: number };
  hosts = [`127.0.0.1:${listening}`, `localhost:${listening}`];
  return {
    port: listening,
    close: () => new Promise<void>((resolve) => void server.close(() => resolve()).closeAllConnections()),
  };
}

export function metricsText(metrics: readonly MetricFamily[]): string {
  return metrics
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, help, type = "gauge", samples }) => {
      const lines = samples.map(({ labels = {}, value }) => `${name}${labelsText(labels)} ${value}`);
      return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ""].join("\n");
    })
    .join("");
}

function labelsText(labels: NonNullable<MetricSample["labels"]>): string {
  const quoted = (text: string) => text.replace(/[\\"\n]/g, (letter) => (letter === "\n" ? "\\n" : `\\${letter}`));
  const pairs = Object.entries(labels).map(([name, text]) => `${name}="${quoted(text)}"`);
  return pairs.length > 0 ? `{${pairs.join(",")}}` : "";
}

export function monitoredCoordinator(service: CoordinatorService): Monitored {
  return {
    health: () => ({ healthy: true, status: "listening" }),
    metrics: () => {
      const { federation, jobs, members, limits } = service.view();
      return [
        infoMetric(federation, "coordinator"),
        jobsMetric(jobs.map(({ state }) => state.replace(/^waiting-.*/, "waiting"))),
        {
          name: "moiety_party_connected",
          help: "Whether a party is connected.",
          samples: members.flatMap(({ name, connected }) =>
            connected === undefined ? [] : [{ labels: { party: name }, value: Number(connected) }],
          ),
        },
        { name: "moiety_open_jobs", help: "Jobs that are neither done nor failed.", samples: [{ value: limits.open }] },
        { name: "moiety_open_jobs_limit", help: "The most open jobs.", samples: [{ value: limits.mostOpen }] },
        expiryMetric(members),
      ];
    },
  };
}

export function monitoredSite(kit: Kit, service: PartyService): Monitored {
  const isConnected = () => service.connection.connected;
  return {
    health: () => ({
      healthy: isConnected(),
      status: isConnected() ? "connected to the coordinator" : "not connected to the coordinator",
    }),
    metrics: async () => {
      const [jobs, { epsilon, mostEpsilon }] = await Promise.all([service.desk.jobs(), service.desk.budget()]);
      return [
        infoMetric(kit.federation, "party"),
        jobsMetric(jobs.map(({ state }) => state)),
        {
          name: "moiety_epsilon_spent",
          help: "Privacy budget that private jobs have spent, by what is private.",
          samples: Object.entries(epsilon ?? {}).map(([what, value]) => ({ labels: { of: what }, value })),
        },
        {
          name: "moiety_epsilon_limit",
          help: "Privacy budget that the policy allows.",
          samples: mostEpsilon === null ? [] : [{ value: mostEpsilon }],
        },
        expiryMetric([memberOf(kit, kit)]),
      ];
    },
  };
}

function infoMetric(federation: string, role: string): MetricFamily {
  return {
    name: "moiety_info",
    help: "What runs here.",
    samples: [{ labels: { federation, role, version }, value: 1 }],
  };
}

function jobsMetric(states: readonly string[]): MetricFamily {
  const samples = [...new Set(states)].sort().map((state) => {
    return { labels: { state }, value: states.filter((each) => each === state).length };
  });
  return { name: "moiety_jobs", help: "Jobs by state.", samples };
}

function expiryMetric(
  members: readonly { readonly name: string; readonly expires?: string | undefined }[],
): MetricFamily {
  const samples = members.flatMap(({ name, expires }) =>
    expires === undefined ? [] : [{ labels: { member: name }, value: Date.parse(expires) / 1000 }],
  );
  return {
    name: "moiety_certificate_expiry_seconds",
    help: "When a certificate ends, in seconds since 1970.",
    samples,
  };
}

function healthMetric(healthy: boolean): MetricFamily {
  return { name: "moiety_healthy", help: "Whether /health is well.", samples: [{ value: Number(healthy) }] };
}

function processMetrics(): MetricFamily[] {
  const { user, system } = process.cpuUsage();
  return [
    {
      name: "process_resident_memory_bytes",
      help: "Memory of the process.",
      samples: [{ value: process.memoryUsage.rss() }],
    },
    {
      name: "process_cpu_seconds_total",
      help: "Processor time of the process.",
      type: "counter",
      samples: [{ value: (user + system) / 1e6 }],
    },
    {
      name: "process_start_time_seconds",
      help: "When the process began, in seconds since 1970.",
      samples: [{ value: Math.round(Date.now() / 1000 - process.uptime()) }],
    },
  ];
}
