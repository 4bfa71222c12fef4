/** Work that is done one at a time for each name, in the order in which it came. */
export class Queues {
  private readonly last = new Map<string, Promise<unknown>>();

  take<T>(name: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.last.get(name) ?? Promise.resolve()).then(work);
    const over = turn
      .catch(() => undefined)
      .then(() => {
        if (this.last.get(name) === over) this.last.delete(name);
      });
    this.last.set(name, over);
    return turn;
  }
}
