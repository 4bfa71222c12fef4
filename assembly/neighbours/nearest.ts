/** The rows of least score that were found so far, best first; among equals the one that was found first. */
@unmanaged
export class Nearest {
  /** u32 [k] and f32 [k] */
  found: usize;
  scores: usize;
  k: i32;
  count: i32;
  /** What a row has to be below to be taken. */
  worst: f32;

  begin(found: usize, scores: usize, k: i32): void {
    this.found = found;
    this.scores = scores;
    this.k = k;
    this.count = 0;
    this.worst = f32.MAX_VALUE;
  }

  /** Takes a row whose score is below `worst`; where vectors have several rows, only the first of them. */
  take(score: f32, id: u32, repeats: bool): void {
    if (repeats && this.has(id)) return;
    if (this.count < this.k) this.count++;
    let at = this.count - 1;
    for (; at > 0; at--) {
      const before = load<f32>(this.scores + <usize>(at - 1) * 4);
      if (before <= score) break;
      store<f32>(this.scores + <usize>at * 4, before);
      store<u32>(this.found + <usize>at * 4, load<u32>(this.found + <usize>(at - 1) * 4));
    }
    store<f32>(this.scores + <usize>at * 4, score);
    store<u32>(this.found + <usize>at * 4, id);
    if (this.count == this.k) this.worst = load<f32>(this.scores + <usize>(this.k - 1) * 4);
  }

  private has(id: u32): bool {
    for (let i = 0; i < this.count; i++) if (load<u32>(this.found + <usize>i * 4) == id) return true;
    return false;
  }

  /** Marks the places that stayed empty. */
  finish(): void {
    for (let i = this.count; i < this.k; i++) {
      store<u32>(this.found + <usize>i * 4, u32.MAX_VALUE);
      store<f32>(this.scores + <usize>i * 4, f32.MAX_VALUE);
    }
  }
}
