import type { Command } from "commander";
import type { Session } from "./session.js";

/** The file of one command. */
export interface CommandModule {
  /** Adds its options, its help and what it does. */
  define(command: Command, session: Session): void | Promise<void>;
}

/** What the help says about each command, in its order. */
export const descriptions = {
  cluster: "Divide people into k clusters in which every protected group has its share.",
  describe: "Show what a table's columns hold and which role each would have, and suggest a cluster command.",
  explore: "Open a page that clusters a table and shows the result, on this machine alone.",
  sweep: "Show what fairness costs: the SSE for every k, delta and balance, and where the curve bends.",
  train: "Train a fair classifier over parties that do not share their data.",
  predict: "Assign new people to the nearest cluster, or apply a classifier. No protected attribute is needed.",
  assign: "Let new people join the clusters of a model within its bounds and sizes, as one batch or one at a time.",
  update: "Let new people change a model: they join its clusters within its bounds, and the centres follow.",
  group:
    "Divide people into teams that are alike to each other; or draw a panel in which quotas are kept and chances are as equal as they can be.",
  index: "Find nearest neighbours: build an index of vectors in lists of even size, search it, add and remove vectors.",
  evaluate: "Measure any labels: cohesion, fairness, evenness, agreement; or a classifier's predictions.",
  generate: "Generate test data: the same seed gives the same table.",
  align: "Find the people that all files have in common, by the private protocol that federated jobs start with.",
  budget: "Show what private releases of a dataset have spent, or set their limit.",
  algorithms: "List the algorithms, with a summary and the paper of each.",
  provision: "Create a federation: its certificate authority, and a kit with certificate and keys for each site.",
  members: "Add, renew or remove one member of a federation, or show who the members are; nobody else needs a new kit.",
  coordinator: "Run the federation's coordinator: one port that parties and analysts connect to.",
  party:
    "Take part in a federation with this site's data. It makes outgoing connections only, and enforces this site's policy.",
  job: "Submit jobs to a federation, follow them, approve them at a site, and fetch results.",
  audit: "Read and check the logs that sites and the coordinator keep of their jobs.",
  demo: "Run a whole federation on this machine: separate processes, TLS, three parties, one fair clustering.",
  init: "Write a project that runs: data, a script, and the job and policy of a small federation.",
  schema: "Print the JSON Schema of a file that people write, for editors: federation, job, policy, bounds or box.",
  doctor: "Say what works on this machine, and what each missing thing would give.",
  completion: "Print a script that completes commands and options in bash, zsh or fish.",
  bench:
    "Run a benchmark, with goals or the papers' figures beside the results; only in a checkout of the source code.",
} as const;

/** A command is loaded when it is asked for: the help of all and --version need none of them. */
export const modules: Readonly<Record<keyof typeof descriptions, () => Promise<CommandModule>>> = {
  cluster: () => import("./cluster.js"),
  describe: () => import("./describe.js"),
  explore: () => import("./explore.js"),
  sweep: () => import("./sweep.js"),
  train: () => import("./train.js"),
  predict: () => import("./predict.js"),
  assign: () => import("./assign.js"),
  update: () => import("./update.js"),
  group: () => import("./group.js"),
  index: () => import("./index-command.js"),
  evaluate: () => import("./evaluate.js"),
  generate: () => import("./generate.js"),
  align: () => import("./align.js"),
  budget: () => import("./budget.js"),
  algorithms: () => import("./algorithms.js"),
  provision: () => import("./provision.js"),
  members: () => import("./members.js"),
  coordinator: () => import("./coordinator.js"),
  party: () => import("./party.js"),
  job: () => import("./job.js"),
  audit: () => import("./audit.js"),
  demo: () => import("./demo.js"),
  init: () => import("./init.js"),
  schema: () => import("./schema.js"),
  doctor: () => import("./doctor.js"),
  completion: () => import("./completion.js"),
  bench: () => import("./bench.js"),
};
