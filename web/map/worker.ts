import type { DensityMap, PointMap } from "../../src/explore/questions.js";
import { drawDensity } from "./density.js";
import type { Picture, ToDrawer } from "./picture.js";
import { drawPoints } from "./points.js";

/** Draws one map whenever something of its picture is new: nobody who uses the page waits for it. */
let known: ToDrawer = {};
let next: ReturnType<typeof setTimeout> | undefined;

self.onmessage = ({ data }: MessageEvent<ToDrawer>) => {
  known = { ...known, ...data };
  // Of what has come meanwhile only the last is drawn.
  clearTimeout(next);
  next = setTimeout(draw);
};

function draw(): void {
  const { canvas, map, width } = known;
  if (!canvas || !map || !width) return;
  const picture = known as Picture;
  if (map.kind === "density") drawDensity(canvas, picture as Picture<DensityMap>);
  else drawPoints(canvas, picture as Picture<PointMap>);
}

self.postMessage("ready");
