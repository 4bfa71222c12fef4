import { dataFolder, describeData } from "../testing/data.js";
import { Workplace } from "./testing/command.js";
import { quickBenchmarks } from "./testing/quick-benchmarks.js";

const work = new Workplace();

describeData("with the papers' public data", () => quickBenchmarks(work, dataFolder));
