/** @file The types of viewer.mjs, for the studio. */

import type { PythonValue } from "../../schemas/python-value.ts";

interface Frame {
  readonly title: string;
  readonly variables: readonly {
    readonly name: string;
    readonly value: PythonValue;
    readonly isChanged: boolean;
  }[];
}
type Arrows = readonly (readonly [cell: Element, box: Element])[];

export function drawFrames(
  list: readonly Frame[],
  frames: Element,
  objects: Element,
  nameCell?: (name: string) => Node | string,
): Arrows;
export function connectArrows(arrows: Arrows, objects: Element, svg: Element): void;
export function pictureOf(stage: Element): string;
