/** @file A recorded run as one HTML file: a slider over its moments, code, frames, objects with arrows, and output. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { dark, FONT, light } from "../../report/theme.ts";
import type { HistoryRecord } from "../../schemas/execution-trace.ts";

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const colors = ({ paper, ink, muted, rule, window, series }: typeof light, mark: string) =>
  `--paper:${paper};--ink:${ink};--muted:${muted};--rule:${rule};--soft:${window};--accent:${series[0]};--mark:${mark}`;

const style = `
:root{color-scheme:light dark;--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;${colors(light, "#fff1c2")}}
@media (prefers-color-scheme:dark){:root{${colors(dark, "#4a3a08")}}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:84rem;padding:1rem;background:var(--paper);color:var(--ink);font:16px/1.5 ${FONT}}
h1{font-size:1.25rem;margin:0;overflow-wrap:anywhere}h2{font-size:1rem;margin:0 0 .4rem}p{margin:.3rem 0;overflow-wrap:anywhere}
.muted{color:var(--muted)}
nav{position:sticky;top:0;z-index:2;background:var(--paper);padding:.6rem 0;display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;border-bottom:1px solid var(--rule)}
nav input{flex:1 1 12rem;min-width:0}nav output{flex:1 0 100%;font-variant-numeric:tabular-nums}
button{font:inherit;color:inherit;background:var(--soft);border:1px solid var(--rule);border-radius:6px;padding:.25rem .7rem}button:disabled{opacity:.5}
main{display:grid;grid-template-columns:minmax(0,5fr) minmax(0,6fr);gap:1.25rem;margin-top:1rem;align-items:start}
section{min-width:0}section+section{margin-top:1rem}code,pre{font:.875rem/1.5 var(--mono)}
ol{margin:0;padding:.3rem 0 .3rem 3.2rem;max-height:60vh;overflow:auto;border:1px solid var(--rule);border-radius:8px}
ol li::marker{color:var(--muted)}li code{white-space:pre}li.now{background:var(--mark)}
pre{margin:0;padding:.5rem .7rem;background:var(--soft);border-radius:8px;white-space:pre-wrap;overflow-wrap:anywhere;max-height:16rem;overflow:auto;min-height:2.4rem}
@media (max-width:50rem){main{grid-template-columns:minmax(0,1fr)}ol{max-height:40vh}}`;

/** `title` names the program, `lead` says how it was run. The policy of the page permits this one script and no request. */
export function recordingPage(record: HistoryRecord, title: string, lead: string): string {
  const viewer = (ending: string) =>
    readFileSync(new URL(`../../python/debugger/viewer.${ending}`, import.meta.url), "utf8");
  const script = `${viewer("mjs")}\nshowRecording(JSON.parse(document.getElementById("recording").textContent));\n`;
  const hash = createHash("sha256").update(script).digest("base64");
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  const data = JSON.stringify(record).replaceAll("<", "\\u003c");
  const end = record.reason === null ? "" : `<p>${escaped(record.reason)}</p>`;
  const buttons = [
    ["first", "First"],
    ["back", "Back"],
    ["forward", "Forward"],
    ["last", "Last"],
  ].map(([id, text]) => `<button type="button" id="${id}">${text}</button>`);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · Statelab</title><style>${style}${viewer("css")}</style></head>
<body><header><h1>${escaped(title)}</h1><p class="muted">${escaped(lead)}. CPython ${record.python.version}</p>${end}</header>
<nav aria-label="Steps">${buttons.slice(0, 2).join("")}<input type="range" id="slider" min="0" value="0" aria-label="Step">${buttons.slice(2).join("")}<button type="button" id="save">Save SVG</button><output id="step"></output></nav>
<main><div><section aria-label="Source code"><h2>Source code</h2><ol id="code" tabindex="0"></ol></section>
<section aria-label="Output"><h2>Output</h2><pre id="output" tabindex="0"></pre></section></div>
<section aria-label="Variables"><div class="stage"><div><h2>Frames</h2><div id="frames"></div></div><div><h2>Objects</h2><div id="objects"></div></div>
<svg id="arrows" class="arrows" aria-hidden="true"><defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs></svg></div></section></main>
<script type="application/json" id="recording">${data}</script>
<script type="module">${script}</script></body></html>
`;
}
