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
    description: "Say what a table's columns hold and which part they would play, and suggest how to cluster it.",
    load: () => import("./describe.js"),
  },
  {
    name: "sweep",
    description: "What fairness costs: the SSE of every k with every delta and balance, and where the curve bends.",
    load: () => import("./sweep.js"),
  },
  {
    name: "train",
    description: "Train a classifier over parties whose people stay where they are, with fair answers for every group.",
    load: () => import("./train.js"),
  },
  {
    name: "predict",
    description: "Give new people the nearest cluster, or a classifier's answer. No protected attribute is needed.",
    load: () => import("./predict.js"),
  },
  {
    name: "evaluate",
    description: "Measure any labelling: cohesion, fairness, evenness, agreement; or a classifier's answers.",
    load: () => import("./evaluate.js"),
  },
  {
    name: "generate",
    description: "Invent data to try things on: the same seed gives the same table.",
    load: () => import("./generate.js"),
  },
  {
    name: "align",
    description: "Find the people whom all files hold, by the private protocol that federated jobs begin with.",
    load: () => import("./align.js"),
  },
  {
    name: "budget",
    description: "Show what private releases of a dataset have spent, or set the most that they may spend.",
    load: () => import("./budget.js"),
  },
  {
    name: "algorithms",
    description: "List the algorithms, with one line each and the paper.",
    load: () => import("./algorithms.js"),
  },
  {
    name: "provision",
    description: "Make a federation: its authority, and a kit with certificate and keys for each site.",
    load: () => import("./provision.js"),
  },
  {
    name: "coordinator",
    description: "Run the federation's meeting place: one port, to which the parties and analysts come.",
    load: () => import("./coordinator.js"),
  },
  {
    name: "party",
    description: "Take part in a federation with this site's data. It dials out only, and obeys its own policy.",
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
    description:
      "A whole federation on this machine: separate processes, real TLS, three parties, one fair clustering.",
    load: () => import("./demo.js"),
  },
  {
    name: "bench",
    description: "Measure, with the goals or the papers' figures beside ours; in a checkout of the source code only.",
    load: () => import("./bench.js"),
  },
];
