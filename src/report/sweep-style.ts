import { Markup } from "./html/markup.js";

/** The page's looks: by daylight, in the dark and on paper. Colours differ in lightness too, for those who see few. */
export const sweepStyle = new Markup(`
:root { --paper: #fff; --ink: #1b1f24; --faint: #59636e; --rule: #d9dee3; --mark: #b3261e;
  --l0: #1f5fbf; --l1: #c2410c; --l2: #0f766e; --l3: #7c3aed; --l4: #a16207; --l5: #be185d; --l6: #3f6212; --l7: #475569; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #14181d; --ink: #e8ebee; --faint: #a3adb8; --rule: #343c45; --mark: #ff8a80;
    --l0: #7db3ff; --l1: #ff9b66; --l2: #4fd1c5; --l3: #b99bff; --l4: #e5bd5a; --l5: #ff8ec2; --l6: #a9d46a; --l7: #b6c2cf; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 860px; margin: 0 auto; padding: 32px 20px; }
h1 { margin: 0; font-size: 28px; line-height: 1.2; }
h2 { margin: 36px 0 4px; font-size: 20px; }
p { margin: 6px 0; max-width: 70ch; }
footer { margin-top: 36px; color: var(--faint); font-size: 14px; }
figure { margin: 12px 0; }
svg { width: 100%; height: auto; display: block; }
svg text { fill: var(--faint); font: 13px system-ui, sans-serif; }
.end { text-anchor: end; }
.middle { text-anchor: middle; }
.grid { stroke: var(--rule); }
.line { fill: none; stroke: currentColor; stroke-width: 2; }
g circle { fill: currentColor; }
g circle.mark { fill: none; stroke: currentColor; stroke-width: 2; }
svg text.name, svg text.mark { fill: currentColor; font-weight: 600; }
.missing { stroke: var(--mark); stroke-width: 2; fill: none; }
.reference { color: var(--faint); }
.reference .line { stroke-dasharray: 5 4; }
.line0 { color: var(--l0); } .line1 { color: var(--l1); } .line2 { color: var(--l2); } .line3 { color: var(--l3); }
.line4 { color: var(--l4); } .line5 { color: var(--l5); } .line6 { color: var(--l6); } .line7 { color: var(--l7); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 14px; font-variant-numeric: tabular-nums; }
th, td { padding: 4px 12px 4px 0; text-align: left; border-bottom: 1px solid var(--rule); vertical-align: top; }
th { color: var(--faint); font-weight: 600; }
.n { text-align: right; white-space: nowrap; }
td small { display: block; color: var(--faint); font-size: 12px; }
@media print { main { max-width: none; padding: 0; } section { break-inside: avoid; } }
`);
