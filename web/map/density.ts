import type { DensityMap } from "../../src/explore/questions.js";
import type { Picture } from "./picture.js";

/** The faintest square that has anybody in it: one person among millions is still seen. */
const faintest = 0.12;

/** Draws how many people are where: colours are those of their clusters, mixed, and stronger where people are many. */
export function drawDensity(canvas: OffscreenCanvas, { map, palette, ...screen }: Picture<DensityMap>): void {
  const { width, height, squares, clusters, counts } = map;
  const [people, mixed] = [new Float64Array(width * height), new Float64Array(3 * width * height)];
  squares.forEach((square, i) => {
    people[square] += counts[i];
    const colour = palette[clusters[i] % palette.length];
    for (let part = 0; part < 3; part++) mixed[3 * square + part] += counts[i] * colour[part];
  });
  const most = Math.log1p(people.reduce((largest, each) => Math.max(largest, each), 1));
  const image = new ImageData(width, height);
  for (let square = 0; square < people.length; square++) {
    if (people[square] === 0) continue;
    // Rows of an image begin at the top.
    const at = 4 * ((height - 1 - Math.floor(square / width)) * width + (square % width));
    for (let part = 0; part < 3; part++) image.data[at + part] = (255 * mixed[3 * square + part]) / people[square];
    image.data[at + 3] = 255 * (faintest + (1 - faintest) * (Math.log1p(people[square]) / most));
  }
  const small = new OffscreenCanvas(width, height);
  small.getContext("2d")?.putImageData(image, 0, 0);
  [canvas.width, canvas.height] = [screen.width, screen.height];
  const context = canvas.getContext("2d");
  context?.drawImage(small, 0, 0, canvas.width, canvas.height);
}
