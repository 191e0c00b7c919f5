/**
 * @file Colours and letters of pages and figures, for light and dark.
 *
 * Colours of series are Okabe and Ito's, which stay apart for colour-blind readers, lightened for the dark theme. A figure names
 * classes; `figureStyle` gives them colours, so that one drawing serves both themes. Source: jfly.uni-koeln.de/color.
 */

interface Theme {
  readonly paper: string;
  readonly ink: string;
  readonly muted: string;
  readonly rule: string;
  readonly window: string;
  readonly windowEdge: string;
  readonly stages: readonly [string, string];
  readonly series: readonly string[];
}

export const light: Theme = {
  paper: "#ffffff",
  ink: "#1b1f24",
  muted: "#5b636d",
  rule: "#d5d9de",
  window: "#eceef1",
  windowEdge: "#868e98",
  stages: ["#eceef1", "#d9dde2"],
  series: ["#0072b2", "#d55e00", "#00805d", "#b0508b", "#9a6a00", "#3a3f47"],
};

export const dark: Theme = {
  paper: "#161a20",
  ink: "#e8eaed",
  muted: "#a3abb5",
  rule: "#343b45",
  window: "#252b33",
  windowEdge: "#8a93a0",
  stages: ["#252b33", "#343c47"],
  series: ["#56b4e9", "#ff8a3d", "#2fc99a", "#e79ac8", "#f0c14b", "#c6ccd4"],
};

export const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

/** The style of every figure. Dark is for screens only: paper is white. */
export function figureStyle(): string {
  return [
    `.fig{font-family:${FONT};font-size:12px;font-variant-numeric:tabular-nums}.fig,.fig svg{overflow:visible}`,
    ".fig .small{font-size:11px}.fig .name{font-size:13px;font-weight:600}.fig .head{font-size:19px;font-weight:650}",
    ".fig .line{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}.fig .thin{stroke-width:1;opacity:.45}",
    ".fig .edge,.fig .exact,.fig .guess,.fig .rule,.fig .leader,.fig .bar{fill:none}",
    ".fig .edge{stroke-width:1.5}.fig .exact{stroke-width:1.25}.fig .guess{stroke-width:1.25;stroke-dasharray:1.5 3.5;stroke-linecap:round}",
    ".fig .bar{stroke-width:1.5}.fig .leader{stroke-width:.75;opacity:.7}.fig .seed{opacity:.55}.fig .band{opacity:.13}",
    ".fig .value{font-weight:600}.fig .halo{paint-order:stroke;stroke-width:3.5px;stroke-linejoin:round}",
    themed(light),
    `@media screen and (prefers-color-scheme:dark){${themed(dark)}}`,
  ].join("\n");
}

function themed(theme: Theme): string {
  const series = theme.series.map(
    (colour, i) =>
      `.fig .s${i} .line,.fig .s${i} .bar,.fig .s${i} .leader{stroke:${colour}}.fig .s${i} .dot,.fig .s${i} .band{fill:${colour}}` +
      `.fig .s${i} .open{fill:${theme.paper};stroke:${colour}}`,
  );
  return [
    `.fig .paper{fill:${theme.paper}}.fig .halo{stroke:${theme.paper}}.fig text{fill:${theme.ink}}.fig .muted{fill:${theme.muted}}`,
    `.fig .rule{stroke:${theme.rule}}.fig .window{fill:${theme.window}}.fig .edge,.fig .w .leader{stroke:${theme.windowEdge}}`,
    `.fig .inverse{fill:${theme.paper}}.fig .exact{stroke:${theme.ink}}.fig .guess{stroke:${theme.muted}}`,
    `.fig .stage0{fill:${theme.stages[0]}}.fig .stage1{fill:${theme.stages[1]}}`,
    ...series,
  ].join("");
}

/** The class that colours everything inside a group of one model. */
export const seriesClass = (index: number) => `s${index % light.series.length}`;
