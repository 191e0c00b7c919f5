/**
 * @file The page around a report: one HTML file without script or outside resources, for screen (light, dark, phone) and paper.
 */

import { type Child, element, type Markup, styleSheet } from "./svg.ts";
import { dark, FONT, figureStyle, light } from "./theme.ts";

interface Page {
  readonly title: string;
  readonly description: string;
  readonly body: readonly Child[];
}

/** The whole file. Its policy forbids scripts and every request, whatever a record contains. */
function page({ title, description, body }: Page): string {
  const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
  const head = element(
    "head",
    {},
    element("meta", { charset: "utf-8" }),
    element("meta", { "http-equiv": "Content-Security-Policy", content: policy }),
    element("meta", { name: "viewport", content: "width=device-width, initial-scale=1" }),
    element("meta", { name: "color-scheme", content: "light dark" }),
    element("meta", { name: "description", content: description }),
    element("title", {}, title),
    styleSheet(`${PAGE_STYLE}\n${figureStyle()}`),
  );
  return `<!doctype html>${element("html", { lang: "en" }, head, element("body", {}, body)).text}\n`;
}

/** A report: the header, then its parts. `heading` is the title of the page unless given; the lead is also its description. */
export function reportPage(
  header: {
    readonly eyebrow: string;
    readonly title: string;
    readonly heading?: string;
    readonly lead?: Child;
    readonly description?: string;
  },
  ...parts: Child[]
): string {
  const { eyebrow, title, heading = title, lead, description = title } = header;
  const top = element(
    "header",
    {},
    element("p", { class: "eyebrow" }, `Statelab \u00B7 ${eyebrow}`),
    element("h1", {}, heading),
    typeof lead === "string" ? element("p", { class: "lead" }, lead) : lead,
  );
  return page({ title: `${title} \u00B7 Statelab`, description, body: [element("main", {}, top, parts)] });
}

/** A part with its heading. */
export function section(heading: string, ...content: Child[]): Markup {
  return element("section", {}, element("h2", {}, heading), content);
}

export const paragraph = (...content: Child[]) => element("p", {}, content);
export const muted = (...content: Child[]) => element("p", { class: "muted" }, content);
export const caution = (...content: Child[]) => element("p", { class: "caution" }, content);
export const card = (...content: Child[]) => element("div", { class: "card" }, content);

/** Names with their values. */
export const facts = (entries: readonly (readonly [name: string, value: Child])[]) =>
  element(
    "dl",
    { class: "facts" },
    entries.map(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]),
  );

export const list = (items: readonly Child[]) =>
  element(
    "ul",
    {},
    items.map((item) => element("li", {}, item)),
  );

/** Text in a monospaced box, as it is typed or printed. */
export const command = (text: string) => element("pre", { class: "command" }, element("code", {}, text));

/** Figures in a grid of cards. */
export function cards(figures: readonly Markup[], caption?: string, ...more: Child[]): Markup {
  const grid = element(
    "div",
    { class: "grid" },
    figures.map((figure) => card(figure)),
  );
  return element("figure", {}, grid, more, caption === undefined ? null : element("figcaption", {}, caption));
}

/** A table as plain text, for the terminal. */
export interface PlainTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A table in a card that scrolls. `words`: how many columns, from the left, name the row. */
export function plainTable(
  { columns, rows }: { readonly columns: readonly string[]; readonly rows: readonly (readonly Child[])[] },
  words = 1,
  caption?: string,
  className = "all",
): Markup {
  const heads = columns.map((name, i) =>
    element("th", { scope: "col", ...(i < words && { class: "word" }) }, name),
  );
  const table = element(
    "table",
    { class: className },
    caption === undefined ? null : element("caption", {}, caption),
    element("thead", {}, element("tr", {}, heads)),
    element(
      "tbody",
      {},
      rows.map((row) => {
        const cells = row.map((cell, i) =>
          i < words ? element("th", { scope: "row" }, cell) : element("td", {}, cell),
        );
        return element("tr", {}, cells);
      }),
    ),
  );
  return element("div", { class: "card flow" }, table);
}

const variables = (theme: typeof light, surface: string, mark: string, markEdge: string) =>
  `--paper:${theme.paper};--surface:${surface};--ink:${theme.ink};--muted:${theme.muted};--rule:${theme.rule};--soft:${theme.window};--mark:${mark};--mark-edge:${markEdge}`;

