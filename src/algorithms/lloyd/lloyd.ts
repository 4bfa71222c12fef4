import { lloyd } from "../../solver/lloyd.js";
import { seedCentres } from "../../solver/seeding.js";
import type { ColumnAlgorithm } from "../start.js";

export const runLloyd: ColumnAlgorithm = async ({ assigner, settings, seed, watch, onTrial, seeded }) => {
  const { init, effort } = settings;
  if (!settings.from) await seedCentres(assigner, { init, effort, seed, onPass: watch("seed"), onTrial });
  seeded();
  if (settings.seats) return { ...(await lloyd(assigner, 1, watch("descent"))), converged: true };
  return lloyd(assigner, settings.maxIterations, watch("descent"));
};
