import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

/** What those may use who stand before people: the library and the command line. */
const face = [
  ...[
    "explore",
    "pages",
    "report",
    "federation",
    "engines",
    "scans",
    "algorithms",
    "learning",
    "grouping",
    "neighbours",
  ],
  ...["constraints", "table", "metrics", "privacy"],
];

/**
 * The rooms of the house and where their arrows may point. A new room, or a new arrow, is a decision, and this is the
 * place where it is made: say why in the commit that changes this table. Files directly in src/ (errors, version, turns, defined, wrong-shape, optional-package) are the ground that all stand on.
 */
const arrows: Record<string, readonly string[]> = {
  host: [],
  kernels: ["host"],
  // Long columns become coordinates in threads.
  table: ["host"],
  privacy: ["table", "kernels", "host"],
  constraints: ["table", "kernels"],
  metrics: ["table", "constraints"],
  parties: ["constraints", "table", "kernels", "privacy"],
  solver: ["constraints", "parties", "table", "kernels", "privacy"],
  algorithms: ["solver", "constraints", "parties", "table", "kernels", "privacy", "metrics", "host"],
  learning: ["solver", "constraints", "parties", "table", "kernels", "privacy", "metrics", "host"],
  // Nearest neighbours of vectors in lists: its balance is that of even clusters, over vectors that no promise is made about.
  // It reads and writes its own folder, of which only the lists that a query looks into are read.
  neighbours: ["solver", "table", "kernels", "host"],
  // Teams and panels of people in the memory of one machine: they keep the same bounds as clusters, and know no solver of clusters.
  grouping: ["constraints", "table", "kernels", "metrics"],
  federation: ["algorithms", "learning", "solver", "constraints", "parties", "table", "kernels", "privacy", "metrics"],
  // Clusters people who are only scanned: it has to know how tables become people, and solves a sample with what solves everybody.
  scans: ["algorithms", "solver", "constraints", "parties", "table", "kernels", "metrics"],
  // Scanners of people who live in databases and clusters, or are streamed from files: they know the questions of a scan and their engines' words, and no solver.
  // A holder of rows in a database answers what parties are asked.
  engines: ["scans", "parties", "kernels", "host", "table"],
  // The explore page's questions, answered in a tab or by a local server: it knows what is asked of a table, and shows it as reports do.
  // It trains classifiers, and says what a private run would spend before it is confirmed.
  explore: ["pages", "report", "algorithms", "learning", "constraints", "metrics", "privacy", "table", "host"],
  // The local servers of pages, and the federation's pages: what their readers see and decide is the federation's, how it reads the report's.
  pages: ["report", "federation", "algorithms", "table", "privacy"],
  report: ["federation", "algorithms", "learning", "grouping", "neighbours", "constraints", "table", "metrics"],
  entries: [
    "library",
    "grouping",
    "neighbours",
    "federation",
    "algorithms",
    "learning",
    "constraints",
    "metrics",
    "privacy",
    "table",
  ],
  library: ["host", ...face],
  cli: face,
  // The process behind the Python package: it asks the library, and tells of results as reports do. Threads of its own read large arrays.
  python: ["library", "report", "algorithms", "table", "kernels", "host"],
};
/** The rooms of the federation, from the lowest up: a room uses those before it, and nothing uses it back. */
const floors = [
  "store",
  "identity",
  "consent",
  "transport",
  "wire",
  "replay",
  "audit",
  "results",
  "party",
  "coordinator",
  "analyst",
  "local",
];
const ground = ["errors", "version", "turns", "defined", "wrong-shape", "optional-package"];
/** Rooms that get clocks, randomness, storage and networks handed in. */
const below = [
  "kernels",
  "table",
  "privacy",
  "constraints",
  "metrics",
  "parties",
  "solver",
  "algorithms",
  "learning",
  "grouping",
];

