import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "bench/**/*.test.ts", "examples/**/*.test.ts"],
    // Worker threads of our own pool live inside each test process: forks keep them apart.
    pool: "forks",
    // One more than cores: tests of processes and connections often wait.
    maxWorkers: availableParallelism() + 1,
    // Only what hangs is to fail by the clock: a machine ten times slower than ours is no fault.
    testTimeout: 1_200_000,
    hookTimeout: 1_200_000,
  },
});
