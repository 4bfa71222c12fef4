import { expect, it } from "vitest";
import { darkColours, lightColours } from "./palette.js";
import { style } from "./style.js";

function luminance(colour: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

/** A colour by its name in the light (0) or the dark (1) theme. */
function themed(name: string, theme: 0 | 1): string {
  const found = Array.from(style.matchAll(new RegExp(`--${name}:(#[0-9a-f]{3,6})`, "g")), ([, colour]) => colour);
  const colour = found[theme];
  return colour.length === 4 ? `#${[...colour.slice(1)].map((digit) => digit + digit).join("")}` : colour;
}

it("can be told from the background", () => {
  for (const colour of lightColours) expect(contrast(colour, themed("card", 0))).toBeGreaterThan(3);
  for (const colour of darkColours) expect(contrast(colour, themed("card", 1))).toBeGreaterThan(3);
});

it("leaves words readable on every ground", () => {
  for (const theme of [0, 1] as const) {
    const at = (name: string) => themed(name, theme);
    for (const ground of ["card", "page"]) expect(contrast(at("soft"), at(ground))).toBeGreaterThan(4.5);
    for (const tint of ["low4", "low3", "high3", "high4", "straywash"]) {
      expect(contrast(at("ink"), at(tint))).toBeGreaterThan(4.5);
    }
    expect(contrast(at("bad"), at("badwash"))).toBeGreaterThan(4.5);
    for (const word of ["good", "bad", "accent"]) expect(contrast(at(word), at("card"))).toBeGreaterThan(4.5);
  }
});