const outside = /^node:(net|tls|http|https|http2|dgram|dns|crypto|perf_hooks|timers|child_process|inspector)(\/|$)/;
/** What privacy may use: keys, ciphers, digests and signatures, but no randomness of its own. */
const cryptography = "node:crypto";
const disk = /^node:fs(\/|$)/;
/** A date that is made of given numbers is no clock. */
const clocksAndChance =
  /\bnew Date(?!\([\w.])|(?<!new )\bDate\s*[.(]|\bperformance\s*\.|\bhrtime\b|\bMath\.random\b|\bcrypto\s*\.|\bgetRandomValues\b|\brandom(Bytes|Fill|FillSync|Int|UUID)\b|\bgenerateKey/;

interface Import {
  readonly specifier: string;
  readonly typesOnly: boolean;
}

interface Source {
  /** Relative to src/, with forward slashes. */
  readonly path: string;
  /** The first folder; undefined for files directly in src/. */
  readonly room: string | undefined;
  readonly code: string;
  readonly imports: readonly Import[];
}

const root = dirname(fileURLToPath(import.meta.url));
const sources = filesIn(root).map(readSource);
/** Beside the house: benchmarks may reach into every room, and no room into them. */
const bench = join(root, "..", "bench");

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    // Tests may reach anywhere, and so may what only they use.
    if (entry.isDirectory()) return entry.name === "testing" ? [] : filesIn(path);
    return /\.ts$/.test(entry.name) && !/\.test\.ts$|^fixtures\.ts$/.test(entry.name) ? [path] : [];
  });
}

function readSource(file: string): Source {
  const path = relative(root, file).split(sep).join("/");
  const code = withoutComments(readFileSync(file, "utf8"));
  return { path, room: path.includes("/") ? path.split("/")[0] : undefined, code, imports: importsOf(code) };
}

