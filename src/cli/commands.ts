import type { Command } from "commander";
import type { Session } from "./session.js";

/** The file of one command. */
export interface CommandModule {
  /** Adds its options, its help and what it does. */
  define(command: Command, session: Session): void | Promise<void>;
}

interface CommandEntry {
  readonly name: string;
  readonly description: string;
  /** A command is loaded when it is asked for: the help of all and --version need none of them. */
  readonly load: () => Promise<CommandModule>;
}

/** All commands, in the order of the help. */
export const commands: readonly CommandEntry[] = [
  {
    name: "cluster",
    description: "Divide people into k clusters in which every protected group has its share.",
    load: () => import("./cluster.js"),
  },
  {
    name: "describe",
    description: "Show what a table's columns hold and which role each would have, and suggest a cluster command.",
    load: () => import("./describe.js"),
  },
  {
    name: "sweep",
    description: "Show what fairness costs: the SSE for every k, delta and balance, and where the curve bends.",
    load: () => import("./sweep.js"),
  },
  {
    name: "train",
    description: "Train a fair classifier over parties that do not share their data.",
    load: () => import("./train.js"),
  },
  {
    name: "predict",
    description: "Assign new people to the nearest cluster, or apply a classifier. No protected attribute is needed.",
    load: () => import("./predict.js"),
  },
  {
    name: "evaluate",
    description: "Measure any labels: cohesion, fairness, evenness, agreement; or a classifier's predictions.",
    load: () => import("./evaluate.js"),
  },
  {
    name: "generate",
    description: "Generate test data: the same seed gives the same table.",
    load: () => import("./generate.js"),
  },
  {
    name: "align",
    description:
      "Find the people that all files have in common, by the private protocol that federated jobs start with.",
    load: () => import("./align.js"),
  },
  {
    name: "budget",
    description: "Show what private releases of a dataset have spent, or set their limit.",
    load: () => import("./budget.js"),
  },
  {
    name: "algorithms",
    description: "List the algorithms, with a summary and the paper of each.",
    load: () => import("./algorithms.js"),
  },
  {
    name: "provision",
    description: "Create a federation: its certificate authority, and a kit with certificate and keys for each site.",
    load: () => import("./provision.js"),
  },
  {
    name: "coordinator",
    description: "Run the federation's coordinator: one port that parties and analysts connect to.",
    load: () => import("./coordinator.js"),
  },
  {
    name: "party",
    description:
      "Take part in a federation with this site's data. It makes outgoing connections only, and enforces this site's policy.",
    load: () => import("./party.js"),
  },
  {
    name: "job",
    description: "Submit jobs to a federation, follow them, approve them at a site, and fetch results.",
    load: () => import("./job.js"),
  },
  {
    name: "audit",
    description: "Read and check the logs that sites and the coordinator keep of their jobs.",
    load: () => import("./audit.js"),
  },
  {
    name: "demo",
    description: "Run a whole federation on this machine: separate processes, TLS, three parties, one fair clustering.",
    load: () => import("./demo.js"),
  },
  {
    name: "bench",
    description:
      "Run a benchmark, with goals or the papers' figures beside the results; only in a checkout of the source code.",
    load: () => import("./bench.js"),
  },
];
