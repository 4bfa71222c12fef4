import { MoietyError } from "../../errors.js";
import type { DistinctIds } from "../../table/order.js";
import type { People } from "../../table/types.js";
import { type Card, type CardPart, cardHash } from "../consent/card.js";
import type { PartyOptions } from "./options.js";

/** A site's own data, as cards name them. What is wrong with them is said in the site's own log and nowhere else. */
export class SiteData {
  private readonly loaded = new Map<string, Promise<People>>();

  constructor(private readonly options: Pick<PartyOptions, "kit" | "ids" | "people" | "log">) {}

  /** The people that a card is about here, or those of them with these ids. */
  people(card: Card, common?: readonly string[]): Promise<People> {
    const { kit, people } = this.options;
    // Each preparation has a list of its own, and asks once.
    if (common) return this.privately(() => people(partAt(card, kit.name), card, common));
    const key = cardHash(card);
    let loading = this.loaded.get(key);
    if (!loading) {
      // Not more than one at a time: data is large, and most cards are run at once.
      this.loaded.clear();
      loading = this.privately(() => people(partAt(card, kit.name), card));
      this.loaded.set(key, loading);
      loading.catch(() => this.loaded.delete(key));
    }
    return loading;
  }

  /** How many people a card would be about here, as far as this site can tell alone. */
  async count(card: Card): Promise<number> {
    if (card.split !== "columns" || card.id === undefined) return (await this.people(card)).n;
    return (await this.ids(card.id)).sorted.length;
  }

  ids(column: string): Promise<DistinctIds> {
    return this.privately(() => this.options.ids(column));
  }

  /** Errors about this site's data are for this site: the others learn that there is one. */
  async privately<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const code = error instanceof MoietyError ? error.code : "failed";
      this.options.log(`cannot take part: ${(error as Error).message}`);
      const why = code === "infeasible" ? "its attributes make the job impossible" : "its data cannot be used as asked";
      throw new MoietyError(code === "infeasible" ? "infeasible" : "input", `${why}: its own log says why`);
    }
  }

  forget(): void {
    this.loaded.clear();
  }
}

/** What a site has on the card; of a training, with the label behind the protected attribute. */
function partAt({ parties, train }: Card, site: string): CardPart {
  const part = parties.find(({ name }) => name === site)!;
  return train ? { ...part, protect: [...part.protect, train.label] } : part;
}
