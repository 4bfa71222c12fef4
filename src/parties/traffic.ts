/** Messages between coordinator and parties. */
export interface Traffic {
  rounds: number;
  bytesUp: number;
  bytesDown: number;
}
