import { useEffect, useRef } from "preact/hooks";
import type { MapView } from "../src/explore/questions.js";
import { drawPoints } from "./draw-points.js";

/** Everybody as a point, coloured by cluster. Beyond half a million only some are drawn. */
export function PeopleMap({ map, k, label }: { readonly map: MapView; readonly k: number; readonly label: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const draw = () => canvas.current && drawPoints(canvas.current, map, k);
    draw();
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const observer = new ResizeObserver(draw);
    scheme.addEventListener("change", draw);
    if (canvas.current) observer.observe(canvas.current);
    return () => {
      scheme.removeEventListener("change", draw);
      observer.disconnect();
    };
  }, [map, k]);
  return <canvas ref={canvas} class="people" role="img" aria-label={label} />;
}
