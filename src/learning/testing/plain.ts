/** Layers as their definitions read, one number at a time: for comparison with the kernels. */
export interface Plain {
  readonly height: number;
  readonly width: number;
  readonly channels: number;
  /** [height][width][channels] */
  readonly values: Float64Array;
}

type Next = (count: number) => Float64Array;

/** Hands out a net's parameters layer by layer, each beginning at a multiple of 4. */
export function parameterReader(parameters: Float32Array): Next {
  let at = 0;
  return (count) => {
    const values = Float64Array.from(parameters.subarray(at, at + count));
    at += Math.ceil(count / 4) * 4;
    return values;
  };
}

export function plainConvolution(
  x: Plain,
  outputs: number,
  { size, stride, padding }: { size: number; stride: number; padding: number },
  next: Next,
  bias = false,
): Plain {
  const height = Math.floor((x.height + 2 * padding - size) / stride) + 1;
  const width = Math.floor((x.width + 2 * padding - size) / stride) + 1;
  const weights = next(size * size * x.channels * outputs);
  const biases = bias ? next(outputs) : new Float64Array(outputs);
  const values = new Float64Array(height * width * outputs);
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      for (let o = 0; o < outputs; o++) {
        let sum = biases[o];
        for (let ky = 0; ky < size; ky++) {
          for (let kx = 0; kx < size; kx++) {
            const [y, z] = [row * stride - padding + ky, column * stride - padding + kx];
            if (y < 0 || z < 0 || y >= x.height || z >= x.width) continue;
            for (let c = 0; c < x.channels; c++) {
              const weight = weights[((ky * size + kx) * x.channels + c) * outputs + o];
              sum += weight * x.values[(y * x.width + z) * x.channels + c];
            }
          }
        }
        values[(row * width + column) * outputs + o] = sum;
      }
    }
  }
  return { height, width, channels: outputs, values };
}

export function plainNorm(x: Plain, groups: number, next: Next): Plain {
  const [gamma, beta] = [next(x.channels), next(x.channels)];
  const size = x.channels / groups;
  const values = Float64Array.from(x.values);
  for (let group = 0; group < groups; group++) {
    const places = Array.from(values.keys()).filter((i) => Math.floor((i % x.channels) / size) === group);
    const mean = places.reduce((sum, i) => sum + x.values[i], 0) / places.length;
    const variance = places.reduce((sum, i) => sum + (x.values[i] - mean) ** 2, 0) / places.length;
    for (const i of places) {
      const c = i % x.channels;
      values[i] = ((x.values[i] - mean) / Math.sqrt(variance + 1e-5)) * gamma[c] + beta[c];
    }
  }
  return { ...x, values };
}

export function plainRectifier(x: Plain): Plain {
  return { ...x, values: x.values.map((value) => Math.max(0, value)) };
}

export function plainSum(a: Plain, b: Plain): Plain {
  return { ...a, values: a.values.map((value, i) => value + b.values[i]) };
}

export function plainAverage(x: Plain): Plain {
  const pixels = x.height * x.width;
  const values = new Float64Array(x.channels);
  x.values.forEach((value, i) => {
    values[i % x.channels] += value / pixels;
  });
  return { height: 1, width: 1, channels: x.channels, values };
}

export function plainMaxPool(
  x: Plain,
  { size, stride, padding }: { size: number; stride: number; padding: number },
): Plain {
  const height = Math.floor((x.height + 2 * padding - size) / stride) + 1;
  const width = Math.floor((x.width + 2 * padding - size) / stride) + 1;
  const values = new Float64Array(height * width * x.channels);
  for (let i = 0; i < values.length; i++) {
    const [c, pixel] = [i % x.channels, Math.floor(i / x.channels)];
    const [row, column] = [Math.floor(pixel / width), pixel % width];
    for (let k = 0; k < size * size; k++) {
      const [y, z] = [row * stride - padding + Math.floor(k / size), column * stride - padding + (k % size)];
      if (y < 0 || z < 0 || y >= x.height || z >= x.width) continue;
      values[i] = Math.max(values[i], x.values[(y * x.width + z) * x.channels + c]);
    }
  }
  return { height, width, channels: x.channels, values };
}