const PAGE_STYLE = `
:root{color-scheme:light dark;${variables(light, "#f6f7f9", "#fff1c2", "#a86800")}}
@media screen and (prefers-color-scheme:dark){:root{${variables(dark, "#0e1116", "#4a3a08", "#f0c14b")}}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--surface);color:var(--ink);font:16px/1.55 ${FONT}}
main{max-width:61rem;margin:0 auto;padding:2.5rem 1rem 4rem}
h1,h2,h3,p,li,dd,dt,th,figcaption{overflow-wrap:break-word}dd,li{min-width:0}
h1{font-size:clamp(1.6rem,1.1rem + 2.4vw,2.5rem);line-height:1.15;letter-spacing:-.015em;margin:.4rem 0 1rem;text-wrap:balance}
h2{font-size:1.25rem;line-height:1.3;letter-spacing:-.005em;margin:0 0 .75rem}
p,ul,dl{margin:.5rem 0}p,li,dd{max-width:44rem}
section{margin:3rem 0 0}
.eyebrow{color:var(--muted);font-size:.875rem;margin:0}
.lead{font-size:1.125rem;max-width:46rem}
.caution{border-left:3px solid var(--mark-edge);padding-left:.8rem}
.muted,figcaption,caption{color:var(--muted)}
figcaption,caption{font-size:.875rem;line-height:1.45}
figure{margin:0}figcaption{margin-top:.6rem;max-width:46rem}
.card{background:var(--paper);border:1px solid var(--rule);border-radius:10px;padding:1rem}
svg.fig{display:block;width:100%;height:auto}
.grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,25rem),1fr));gap:1rem}
.analysis+.grid:not(:empty){margin-top:1rem}
.grid svg.fig{max-width:27rem;margin:0 auto}.grid>.card:has(>svg.broad){grid-column:1/-1}.grid svg.broad{max-width:45rem}
pre,code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace}
.trace{font-size:.875rem;line-height:1.55;margin:0;columns:19rem;column-gap:2rem;white-space:pre-wrap;overflow-wrap:anywhere}
mark{background:var(--mark);color:inherit;border:1.5px solid var(--mark-edge);border-radius:4px;padding:0 .3em;font-weight:700}
mark.asked{background:none;border-style:dashed;font-weight:400;font-size:.8em;margin:0 .25em 0 .1em}
.note{color:var(--muted);font-family:${FONT};font-size:.8125rem;margin-left:.6em;user-select:none}
.command{white-space:pre-wrap;overflow-wrap:anywhere;font-size:.9rem;margin:0 0 .75rem;padding:.7rem .9rem;background:var(--soft);border-radius:8px}
table{border-collapse:collapse;width:100%;font-size:.9rem;font-variant-numeric:tabular-nums}
caption{text-align:left;padding:0 0 .4rem}caption{font-size:.8125rem}caption strong{color:var(--ink);font-size:.9rem}
th,td{padding:.28rem 0 .28rem .6rem;text-align:right;vertical-align:top}td{white-space:nowrap}
th{font-weight:500}thead th{color:var(--muted);font-size:.8125rem;vertical-align:bottom}
th:first-child{text-align:left;padding-left:0}
tbody tr{border-top:1px solid var(--rule)}
.all th,.claims th{text-align:left;padding-left:.6rem}.all th:first-child,.claims th:first-child{padding-left:0}.all thead th,.claims thead th:not(:first-child){text-align:right}.all thead th{text-align:right}.all thead th.word,.all td.word{text-align:left}.all tbody th,.all tbody .word{white-space:nowrap}.claims td{min-width:6rem}.claims th small{display:block;font-weight:400}
.flow{overflow-x:auto}.card+.flow.card,figure+.flow.card,p+.flow.card,.below{margin-top:1rem}
td small{display:block;color:var(--muted);font-size:.75rem;font-weight:400;white-space:nowrap}
dl.facts{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1.25rem}
dt{font-weight:600}dl.facts dt{font-weight:400;color:var(--muted)}dd{margin:0 0 .6rem}dl.facts dd{margin:0}
h3{font-size:1rem;margin:0 0 .4rem}
summary{cursor:pointer;padding:.4rem 0}details dl,details ul{margin:.3rem 0 1rem}
a{color:inherit}
@media screen and (max-width:40rem){
main{padding-top:1.5rem}section{margin-top:2.25rem}
.card{padding:.75rem .6rem;overflow-x:auto}
svg.broad{width:50rem;max-width:none}
.flow>table.all{min-width:40rem}
}
@media print{
@page{margin:16mm 14mm}
body{background:none;font-size:10.5pt}main{max-width:none;padding:0}
h1{font-size:20pt}h2{break-after:avoid}section{margin-top:8mm}
.card{border-color:#bbb;break-inside:avoid}.flow.card{break-inside:auto}
table,svg,tr,li{break-inside:avoid}dl:not(.facts){columns:2;column-gap:8mm}dt{break-after:avoid}dd{break-inside:avoid}p{orphans:3;widows:3}
.grid{grid-template-columns:1fr 1fr}
.trace{font-size:8.5pt;columns:2}
mark,.stage0,.stage1,.window{print-color-adjust:exact;-webkit-print-color-adjust:exact}
}`;
