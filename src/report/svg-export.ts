/** @file A figure of the page as a file of its own: with background, both themes, and half as large again. */

import { element, type Markup, standAlone } from "./svg.ts";
import { figureStyle } from "./theme.ts";

const [MARGIN, SCALE] = [16, 1.5];

/** `figure` is an <svg> with a viewBox that begins at 0 0. */
export function standAloneFigure(title: string, figure: Markup): string {
  const [, width, height] = /viewBox="0 0 (\S+) (\S+)"/.exec(figure.text)!.map(Number);
  const [outerWidth, outerHeight] = [width! + 2 * MARGIN, height! + 2 * MARGIN];
  return standAlone(
    {
      class: "fig",
      viewBox: `0 0 ${outerWidth} ${outerHeight}`,
      width: SCALE * outerWidth,
      height: SCALE * outerHeight,
      role: "img",
      "aria-label": title,
    },
    figureStyle(),
    element("title", {}, title),
    element("rect", { class: "paper", width: outerWidth, height: outerHeight, rx: 8 }),
    element("svg", { x: MARGIN, y: MARGIN, width: width!, height: height! }, figure),
  );
}
