import { darkColours, lightColours } from "./palette.js";

const light = `color-scheme:light;--page:#f6f5f2;--card:#fff;--ink:#1c1d21;--soft:#565a63;--line:#d9d7d0;--band:#dfe8f3;--accent:#1b3b81;
--good:#1a6b43;--doubtful:#7d5200;--bad:#a8201a;--badwash:#fbe6e4;--straywash:#fdf3d6;--goodwash:#e5f2ea;
--low4:#9dbbe6;--low3:#bed2ef;--low2:#d9e5f6;--low1:#edf3fb;--high1:#fdf1e6;--high2:#fae0c7;--high3:#f5c796;--high4:#efac66;
${lightColours.map((colour, i) => `--c${i}:${colour}`).join(";")}`;

const dark = `color-scheme:dark;--page:#0f1114;--card:#16191d;--ink:#e9e7e2;--soft:#a9adb6;--line:#343a42;--band:#243347;--accent:#8dd9fc;
--good:#6fcf97;--doubtful:#f0bc5e;--bad:#ff8f87;--badwash:#4a1f1f;--straywash:#40361a;--goodwash:#183226;
--low4:#2f5a97;--low3:#274a7a;--low2:#213a5c;--low1:#1c2b3f;--high1:#352a1e;--high2:#4d3720;--high3:#6b4820;--high4:#8a5a1e;
${darkColours.map((colour, i) => `--c${i}:${colour}`).join(";")}`;

const indices = lightColours.map((_, i) => i);
const heats = [1, 2, 3, 4];
/** Of lines in a plot: colours are not all that tells them apart. */
const dashes = ["none", "7 3", "3 3", "10 3 2 3", "12 4", "2 2 6 2", "1 3", "5 2"] as const;

