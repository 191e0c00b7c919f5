/** @file Figures as PNG files, twice as large as the SVG, drawn with the fonts of the system by @resvg/resvg-js. */

import { fail, Words } from "../../core/error.ts";
import { FONT } from "../../report/theme.ts";

/** In the light theme: resvg ignores media queries. @throws LabError that says what to install */
export async function pngOf(figure: string): Promise<Uint8Array> {
  const { Resvg } = await renderer();
  const letter = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><text y="15">0</text></svg>';
  if (new Resvg(letter).innerBBox() === undefined)
    fail("export --to png", "a font in the system", new Words("none"), "Install one, such as DejaVu Sans");
  const drawn = new Resvg(figure.replaceAll(FONT, fonts), { fitTo: { mode: "zoom", value: 2 } });
  return drawn.render().asPng();
}

/** Common fonts by name: resvg takes any font for sans-serif, and reads a list wrongly that begins and ends with quotes. */
const fonts = "Segoe UI, Helvetica Neue, Arial, Roboto, DejaVu Sans, Liberation Sans, Noto Sans, sans-serif";

async function renderer() {
  try {
    return await import("@resvg/resvg-js");
  } catch {
    return fail(
      "export --to png",
      "the package @resvg/resvg-js",
      new Words("none"),
      "Install it beside statelab: npm install @resvg/resvg-js",
    );
  }
}
