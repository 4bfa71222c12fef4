import { gzipSync } from "node:zlib";

export const table = `age,income,sex\n${Array.from({ length: 60 }, (_, i) => `${20 + i},${1000 + 7 * i},${i % 2 ? "F" : "M"}`).join("\n")}\n`;
const noise = Buffer.from(Array.from({ length: 600 }, (_, i) => (7919 * i + 13 * i * i) % 256));
const zipped = gzipSync(table);
const texts = Array.from({ length: 60 }, (_, i) => `name ${i},street ${i}`).join("\n");
const nested = JSON.stringify(
  Array.from({ length: 60 }, (_, i) => ({
    age: (i * 7) % 50,
    income: i % 9,
    home: { floor: i % 3 },
    sex: i % 2 ? "F" : "M",
  })),
);
export const hugeCell = 3_000_000;

/** Files that are no table, and the one sentence that says so. */
export const refused: readonly [name: string, content: string | Buffer, says: string][] = [
  ["empty.csv", "", "empty.csv is an empty file"],
  ["header.csv", "age,income\n", "header.csv has no rows"],
  ["ragged.csv", "a,b\n1,2\n3\n", "not a table: ragged.csv: row 3 has 1 cell and the header has 2"],
  ["quote.csv", 'a,b\n1,"2\n3,4\n', "not a table: quote.csv: row 2 opens a quote that is never closed"],
  ["garbage.csv", noise, "not a table: garbage.csv: it holds binary data"],
  ["zeros.csv", "age,income\n1,2\n3\0,4\n5,6\n", "not a table: zeros.csv: it holds binary data"],
  ["cut.csv.gz", zipped.subarray(0, zipped.length >> 1), "not a table: cut.csv.gz: it is not a whole gzip file"],
  [
    "broken.parquet",
    Buffer.concat([Buffer.from("PAR1"), noise, Buffer.from("PAR1")]),
    "not a table: broken.parquet: it is not a whole Parquet file",
  ],
  ["numbers.json", "[1, 2, 3]", "not a table: numbers.json: it is not a JSON table"],
  ["cut.json", '[{"age": 1}, {"a', "not a table: cut.json: it is not a JSON table"],
  ["twice.csv", "age,age,sex\n1,2,F\n3,4,M\n", "twice.csv has 2 columns named 'age'; names must differ"],
  ["really-gzip.csv", zipped, "not a table: really-gzip.csv: it is gzip; let its name end in .gz"],
  ["really-json.csv", '[{"age": 1}]', "not a table: really-json.csv: it is JSON; let its name end in .json"],
  ["really-csv.parquet", table, "not a table: really-csv.parquet: it is not a whole Parquet file"],
];

/** Files that are tables, however odd, and what the page says of what can be asked of them. */
export const accepted: readonly [name: string, content: string | Buffer, says: RegExp][] = [
  ["wide.csv", Buffer.from(`\ufeff${table}`, "utf16le"), /This can be met with 60 people\./],
  [
    "appended.csv.gz",
    Buffer.concat([table.slice(0, 200), table.slice(200)].map((part) => gzipSync(part))),
    /This can be met with 60 people\./,
  ],
  ["nested.json", nested, /This can be met with 60 people\./],
  ["texts.csv", `name,street\n${texts}\n`, /no features: the table has no numeric column/],
  ["huge-text.csv", `${table}80,9000,${"y".repeat(hugeCell)}\n`, /This can be met with 61 people\./],
  ["far-numbers.csv", `${table}30,9e300,F\n`, /column 'income' has numbers too large to scale/],
  ["huge-number.csv", `${table}${"9".repeat(hugeCell)},1,F\n`, /1 cell with infinity/],
];
