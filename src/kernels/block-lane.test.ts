import { describe, expect, it } from "vitest";
import { Random } from "../table/generators/random.js";
import { BlockLane, type BlockShape } from "./block-lane.js";
import { closeLanes, openLanes } from "./lanes.js";

describe("blocks of people", () => {
  for (const [bytes, threads] of [
    [2, 1],
    [4, 2],
  ] as const) {
    it(`go where plain arithmetic sends them: ${bytes} bytes, ${threads} threads`, async () => {
      const draws = new Random(bytes);
      const shape: BlockShape = { dims: 7, bytes, rows: 64 };
      const [k, patterns, people] = [5, 3, 53];
      const whole = (most: number) => Math.floor((2 * draws.uniform() - 1) * most);
      const centres = Float64Array.from({ length: k * shape.dims }, () => whole(3000));
      const offsets = Float64Array.from({ length: patterns * k }, () => whole(1e6));
      const lanes = openLanes(threads);
      try {
        for (const lane of lanes) {
          const block = new BlockLane(lane, shape, { k, centres, offsets });
          const { points, patterns: pattern } = block.views;
          const reach = bytes === 2 ? 32_767 : 2 ** 20;
          points.forEach((_, at) => {
            points[at] = whole(reach);
          });
          pattern.forEach((_, i) => {
            pattern[i] = draws.below(patterns);
          });
          await block.decide(people);
          await block.addUp();
          const sums = new Float64Array(k * shape.dims);
          for (let i = 0; i < people; i++) {
            const scores = Array.from({ length: k }, (_, m) => {
              let score = offsets[pattern[i] * k + m];
              for (let j = 0; j < shape.dims; j++) {
                const [c, x] = [centres[m * shape.dims + j], points[j * shape.rows + i]];
                score += c * c - 2 * c * x;
              }
              return score;
            });
            const best = scores.indexOf(Math.min(...scores));
            expect(block.labels[i]).toBe(best);
            expect(block.gaps[i]).toBe(Math.min(...scores.filter((_, m) => m !== best)) - scores[best]);
            for (let j = 0; j < shape.dims; j++) sums[best * shape.dims + j] += points[j * shape.rows + i];
          }
          expect(block.sums).toEqual(sums);
          block.close();
        }
      } finally {
        await closeLanes(lanes);
      }
    });
  }
});
