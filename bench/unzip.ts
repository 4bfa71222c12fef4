import { inflateRawSync } from "node:zlib";
import { MoietyError } from "../src/errors.js";

/** The records that end an archive, and that list a file; method 8 is compressed, 0 is stored as it is. */
const end = 0x06054b50;
const listed = 0x02014b50;
const deflated = 8;

/** The first file of a zip archive whose name ends so. Archives of 4 GB and more are not read. */
export function unzip(archive: Buffer, ending: string): Buffer {
  let at = archive.length - 22;
  while (at >= 0 && archive.readUInt32LE(at) !== end) at--;
  if (at < 0) throw new MoietyError("input", "a file that should be a zip archive is none: download it again");
  const files = archive.readUInt16LE(at + 10);
  let entry = archive.readUInt32LE(at + 16);
  for (let i = 0; i < files && archive.readUInt32LE(entry) === listed; i++) {
    const [nameLength, extra, comment] = [28, 30, 32].map((field) => archive.readUInt16LE(entry + field)) as number[];
    if (archive.toString("utf8", entry + 46, entry + 46 + nameLength!).endsWith(ending)) return read(archive, entry);
    entry += 46 + nameLength! + extra! + comment!;
  }
  throw new MoietyError("input", `the archive has no ${ending}: download it again`);
}

function read(archive: Buffer, entry: number): Buffer {
  const size = archive.readUInt32LE(entry + 20);
  const local = archive.readUInt32LE(entry + 42);
  const from = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
  const bytes = archive.subarray(from, from + size);
  return archive.readUInt16LE(entry + 10) === deflated ? inflateRawSync(bytes) : bytes;
}
