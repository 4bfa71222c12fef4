import { lloyd } from "../../solver/lloyd.js";
import { seedCentres } from "../../solver/seeding.js";
import type { Algorithm } from "../start.js";

export const runLloyd: Algorithm = async ({ coordinator, settings, seed, watch, seeded }) => {
  if (!settings.from) await seedCentres(coordinator, { init: settings.init, seed, onPass: watch("seed") });
  seeded();
  return lloyd(coordinator, settings.maxIterations, watch("descent"));
};
