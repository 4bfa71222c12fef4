// A thread that makes coordinates of columns: a column comes as a message, and goes back in the same memory.
import { answer, serve } from "../host/worker.js";
import { type ColumnTask, coordinatesOf } from "./coordinates.js";

serve((task) => {
  const made = coordinatesOf(task as ColumnTask);
  answer(made, [made.coordinates.buffer as ArrayBuffer]);
});