/** One sheet for screens of any width, in light and dark, and for paper. Words wrap; only tables may scroll. */
export const style = `
:root{${light}}
@media (prefers-color-scheme:dark){:root{${dark}}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Liberation Sans",Arial,sans-serif;overflow-wrap:anywhere}
main{max-width:1000px;margin:0 auto;padding:28px 20px 60px}
.top{display:flex;flex-wrap:wrap;justify-content:space-between;gap:4px 20px;color:var(--soft);font-size:14px;margin:0 0 14px}
.top h1{font-size:14px;font-weight:600;margin:0;color:var(--ink)}
section,.verdict{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:24px 28px;margin:0 0 18px}
h2{font:600 22px/1.25 Charter,"Bitstream Charter","Sitka Text",Cambria,Georgia,"Liberation Serif",serif;margin:0 0 10px}
h3{font-size:16px;margin:26px 0 8px}
p{margin:0 0 12px;max-width:76ch}
small{font-size:12px;color:var(--soft)}
.aside{color:var(--soft);font-size:14px}
section>.aside:last-child{margin:16px 0 0}
code{font:13px/1.5 ui-monospace,"Cascadia Mono",Menlo,Consolas,"Liberation Mono",monospace;overflow-wrap:anywhere}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.verdict{border-top:6px solid var(--soft)}
.verdict.good{border-top-color:var(--good)}.verdict.doubtful{border-top-color:var(--doubtful)}.verdict.bad{border-top-color:var(--bad)}
.owner{margin:0 0 16px;padding:10px 14px;border:2px solid var(--bad);border-radius:8px;font-size:15px}
.stamp{display:flex;align-items:center;gap:10px;font-weight:700;font-size:15px;letter-spacing:.04em;text-transform:uppercase;margin:0 0 8px;color:var(--soft)}
.good .stamp{color:var(--good)}.doubtful .stamp{color:var(--doubtful)}.bad .stamp{color:var(--bad)}
.mark{display:inline-grid;place-items:center;width:26px;height:26px;border:2px solid;border-radius:50%;font-size:14px;line-height:1}
.sentence{font:400 27px/1.32 Charter,"Bitstream Charter","Sitka Text",Cambria,Georgia,"Liberation Serif",serif;max-width:none;margin:0 0 14px;text-wrap:pretty}
.sentence em{font-style:normal;font-weight:700}
.notes{margin:0 0 18px;padding:0 0 0 18px;font-size:15px;color:var(--soft)}.notes li{margin:3px 0}.notes b{color:var(--ink)}
.numbers{display:grid;grid-template-columns:repeat(6,minmax(0,1fr));gap:0;margin:0;border-top:1px solid var(--line);padding-top:16px}
.numbers div{padding:0 12px;border-left:1px solid var(--line)}.numbers div:first-child{padding-left:0;border:0}
.numbers dt{font-size:13px;color:var(--soft)}
.numbers dd{margin:0;font-size:22px;font-weight:600;font-variant-numeric:tabular-nums;line-height:1.3}
.numbers small{display:block;font-weight:400;line-height:1.35}
nav{font-size:14px;margin:0 0 18px;display:flex;flex-wrap:wrap;gap:4px 18px;padding:0 2px}
a{color:var(--accent)}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:4px 18px;padding:0;margin:0 0 6px;font-size:14px;color:var(--soft)}
.legend li{display:flex;align-items:center;gap:6px}
.clusters{margin-top:10px;gap:2px 14px}
.key{width:12px;height:12px;flex:none;vertical-align:-1px;overflow:visible}
.swatch{display:inline-block;width:18px;height:12px;flex:none}
.swatch.band{background:var(--band)}.swatch.whole{border-left:2px solid var(--ink);width:6px}.swatch.rule{width:2px;height:15px;margin:0 2px;background:repeating-linear-gradient(var(--soft) 0 3px,transparent 3px 6px)}
.hollow{fill:none;stroke:var(--soft);stroke-width:1.6}.hollow.broken{stroke:var(--bad);stroke-width:2.4}
.strip{display:grid;grid-template-columns:200px minmax(0,1fr);gap:14px;align-items:center;border-top:1px solid var(--line)}
.strip.axis{border:0}
.strip>span{padding:5px 0;line-height:1.3;min-width:0}.strip>span small{display:block}
.strip svg{width:100%;display:block;overflow:visible}
.strip text{font-size:11px;text-anchor:middle;fill:var(--ink);font-variant-numeric:tabular-nums}
.strip.axis text{fill:var(--soft);font-size:12px}
.band{fill:var(--band)}
.rule{stroke:var(--soft);stroke-width:1;stroke-dasharray:3 3}.whole{stroke:var(--ink);stroke-width:1.5}
.way{stroke:var(--soft);stroke-width:1.2}.ring{fill:var(--card);stroke:var(--soft);stroke-width:1.6}
.dot{width:1px;height:1px}
.dot circle,.dot path{fill:var(--card);stroke-width:2.2}
.dot.broken circle,.dot.broken path{stroke:var(--bad);stroke-width:3.4}
.dot.broken text{fill:var(--bad);font-weight:700}
.dot text.beside{text-anchor:start}
${indices.map((i) => `.s${i}{stroke:var(--c${i})}.f${i}{fill:var(--c${i})}i.c${i}{background:var(--c${i})}`).join("")}
.dot text,.centre text{stroke:none}
.wide{overflow-x:auto;margin:12px 0 0}
table{border-collapse:collapse;width:100%;font-size:14px;font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:5px 10px;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:normal}
thead th{font-weight:600;font-size:13px;color:var(--soft);vertical-align:bottom}
tbody th{font-weight:500;overflow-wrap:anywhere;min-width:90px}
.n{text-align:right;white-space:nowrap}
.grid small{display:block;line-height:1.25}.grid small.before{margin-top:2px}.grid small.before.worse{font-weight:400}
.broken{background:var(--badwash)}td.broken,.worse{color:var(--bad);font-weight:600}.strays{background:var(--straywash)}
.bars th,.bars td{border:0;padding:3px 10px 3px 0;vertical-align:middle}
.bars tbody th{white-space:nowrap;min-width:0}
.bars caption{text-align:left;color:var(--soft);font-size:13px;padding:0 0 4px}
.bars .n{width:1%;padding:3px 0 3px 12px}
.bar{width:100%;position:relative}
.bar i{display:block;height:16px;border-radius:2px;min-width:1px}
.bar u{position:absolute;top:0;bottom:0;border-left:1.5px solid var(--ink);outline:1px solid var(--card);margin-left:-1px}
i.plain{background:var(--soft)}i.strong{background:var(--accent)}
.bars td.bar{padding:3px 0}
.pair{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:10px 32px;align-items:start}
figure{margin:0}figcaption{font-size:14px;color:var(--soft)}figcaption span{display:block;margin-top:4px}figcaption b{color:var(--ink);font-weight:600}
.map{display:block;width:100%;height:auto}
.frame{fill:none;stroke:var(--line)}
.map path{opacity:.72}
.centre circle{r:11px;fill:var(--card);stroke-width:3}.centre line{stroke-width:2}
.centre text{font-size:13px;font-weight:700;fill:var(--ink);text-anchor:middle;dominant-baseline:central}
.curve svg{width:100%;display:block;overflow:visible}
.curve polyline{fill:none;stroke:var(--accent);stroke-width:2;vector-effect:non-scaling-stroke}
.curve circle{fill:var(--accent)}
.curve path{fill:none;stroke:var(--line);vector-effect:non-scaling-stroke}.curve path.level{stroke:var(--soft);stroke-dasharray:4 4}
.curve text{font-size:12px;fill:var(--soft)}.curve text.level,.curve text.first{fill:var(--ink)}
.phase{fill:var(--band);opacity:.55}
.plot{margin:14px 0 6px;min-width:0}.axes{display:grid;grid-template-columns:auto minmax(0,1fr);margin:4px 0 0;padding:0 12px 0 0}.axes svg{display:block;overflow:visible}
.axes text{font-size:12px;fill:var(--soft);font-variant-numeric:tabular-nums}.end{text-anchor:end}.middle{text-anchor:middle}
.gridline{stroke:var(--line)}.line{fill:none;stroke-width:2;vector-effect:non-scaling-stroke}.line.reference,.reference .line{stroke:var(--soft)}
${indices.map((i) => `.line.l${i},.l${i} .line{stroke:var(--c${i});stroke-dasharray:${dashes[i]}}.l${i} .point{fill:var(--c${i})}.l${i} .ring{stroke:var(--c${i})}`).join("")}
.line.reference,.reference .line{stroke-dasharray:2 4}.reference .point{fill:var(--soft)}.reference .ring{stroke:var(--soft)}
.dot .ring,.ring{fill:none;stroke-width:2}.dot .point{stroke:none}.missing,.dot .missing{stroke:var(--bad);stroke-width:2;fill:none}
.dot.reference .point{fill:var(--soft)}${indices.map((i) => `.dot.l${i} .point{fill:var(--c${i})}`).join("")}
.xtitle{font-size:13px;color:var(--soft);text-align:center;margin:0 0 8px;max-width:none}.linekey{flex:none;overflow:visible}
.terms{margin:0 0 14px}.terms div{display:grid;grid-template-columns:52px minmax(0,1fr);gap:10px;padding:2px 0}.terms dt{font-weight:600}.terms dd{margin:0}
details{margin:10px 0}summary{cursor:pointer;color:var(--accent);font-size:14px;width:fit-content}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.portraits{list-style:none;margin:0;padding:0}
.portraits li{display:grid;grid-template-columns:200px minmax(0,1fr);gap:14px;padding:8px 0;border-top:1px solid var(--line)}
.who .key{margin-right:8px}.who small{display:block;padding-left:20px}
.ramp{display:flex;align-items:center;gap:2px;font-size:13px;color:var(--soft)}.ramp span{white-space:nowrap}.ramp i{width:24px;height:14px;background:var(--card);border:1px solid var(--line)}.ramp span{margin:0 6px 0 0}.ramp i+span{margin:0 0 0 6px}
${heats.map((i) => `.heat .low${i},.ramp .low${i}{background:var(--low${i})}.heat .high${i},.ramp .high${i}{background:var(--high${i})}`).join("")}
.heat td small{color:inherit}
.facts th{width:200px;font-weight:500;color:var(--soft)}.facts ul{margin:0;padding:0 0 0 18px}
.facts td{overflow-wrap:anywhere}
@media screen and (max-width:760px){main{padding:16px 10px 40px}section,.verdict{padding:18px 16px}.sentence{font-size:22px}
.numbers{grid-template-columns:repeat(2,minmax(0,1fr));gap:14px 0}.numbers div:nth-child(odd){padding-left:0;border:0}
.strip{grid-template-columns:minmax(0,1fr);gap:0;padding:0 0 8px}.strip.axis{position:static}.strip.axis span{display:none}
.pair,.portraits li{grid-template-columns:minmax(0,1fr);gap:4px}.who small{display:inline;padding-left:8px}
.centre text{font-size:20px}.centre circle{r:16px;stroke-width:4}
.facts tr,.facts th,.facts td{display:block;width:auto;border:0;padding:0}.facts tr{border-bottom:1px solid var(--line);padding:6px 0}
th,td{padding:5px 7px}.axes .second{display:none}}
@media screen and (min-width:2400px){main{zoom:1.6}}
@media print{:root{${light};--page:#fff}
body{font-size:10.5pt;-webkit-print-color-adjust:exact;print-color-adjust:exact}
@page{margin:14mm}
main{max-width:none;padding:0}nav{display:none}.numbers{grid-template-columns:repeat(3,minmax(0,1fr));gap:10px 0}.numbers div:nth-child(3n+1){padding-left:0;border:0}
section,.verdict{border:0;border-radius:0;padding:0 0 12px;margin:0 0 14px}.verdict{border-top:6px solid var(--soft);padding-top:12px}
h2,h3{break-after:avoid}figure,tr,.strip,.terms,.portraits li,.numbers,.legend{break-inside:avoid}
.wide{overflow:visible}details:not([open]){display:none}th,td{padding:3px 4px}table{font-size:8pt}.grid small{font-size:7pt}thead th{font-size:8pt}thead .n,.n small{white-space:normal}tbody th{min-width:80px}.sentence{font-size:17pt}}
`.trim();
