import type { MapView } from "../../src/explore/questions.js";

/** Red, green and blue from 0 to 1. */
export type Colour = readonly [number, number, number];

/** A map as it is to be drawn: in pixels of the screen, of which `scale` lie beside each other in one of the page's. */
export interface Picture<Map extends MapView = MapView> {
  readonly map: Map;
  readonly k: number;
  readonly width: number;
  readonly height: number;
  readonly scale: number;
  /** Of clusters, in turn. */
  readonly palette: readonly Colour[];
}

/** What a page tells the worker that draws: what is new of the picture, and at first the canvas. */
export type ToDrawer = Partial<Picture> & { readonly canvas?: OffscreenCanvas };
