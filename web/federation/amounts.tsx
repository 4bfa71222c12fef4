import { Cards } from "../layout.js";
import { words } from "./words.js";

interface AmountsProps {
  readonly label: string;
  /** Titles of what is counted, and of how much of it there is. */
  readonly titles: readonly [what: string, used: string];
  readonly rows: readonly {
    readonly what: string;
    readonly used: string;
    readonly most: string;
    /** Nothing is left. */
    readonly reached: boolean;
  }[];
}

/** How much there is of what may be had at most. */
export function Amounts({ label, titles: [what, used], rows }: AmountsProps) {
  return (
    <Cards label={label}>
      <table>
        <thead>
          <tr>
            <th scope="col">{what}</th>
            <th scope="col" class="n">
              {used}
            </th>
            <th scope="col" class="n">
              {words.atMost}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.what} class={row.reached ? "reached" : ""}>
              <th scope="row">{row.what}</th>
              <td class="n">{row.used}</td>
              <td class="n">
                {row.most}
                {row.reached ? <small> {words.nothingIsLeft}</small> : null}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Cards>
  );
}
