// A thread that puts layers on points: a task comes as a message, its result goes back as one.
import { answer, serve } from "../../host/worker.js";
import { type LayerTask, putLayer } from "./layer.js";

serve((task) => {
  try {
    answer({ points: putLayer(task as LayerTask) });
  } catch (error) {
    answer({ failure: error instanceof Error ? error.message : String(error) });
  }
});
