/** @file How far long work is: what its generators yield between two parts of it. */

export interface PartsDone {
  readonly done: number;
  readonly of: number;
}
