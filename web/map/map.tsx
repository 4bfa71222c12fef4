import { useEffect, useRef, useState } from "preact/hooks";
import type { MapView } from "../../src/explore/questions.js";
import { darkColours, lightColours } from "../../src/report/html/palette.js";
import { startWorker } from "../engine/start-worker.js";
import type { Colour, ToDrawer } from "./picture.js";

/** Everybody, coloured by cluster: as points, or beyond half a million by density. A worker draws, in one way as long as this is shown. */
export function PeopleMap({ map, k, label }: { readonly map: MapView; readonly k: number; readonly label: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [{ worker, ready }] = useState(() => startWorker(new URL("map.js", import.meta.url)));
  const tell = (news: ToDrawer, transfer: Transferable[] = []) =>
    void ready.then(() => worker.postMessage(news, transfer));
  useEffect(() => {
    const shown = canvas.current;
    if (!shown) return undefined;
    const drawn = shown.transferControlToOffscreen();
    tell({ canvas: drawn }, [drawn]);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const look = () => {
      const scale = Math.min(2, devicePixelRatio);
      const [width, height] = [shown.clientWidth, shown.clientHeight].map((length) => Math.round(length * scale));
      tell({ width, height, scale, palette: (scheme.matches ? darkColours : lightColours).map(rgb) });
    };
    const observer = new ResizeObserver(look);
    scheme.addEventListener("change", look);
    // Which looks at once.
    observer.observe(shown);
    return () => {
      scheme.removeEventListener("change", look);
      observer.disconnect();
      worker.terminate();
    };
  }, []);
  useEffect(() => tell({ map, k }), [map, k]);
  return <canvas ref={canvas} class="people" role="img" aria-label={label} />;
}

function rgb(colour: string): Colour {
  const value = Number.parseInt(colour.slice(1), 16);
  return [(value >> 16) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255];
}
