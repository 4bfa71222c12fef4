import { Workplace } from "../src/cli/testing/command.js";
import { dataFolder, describeData } from "../src/testing/data.js";
import { quickBenchmarks } from "./testing/quick-benchmarks.js";

const work = new Workplace();

describeData("with the papers' public data", () => quickBenchmarks(work, dataFolder));
