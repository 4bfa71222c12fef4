import type { PointMap } from "../../src/explore/questions.js";
import type { Picture } from "./picture.js";

const margin = 0.02;
/** Points of this many people cover the map; with more of them each is fainter, so that the picture shows density. */
const opaque = 4000;

const vertices = `#version 300 es
in vec2 place; in vec3 colour; uniform float size; out vec3 shade;
void main() { gl_Position = vec4(place * 2.0 - 1.0, 0, 1); gl_PointSize = size; shade = colour; }`;
const fragments = `#version 300 es
precision mediump float; in vec3 shade; uniform float strength; out vec4 colour;
void main() { vec2 from = gl_PointCoord - 0.5; if (dot(from, from) > 0.25) discard; colour = vec4(shade * strength, strength); }`;

/** Draws a map by WebGL 2, or pixel by pixel where there is none that is fast. */
export function drawPoints(canvas: OffscreenCanvas, picture: Picture<PointMap>): void {
  const { map, k, width, height, scale, palette } = picture;
  [canvas.width, canvas.height] = [width, height];
  const count = map.clusters.length;
  const size = scale * (count > 100_000 ? 1.5 : count > 10_000 ? 2.5 : 4);
  const strength = Math.max(0.08, Math.min(0.75, Math.sqrt(opaque / count)));
  const places = new Float32Array(2 * count);
  const colours = new Float32Array(3 * count);
  // By cluster in turn, the largest first, so that small ones are not buried.
  const order = orderOf(map.clusters, k);
  order.forEach((person, at) => {
    places[2 * at] = margin + (1 - 2 * margin) * map.points[2 * person];
    places[2 * at + 1] = margin + (1 - 2 * margin) * map.points[2 * person + 1];
    colours.set(palette[map.clusters[person] % palette.length], 3 * at);
  });
  const gl = canvas.getContext("webgl2", {
    premultipliedAlpha: true,
    preserveDrawingBuffer: true,
    // Graphics without a graphics card take longer than pixels do.
    failIfMajorPerformanceCaveat: true,
  });
  if (gl) drawByGraphics(gl, { places, colours, size, strength, count });
  else drawByPixels(canvas, { places, colours, size, strength, count });
}

interface Points {
  readonly places: Float32Array;
  readonly colours: Float32Array;
  readonly size: number;
  readonly strength: number;
  readonly count: number;
}

function drawByGraphics(gl: WebGL2RenderingContext, { places, colours, size, strength, count }: Points): void {
  const program = gl.createProgram();
  for (const [kind, source] of [
    [gl.VERTEX_SHADER, vertices],
    [gl.FRAGMENT_SHADER, fragments],
  ] as const) {
    const shader = gl.createShader(kind);
    if (!shader) return;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  gl.useProgram(program);
  for (const [name, values, width] of [
    ["place", places, 2],
    ["colour", colours, 3],
  ] as const) {
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
    const at = gl.getAttribLocation(program, name);
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, width, gl.FLOAT, false, 0, 0);
  }
  gl.uniform1f(gl.getUniformLocation(program, "size"), size);
  gl.uniform1f(gl.getUniformLocation(program, "strength"), strength);
  gl.viewport(0, 0, gl.canvas.width, gl.canvas.height);
  gl.clearColor(0, 0, 0, 0);
  gl.clear(gl.COLOR_BUFFER_BIT);
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  gl.drawArrays(gl.POINTS, 0, count);
}

/** Points laid over each other pixel by pixel, as graphics do: thousands of small rectangles would take a second. */
function drawByPixels(canvas: OffscreenCanvas, { places, colours, size, strength, count }: Points): void {
  const context = canvas.getContext("2d");
  if (!context) return;
  const { width, height } = canvas;
  const laid = new Float32Array(4 * width * height);
  const radius = size / 2;
  for (let i = 0; i < count; i++) {
    const [x, y] = [places[2 * i] * width, (1 - places[2 * i + 1]) * height];
    const [left, right] = [Math.max(0, Math.ceil(x - radius - 0.5)), Math.min(width - 1, Math.floor(x + radius - 0.5))];
    const [top, bottom] = [
      Math.max(0, Math.ceil(y - radius - 0.5)),
      Math.min(height - 1, Math.floor(y + radius - 0.5)),
    ];
    for (let row = top; row <= bottom; row++) {
      for (let column = left; column <= right; column++) {
        if ((column + 0.5 - x) ** 2 + (row + 0.5 - y) ** 2 > radius * radius) continue;
        const at = 4 * (row * width + column);
        for (let part = 0; part < 3; part++) laid[at + part] += strength * (colours[3 * i + part] - laid[at + part]);
        laid[at + 3] += strength * (1 - laid[at + 3]);
      }
    }
  }
  const image = context.createImageData(width, height);
  for (let at = 0; at < laid.length; at += 4) {
    const cover = laid[at + 3];
    if (cover === 0) continue;
    for (let part = 0; part < 3; part++) image.data[at + part] = (255 * laid[at + part]) / cover;
    image.data[at + 3] = 255 * cover;
  }
  context.putImageData(image, 0, 0);
}

function orderOf(clusters: Uint16Array, k: number): Uint32Array {
  const sizes = new Uint32Array(k);
  for (const cluster of clusters) sizes[cluster]++;
  const next = new Uint32Array(k);
  let before = 0;
  for (const cluster of Array.from(sizes.keys()).sort((a, b) => sizes[b] - sizes[a])) {
    next[cluster] = before;
    before += sizes[cluster];
  }
  const order = new Uint32Array(clusters.length);
  clusters.forEach((cluster, person) => {
    order[next[cluster]++] = person;
  });
  return order;
}
