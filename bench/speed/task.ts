import { runTask } from "./perform.js";

// The process of one task: what to do comes as JSON, and what was found goes out as JSON.
process.stdout.write(JSON.stringify(await runTask(JSON.parse(process.argv[2]))));
