import { useEffect, useRef, useState } from "preact/hooks";
import type { MapView } from "../../src/explore/questions.js";
import { darkColours, lightColours } from "../../src/report/html/palette.js";
import { startWorker } from "../engine/start-worker.js";
import type { Colour, ToDrawer } from "./picture.js";

interface PeopleMapProps {
  readonly map: MapView;
  readonly k: number;
  readonly label: string;
}

/**
 * Everybody, coloured by cluster: as points, or beyond half a million by density. Whoever sees it in dark has it in light too, for
 * paper: the browser does not wait for a drawing when it prints.
 */
export function PeopleMap(props: PeopleMapProps) {
  const [hasDark, setHasDark] = useState(() => dark.matches);
  useEffect(() => {
    const look = () => dark.matches && setHasDark(true);
    dark.addEventListener("change", look);
    return () => dark.removeEventListener("change", look);
  }, []);
  return (
    <div class={hasDark ? "map twice" : "map"}>
      <Drawing {...props} colours={lightColours} scheme="light" />
      {hasDark && <Drawing {...props} colours={darkColours} scheme="dark" />}
    </div>
  );
}

const dark = matchMedia("(prefers-color-scheme: dark)");

/** A worker draws, in one way as long as this is shown. */
function Drawing(props: PeopleMapProps & { readonly colours: readonly string[]; readonly scheme: "light" | "dark" }) {
  const { map, k, label, colours, scheme } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [{ worker, ready }] = useState(() => startWorker(new URL("map.js", import.meta.url)));
  const tell = (news: ToDrawer, transfer: Transferable[] = []) =>
    void ready.then(() => worker.postMessage(news, transfer));
  useEffect(() => {
    const shown = canvas.current;
    if (!shown) return undefined;
    const drawn = shown.transferControlToOffscreen();
    tell({ canvas: drawn, palette: colours.map(rgb) }, [drawn]);
    const look = () => {
      const scale = Math.min(2, devicePixelRatio);
      const [width, height] = [shown.clientWidth, shown.clientHeight].map((length) => Math.round(length * scale));
      tell({ width, height, scale });
    };
    const observer = new ResizeObserver(look);
    // Which looks at once.
    observer.observe(shown);
    return () => {
      observer.disconnect();
      worker.terminate();
    };
  }, []);
  useEffect(() => tell({ map, k }), [map, k]);
  return <canvas ref={canvas} class={`people ${scheme}`} role="img" aria-label={label} />;
}

function rgb(colour: string): Colour {
  const value = Number.parseInt(colour.slice(1), 16);
  return [(value >> 16) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255];
}
