// A thread that puts layers on points: a task comes as a message, its result goes back as one.
import { parentPort } from "node:worker_threads";
import { type LayerTask, putLayer } from "./layer.js";

parentPort?.on("message", (task: LayerTask) => {
  try {
    parentPort?.postMessage({ points: putLayer(task) });
  } catch (error) {
    parentPort?.postMessage({ failure: error instanceof Error ? error.message : String(error) });
  }
});
