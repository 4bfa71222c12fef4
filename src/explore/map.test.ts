import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { chromium } from "playwright-core";
import { describe, expect, it } from "vitest";
import { args, executablePath, found, without } from "../report/html/testing/browser.js";

const drawing = fileURLToPath(new URL("../../web/map/points.ts", import.meta.url));

/** Runs in the page: draws one map with the graphics of the browser, however slow they are, and pixel by pixel. */
const drawTwice = `(() => {
  const state = { x: 1 };
  const random = () => (state.x = (48271 * state.x) % 2147483647) / 2147483647;
  const count = 3000;
  // Three clusters in three corners: a picture that is turned around is another one.
  const clusters = Uint16Array.from({ length: count }, () => Math.floor(3 * random() ** 2));
  const corners = [[0, 0], [0.6, 0.1], [0.2, 0.6]];
  const points = Float32Array.from({ length: 2 * count }, (_, at) => corners[clusters[at >> 1]][at % 2] + 0.4 * random());
  const asked = HTMLCanvasElement.prototype.getContext;
  const drawn = ["webgl2", "2d"].map((way) => {
    const canvas = document.body.appendChild(document.createElement("canvas"));
    canvas.style.cssText = "width: 300px; height: 200px";
    canvas.getContext = (kind, options) =>
      kind === way ? asked.call(canvas, kind, { ...options, failIfMajorPerformanceCaveat: false }) : null;
    const palette = [[0.8, 0.2, 0.1], [0.1, 0.5, 0.9], [0.3, 0.7, 0.2]];
    map.drawPoints(canvas, { map: { kind: "points", points, clusters }, k: 3, width: 300, height: 200, scale: 1, palette });
    const copy = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height });
    const context = copy.getContext("2d");
    context.drawImage(canvas, 0, 0);
    return { made: canvas.getContext(way) !== null, data: context.getImageData(0, 0, copy.width, copy.height).data };
  });
  // Squares of 10 pixels: at the rim of a point graphics may decide otherwise.
  const squares = drawn.map(({ data }) => {
    const sums = new Float64Array(4 * 30 * 20);
    for (let y = 0; y < 200; y++)
      for (let x = 0; x < 300; x++)
        for (let part = 0; part < 4; part++) {
          const weight = part === 3 ? 1 : data[4 * (300 * y + x) + 3] / 255;
          sums[4 * (30 * Math.floor(y / 10) + Math.floor(x / 10)) + part] += (weight * data[4 * (300 * y + x) + part]) / 100;
        }
    return sums;
  });
  const differences = squares[0].map((sum, at) => Math.abs(sum - squares[1][at]));
  const painted = squares[0].filter((sum, at) => at % 4 === 3 && sum > 0).length / 600;
  return { made: drawn.map(({ made }) => made), painted, largest: Math.max(...differences) };
})()`;

describe.skipIf(!found)(`the map${without}`, () => {
  it("is the same picture by the browser's graphics and pixel by pixel", async () => {
    const [{ text }] = buildSync({
      ...{ entryPoints: [drawing], bundle: true, write: false, format: "iife", globalName: "map" },
    }).outputFiles;
    const browser = await chromium.launch({ executablePath, args: [...args, "--enable-unsafe-swiftshader"] });
    try {
      const page = await browser.newPage();
      await page.addScriptTag({ content: text });
      const { made, painted, largest } = (await page.evaluate(drawTwice)) as {
        made: boolean[];
        painted: number;
        largest: number;
      };
      expect(made).toEqual([true, true]);
      expect(painted).toBeGreaterThan(0.3);
      // Of 255.
      expect(largest).toBeLessThan(25);
    } finally {
      await browser.close();
    }
  });
});
