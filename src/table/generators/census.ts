import { type Draw, numeric, text } from "./columns.js";
import { cumulate, Random } from "./random.js";

/** Columns of the US Census 1990 extract and how many codes each has there; rare military and subfamily flags left out. */
const codedColumns = `
  dAncstry1 12, dAncstry2 11, iAvail 5, iCitizen 5, iClass 10, dDepart 6, iDisabl1 3, iDisabl2 3, iEnglish 5,
  iFertil 14, dHispanic 10, dHour89 6, dHours 6, iImmigr 11, dIncome1 5, dIncome2 2, dIncome4 2, dIncome5 2,
  dIncome7 2, dIncome8 2, dIndustry 13, iLang1 3, iLooking 3, iMarital 5, iMeans 13, iMilitary 5, iMobility 3,
  iMobillim 3, dOccup 9, iPerscare 3, dPOB 7, dPoverty 3, iRagechld 5, dRearning 6, iRelat1 14, iRelat2 10,
  iRemplpar 16, iRiders 9, iRlabor 7, iRownchld 2, dRpincome 6, iRPOB 13, iRrelchld 2, iRspouse 7,
  iRvetserv 12, iSchool 4, dTravtime 7, dWeek89 3, iWork89 3, iWorklwk 3, iYearsch 18, iYearwrk 8, dYrsserv 3
`
  .split(",")
  .map((column) => column.trim().split(" "))
  .map(([name, codes]) => ({ name, codes: Number(codes) }));

const ageBands = ["00-12", "13-19", "20-29", "30-39", "40-49", "50-64", "65+"];
/** Walks of life. Codes depend on a person's walk and sex, and the walk on age: so plain clusters sort people by both. */
const walks = 12;
const walkShares = cumulate([0.16, 0.09, 0.08, 0.11, 0.1, 0.09, 0.08, 0.08, 0.07, 0.06, 0.05, 0.03]);
const bandOfWalk = [0, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6];
const femaleShare = [0.49, 0.49, 0.35, 0.62, 0.4, 0.7, 0.3, 0.6, 0.45, 0.72, 0.52, 0.66];
/** The population is the same for all seeds; a seed only draws people from it. */
const populationSeed = 1990;

/** A table in the shape of Census 1990: 53 coded columns in single precision, sex and age band; made for millions of rows. */
export function census(_: number, seed: number): Draw {
  const random = new Random(seed, 0);
  const walkOfByte = table256(walkShares);
  const coded = codedColumns.map(({ name, codes }, column) => {
    return { name, table: codeTable(codes, column), draws: new Random(seed, 1 + column) };
  });
  return (_, count) => {
    const pattern = new Uint8Array(count);
    const sex = new Uint8Array(count);
    const band = new Uint8Array(count);
    for (let i = 0; i < count; i++) {
      const walk = walkOfByte[random.byte()];
      sex[i] = random.uniform() < femaleShare[walk] ? 0 : 1;
      // One in five is older or younger than most in the same walk of life.
      const shift = random.byte();
      const usual = bandOfWalk[walk];
      band[i] = shift < 26 && usual > 0 ? usual - 1 : shift > 229 && usual < ageBands.length - 1 ? usual + 1 : usual;
      pattern[i] = 2 * walk + sex[i];
    }
    const columns = coded.map(({ name, table, draws }) => {
      const values = new Float32Array(count);
      drawCodes(values, pattern, table, draws);
      return numeric(name, values);
    });
    return [...columns, text("sex", sex, ["female", "male"]), text("ageBand", band, ageBands)];
  };
}

/** The hot loop: one random byte and one look-up for each cell. */
function drawCodes(values: Float32Array, pattern: Uint8Array, table: Uint8Array, random: Random): void {
  for (let i = 0; i < values.length; i++) values[i] = table[(pattern[i] << 8) | random.byte()];
}

/** For each walk of life and sex, 256 equally likely codes around that walk's usual one. */
function codeTable(codes: number, column: number): Uint8Array {
  const random = new Random(populationSeed, 1 + column);
  const table = new Uint8Array(2 * walks * 256);
  for (let walk = 0; walk < walks; walk++) {
    const usual = random.below(codes);
    const spread = 0.3 + 0.15 * codes * random.uniform();
    const lean = random.uniform() < 0.4 ? 1 : 0;
    for (let sex = 0; sex < 2; sex++) {
      const centre = Math.min(codes - 1, usual + sex * lean);
      const weights = Array.from({ length: codes }, (_, code) => Math.exp(-Math.abs(code - centre) / spread));
      table.set(table256(cumulate(weights)), (2 * walk + sex) * 256);
    }
  }
  return table;
}

/** Indices in proportion to their weights, to be chosen from by one byte. */
function table256(cumulative: Float64Array): Uint8Array {
  const total = cumulative[cumulative.length - 1];
  let index = 0;
  return Uint8Array.from({ length: 256 }, (_, i) => {
    while (cumulative[index] < ((i + 0.5) / 256) * total) index++;
    return index;
  });
}
