import { useEffect, useRef } from "preact/hooks";
import type { MapView } from "../src/explore/questions.js";
import { drawDensity } from "./draw-density.js";
import { drawPoints } from "./draw-points.js";

/** Everybody, coloured by cluster: as points, or beyond half a million by density. */
export function PeopleMap({ map, k, label }: { readonly map: MapView; readonly k: number; readonly label: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const draw = () => {
      if (!canvas.current) return;
      if (map.kind === "density") drawDensity(canvas.current, map);
      else drawPoints(canvas.current, map, k);
    };
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const observer = new ResizeObserver(draw);
    scheme.addEventListener("change", draw);
    // Which draws at once.
    if (canvas.current) observer.observe(canvas.current);
    return () => {
      scheme.removeEventListener("change", draw);
      observer.disconnect();
    };
  }, [map, k]);
  // A canvas draws in one way all its life.
  return <canvas key={map.kind} ref={canvas} class="people" role="img" aria-label={label} />;
}