function withoutComments(code: string): string {
  return code.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|[^:"'`])\/\/.*$/gm, "$1");
}

function importsOf(code: string): Import[] {
  const statements = code.matchAll(/(?:^|;)\s*(?:import|export)\s+(type\s+)?(?:([^"';]*?)\s+from\s+)?"([^"]+)"/gm);
  const imports = Array.from(statements, ([, type, names, specifier]) => ({
    specifier,
    typesOnly: type !== undefined || (names !== undefined && /^\{(\s*type\s[^,}]*,?)*\s*\}$/.test(names)),
  }));
  const dynamic = Array.from(code.matchAll(/\bimport\(\s*"([^"]+)"/g), ([, specifier]) => ({
    specifier,
    typesOnly: false,
  }));
  return [...imports, ...dynamic];
}

/** The path of an imported source relative to src/, without its ending; undefined for packages and for Node's own. */
function target(from: Source, specifier: string): string | undefined {
  if (!specifier.startsWith(".")) return undefined;
  const file = resolve(root, dirname(from.path), specifier);
  return relative(root, file).split(sep).join("/").replace(/\.js$/, "");
}

/** What the build makes of the kernels and of the threads' code. */
const embedded = "../dist/embedded/";

/** Every wrong import, as "from -> to". */
function wrong(among: readonly Source[], isWrong: (from: Source, imported: Import, to: string | undefined) => boolean) {
  return among.flatMap((from) =>
    from.imports
      .filter((imported) => isWrong(from, imported, target(from, imported.specifier)))
      .map(({ specifier }) => `${from.path} -> ${specifier}`),
  );
}

/** Of the scans, what is directly in the room: its folders hold the scanners, which read files and ask servers. */
const lower = sources.filter(({ room, path }) => below.includes(room ?? "") || /^scans\/[^/]+$/.test(path));

describe("tests", () => {
  it("look for the papers' data in one place, so that a clone without it passes", () => {
    const files = [root, bench].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => join(folder, path)),
    );
    const naming = files.filter(
      (file) => file.endsWith(".ts") && readFileSync(file, "utf8").includes(["shared", "data"].join("/")),
    );
    // Where tests look, where benchmarks look, and the help of the latter.
    expect(naming.map((file) => relative(root, file).split(sep).join("/")).sort()).toEqual([
      "../bench/command.ts",
      "../bench/datasets.ts",
      "testing/data.ts",
    ]);
  });
});

describe("the house", () => {
  it("has read its sources", () => {
    expect(sources.length).toBeGreaterThan(50);
    expect(sources.reduce((count, { imports }) => count + imports.length, 0)).toBeGreaterThan(200);
  });

  it("writes index accesses in one way, without an assertion behind them", () => {
    const written = [...sources, ...filesIn(bench).map(readSource)];
    expect(written.filter(({ code }) => code.includes("]!")).map(({ path }) => path)).toEqual([]);
  });

  it("enters feasibility by its entrance alone", () => {
    const inside = (path: string | undefined) => path?.startsWith("constraints/feasibility/");
    const others = sources.filter(({ path }) => !inside(path));
    const entrance = "constraints/feasibility/index";
    expect(wrong(others, (_, __, to) => inside(to) === true && to !== entrance)).toEqual([]);
  });

  it("has an order inside the federation, and no arrow that points up", () => {
    const roomOf = (path: string | undefined) => /^federation\/([^/]+)\//.exec(path ?? "")?.[1];
    const inside = sources.filter(({ path }) => roomOf(path) !== undefined);
    expect([...new Set(inside.map(({ path }) => roomOf(path)))].sort()).toEqual([...floors].sort());
    const upward = wrong(inside, ({ path }, _, to) => {
      const [from, towards] = [roomOf(path), roomOf(to)];
      if (from === undefined || towards === undefined || from === towards) return false;
      const apart = from === "coordinator" && towards === "party";
      return apart || floors.indexOf(towards) > floors.indexOf(from);
    });
    expect(upward).toEqual([]);
  });

  it("has no room that nobody decided on", () => {
    const rooms = new Set(sources.flatMap(({ room }) => room ?? []));
    expect([...rooms].filter((room) => !(room in arrows))).toEqual([]);
  });

  it("has no circle of rooms", () => {
    const reaches = (from: string, seen: readonly string[]): string[] =>
      arrows[from].flatMap((to) => (seen.includes(to) ? [[...seen, to].join(" -> ")] : reaches(to, [...seen, to])));
    expect(Object.keys(arrows).flatMap((room) => reaches(room, [room]))).toEqual([]);
  });

  it("lets arrows point one way", () => {
    const against = wrong(sources, ({ room }, _, to) => {
      if (to === undefined || room === undefined || to.startsWith(embedded)) return false;
      const other = to.includes("/") ? to.split("/")[0] : undefined;
      return other === undefined ? !ground.includes(to) : other !== room && !arrows[room].includes(other);
    });
    expect(against).toEqual([]);
  });

  it("keeps the ground free of rooms", () => {
    const grounded = sources.filter(({ path }) => ground.includes(path.replace(/\.ts$/, "")));
    expect(wrong(grounded, (_, __, to) => to?.includes("/") ?? false)).toEqual([]);
  });

  it("keeps privacy a leaf: the order of ids, and kernels", () => {
    const privacy = sources.filter(({ room }) => room === "privacy");
    const reaching = wrong(privacy, (_, { typesOnly }, to) => {
      return to?.startsWith("table/") === true && !typesOnly && to !== "table/order";
    });
    expect(reaching).toEqual([]);
  });

  it("keeps metrics a leaf: types, and what the bounds mean", () => {
    const metrics = sources.filter(({ room }) => room === "metrics");
    const reaching = wrong(metrics, (_, { typesOnly }, to) => {
      const elsewhere = to?.includes("/") && !to.startsWith("metrics/");
      return elsewhere === true && !typesOnly && to !== "constraints/bounds";
    });
    expect(reaching).toEqual([]);
  });

  it("touches the disk only where tables are read and written", () => {
    const reaching = wrong(lower, ({ path }, { specifier }) => {
      return disk.test(specifier) && !path.startsWith("table/disk/");
    });
    expect(reaching).toEqual([]);
  });

  it("knows Node only where tables are read and written, and for a party's cryptography: all else runs in a browser too", () => {
    const reaching = wrong(lower, ({ path, room }, { specifier, typesOnly }, to) => {
      const node = specifier.startsWith("node:") || (to?.startsWith("table/disk/") ?? false);
      const ofParty = room === "privacy" && !/^privacy\/(audit|accounting|noise)\//.test(path);
      return node && !typesOnly && !path.startsWith("table/disk/") && !ofParty;
    });
    expect(reaching).toEqual([]);
  });

  it("uses no network and no operating system's randomness below the federation", () => {
    const reaching = wrong(lower, ({ room }, { specifier }) => {
      return outside.test(specifier) && !(room === "privacy" && specifier === cryptography);
    });
    expect(reaching).toEqual([]);
  });

  it("makes no time and no chance of its own below the federation", () => {
    expect(lower.filter(({ code }) => clocksAndChance.test(code)).map(({ path }) => path)).toEqual([]);
  });
});
