/**
 * @file A state of a Python program as frames and objects with arrows; and the script of a page that shows a recorded run
 * (src/app/trace/page.ts). It makes elements and text only, never markup, so that a program's text stays text.
 *
 *     #12        the address of moment 12 in that page
 */

const MOST = 60;

function make(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

const isObject = (value) => value !== null && typeof value === "object";
const plural = (count) => (count === 1 ? "1 more" : `${count} more`);

/** The kind of a container and its entries, [name, value]; undefined for a value without parts. */
function partsOf(value) {
  if (Array.isArray(value)) return ["list", value.map((each, i) => [i, each])];
  if (!isObject(value)) return undefined;
  for (const kind of ["tuple", "set", "frozenset", "deque"])
    if (kind in value) return [kind, value[kind].map((each, i) => [kind.endsWith("set") ? "" : i, each])];
  if ("dict" in value)
    return [
      "dict",
      value.dict.map((pair) => (Array.isArray(pair) ? [written(pair[0]), pair[1]] : ["", pair])),
    ];
  if ("data" in value || "fields" in value)
    return [
      value.object,
      [...("data" in value ? [["", value.data]] : []), ...Object.entries(value.fields ?? {})],
    ];
  return undefined;
}

/** A value in Python's notation, in one line. */
function written(value) {
  if (value === null) return "None";
  if (value === true || value === false) return value ? "True" : "False";
  if (typeof value === "string") return quoted(value);
  if (typeof value === "number") return String(value);
  const parts = partsOf(value);
  if (parts !== undefined) {
    const [kind, entries] = parts;
    const items = entries.map(([name, each]) =>
      kind === "dict" && name !== "" ? `${name}: ${written(each)}` : written(each),
    );
    if (kind === "list") return `[${items.join(", ")}]`;
    if (kind === "tuple") return `(${items.join(", ")}${items.length === 1 ? "," : ""})`;
    if (kind === "dict" || (kind === "set" && items.length > 0)) return `{${items.join(", ")}}`;
    return `${kind}(${items.join(", ")})`;
  }
  if ("is" in value) return written(value.is);
  if ("ref" in value) return "…";
  if ("text" in value) return `${quoted(value.text)}… ${plural(value.cut)}`;
  for (const kind of ["bytes", "bytearray"]) if (kind in value) return `${kind}.fromhex('${value[kind]}')`;
  if ("range" in value) return `range(${value.range.join(", ")})`;
  if ("slice" in value) return `slice(${value.slice.map(written).join(", ")})`;
  if ("object" in value) return value.repr?.join("") ?? `<${value.object}>`;
  if ("cut" in value) return `… ${plural(value.cut)}`;
  return String(Object.values(value)[0]); // int, float, complex, constant
}

const quoted = (text) => {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const shown = text.length > 200 ? `${text.slice(0, 200)}…` : text;
  return (
    quote + JSON.stringify(shown).slice(1, -1).replaceAll('\\"', '"').replaceAll(quote, `\\${quote}`) + quote
  );
};

/**
 * Draws frames, outermost first, and the objects that their variables refer to. `nameCell(name)` makes what stands for a variable.
 * Returns the arrows: [cell, box].
 */
export function drawFrames(list, frames, objects, nameCell = (name) => name) {
  frames.replaceChildren();
  objects.replaceChildren();
  const boxes = new Map(); // by label
  const arrows = []; // [cell, label or box]
  const cellFor = (value, isInBox) => {
    const cell = make("td", "value");
    const isShared = isObject(value) && ("ref" in value || "is" in value);
    const content = isShared && "is" in value ? value.is : value;
    const holdsShared = /"(is|ref)":/.test(JSON.stringify(value));
    if (!isShared && ((isInBox && !holdsShared) || partsOf(value) === undefined)) {
      cell.append(written(value));
      return cell;
    }
    cell.append(make("span", "dot"));
    cell.classList.add("pointer");
    arrows.push([cell, "ref" in value ? value.ref : boxFor(content, value.id)]);
    return cell;
  };
  const boxFor = (value, label) => {
    const box = make("table", "object");
    objects.append(box);
    if (label !== undefined) boxes.set(label, box);
    const [kind, entries] = partsOf(value) ?? ["", [["", value]]];
    box.append(make("caption", "", kind === "" && "object" in value ? value.object : kind));
    for (const [name, each] of entries.slice(0, MOST))
      box.append(make("tr", "", make("th", "", String(name)), cellFor(each, true)));
    if (entries.length > MOST)
      box.append(make("tr", "", make("th"), make("td", "", `… ${plural(entries.length - MOST)}`)));
    if (entries.length === 0) box.append(make("tr", "", make("td", "muted", "empty")));
    return box;
  };
  for (const [depth, { title, variables, ends }] of list.entries()) {
    const table = make("table", depth === list.length - 1 ? "frame now" : "frame");
    table.append(make("caption", "", title));
    for (const { name, value, isChanged } of variables)
      table.append(
        make("tr", isChanged ? "changed" : "", make("th", "", nameCell(name)), cellFor(value, false)),
      );
    if (ends !== undefined) {
      const [how, value] = ends;
      const cell = how === "raises" ? make("td", "", value) : cellFor(value, true);
      table.append(make("tr", "returns", make("th", "", how), cell));
    }
    if (table.rows.length === 0) table.append(make("tr", "", make("td", "muted", "no variables")));
    frames.append(table);
  }
  return arrows
    .map(([cell, to]) => [cell, typeof to === "number" ? boxes.get(to) : to])
    .filter(([, box]) => box);
}

const SVG = "http://www.w3.org/2000/svg";

/** Draws the arrows into `svg`, which lies over both lists. */
export function connectArrows(arrows, objects, svg) {
  for (const old of svg.querySelectorAll("path.arrow")) old.remove();
  const stage = svg.parentElement.getBoundingClientRect();
  svg.setAttribute("width", String(stage.width));
  svg.setAttribute("height", String(stage.height));
  for (const [cell, box] of arrows) {
    const from = cell.querySelector(".dot").getBoundingClientRect();
    const to = box.caption.getBoundingClientRect();
    const [x, y] = [from.left + from.width / 2 - stage.left, from.top + from.height / 2 - stage.top];
    const isBetweenObjects = objects.contains(cell); // drawn on the right of both
    const row = box.rows[0].getBoundingClientRect();
    const [u, v] = isBetweenObjects
      ? [row.right - stage.left + 3, row.top + row.height / 2 - stage.top]
      : [to.left - stage.left - 2, to.top + to.height / 2 - stage.top];
    const bend = Math.max(24, Math.abs(u - x) / 2);
    const ends = isBetweenObjects ? [Math.max(x, u) + 48, Math.max(x, u) + 48] : [x + bend, u - bend];
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("class", "arrow");
    path.setAttribute("d", `M${x} ${y}C${ends[0]} ${y} ${ends[1]} ${v} ${u} ${v}`);
    path.setAttribute("marker-end", "url(#head)");
    svg.append(path);
  }
}

/** The drawing as an SVG file without style sheet: boxes, arrows, and each word at its place on the screen. */
export function pictureOf(stage) {
  const { left, top, width, height } = stage.getBoundingClientRect();
  const color = (name) => {
    const sample = make("i");
    sample.style.color = `var(--${name})`;
    stage.append(sample);
    const { color } = getComputedStyle(sample); // without var() and light-dark()
    sample.remove();
    return color;
  };
  const svg = document.createElementNS(SVG, "svg");
  const add = (tag, attributes, text = "") => {
    const made = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
    made.textContent = text;
    svg.append(made);
  };
  const box = (element, fill, stroke) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    add("rect", { x: x - left, y: y - top, width, height, fill, stroke });
  };
  const whole = { width: width + 16, height: height + 16 };
  const viewBox = `-8 -8 ${whole.width} ${whole.height}`;
  for (const [name, value] of Object.entries({ ...whole, viewBox })) svg.setAttribute(name, String(value));
  add("rect", { x: -8, y: -8, ...whole, fill: color("paper") });
  for (const row of stage.querySelectorAll("tr"))
    box(
      row,
      row.className === "changed" ? color("mark") : "none",
      color(row.closest(".now") ? "accent" : "rule"),
    );
  const texts = document.createTreeWalker(stage, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const style = getComputedStyle(node.parentElement);
    for (const { index, 0: word } of node.data.matchAll(/\S+/g)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const { x, bottom, height } = range.getBoundingClientRect();
      const { color: fill, fontFamily, fontSize, fontWeight } = style;
      const font = { fill, "font-family": fontFamily, "font-size": fontSize, "font-weight": fontWeight };
      add("text", { x: x - left, y: bottom - top - height / 4, ...font }, word);
    }
  }
  for (const dot of stage.querySelectorAll(".dot")) {
    const { x, y, width } = dot.getBoundingClientRect();
    const r = width / 2;
    add("circle", { cx: x - left + r, cy: y - top + r, r, fill: color("accent") });
  }
  for (const arrow of stage.querySelectorAll("path.arrow")) {
    const d = arrow.getAttribute("d");
    add("path", { d, fill: "none", stroke: color("accent"), "stroke-width": 1.5 });
    const [u, , x, y] = d
      .match(/-?[\d.]+/g)
      .slice(-4)
      .map(Number);
    const side = u > x ? 8 : -8; // the arrow comes from there
    add("path", { d: `M${x} ${y}l${side} -4v8z`, fill: color("accent") });
  }
  return new XMLSerializer().serializeToString(svg);
}

/** Shows a recorded run in the page of src/app/trace/page.ts. */
export function showRecording(record) {
  const { events } = record;
  const last = events.length - 1;
  const output = /[\ud800-\udfff]/.test(record.output) ? [...record.output] : record.output; // Python counts characters
  const find = (id) => document.getElementById(id);

  /** The active calls at each event, innermost first, as linked frames. */
  const stacks = [];
  for (let i = 0, top = null; i <= last; i++) {
    const { event, activation, function: name } = events[i];
    if (event === "call") top = { activation, name, below: top };
    while (top.activation !== activation) top = top.below;
    stacks.push(top);
    if (event === "return") top = top.below;
  }

  /** The variables at a moment, by `activation.name`; null beyond the limit of all states. Differences: src/schemas/state-diff.ts. */
  function stateAt(moment) {
    const isWhole = ({ names, set }) => names?.every((name) => typeof set?.[name] === "string");
    let first = moment;
    while (first > 0 && !isWhole(events[first])) first--;
    const texts = new Map();
    let known = [];
    for (const { names, set } of events.slice(first, moment + 1)) {
      if (set === undefined) return null;
      known = names ?? known;
      for (const [name, change] of Object.entries(set)) {
        const before = texts.get(name) ?? "";
        const [start, removed, inserted] = typeof change === "string" ? [0, before.length, change] : change;
        texts.set(name, before.slice(0, start) + inserted + before.slice(start + removed));
      }
    }
    return new Map(known.map((name) => [name, JSON.parse(texts.get(name))]));
  }

  /** The frames at a moment; undefined where its state was not recorded. */
  function framesAt(moment) {
    const state = stateAt(moment);
    if (state === null) return undefined;
    const before = moment === 0 ? null : stateAt(moment - 1);
    const stack = [];
    for (let frame = stacks[moment]; frame !== null; frame = frame.below) stack.unshift(frame);
    if (!stack.some(({ activation }) => activation === 0)) stack.unshift({ activation: 0, name: "<module>" });
    const { event, value, exception, unwinding } = events[moment];
    const returns = event === "return" && !unwinding ? ["returns", value ?? null] : undefined;
    const ends = exception ? ["raises", `${exception.type}: ${exception.message}`] : returns;
    return stack.map(({ activation, name }, depth) => {
      const prefix = `${activation}.`;
      const own = [...state].filter(([key]) => key.startsWith(prefix));
      return {
        title: name === "<module>" ? "module" : name,
        variables: own.map(([key, value]) => ({
          name: key.slice(prefix.length),
          value,
          isChanged: before !== null && JSON.stringify(before.get(key)) !== JSON.stringify(value),
        })),
        ...(depth === stack.length - 1 && { ends }),
      };
    });
  }

  const lines = record.source.replace(/\n$/, "").split(/\r\n|\r|\n/);
  find("code").append(...lines.map((line) => make("li", "", make("code", "", line || " "))));
  const slider = find("slider");
  slider.max = String(last);
  let at = -1;
  let arrows = [];
  const connect = () => connectArrows(arrows, find("objects"), find("arrows"));
  const names = { call: "call", line: "before the line runs", return: "return", exception: "exception" };

  function go(to) {
    const moment = Math.min(last, Math.max(0, Number.isInteger(to) ? to : 0));
    if (moment === at) return;
    at = moment;
    const { event, line, function: name, printed, unwinding } = events[at];
    const where = name === "<module>" ? "the module" : name;
    find("step").textContent =
      `Step ${at + 1} of ${last + 1}: line ${line} of ${where}, ${unwinding ? "left by an exception" : names[event]}`;
    slider.value = String(at);
    slider.setAttribute("aria-valuetext", find("step").textContent);
    for (const id of ["first", "back"]) find(id).disabled = at === 0;
    for (const id of ["forward", "last"]) find(id).disabled = at === last;
    for (const [i, row] of [...find("code").children].entries()) {
      row.className = i + 1 === line ? "now" : "";
      if (i + 1 === line) {
        row.setAttribute("aria-current", "step");
        const list = find("code");
        list.scrollTop = Math.max(0, row.offsetTop - list.offsetTop - list.clientHeight / 2);
      } else row.removeAttribute("aria-current");
    }
    const shown = at === last ? output : output.slice(0, printed);
    find("output").textContent = typeof shown === "string" ? shown : shown.join("");
    const list = framesAt(at);
    arrows = drawFrames(list ?? [], find("frames"), find("objects"));
    if (list === undefined)
      find("frames").append(
        make("p", "muted", "The states are too long together: this one was not recorded."),
      );
    connect();
    history.replaceState(null, "", `#${at}`);
  }

  slider.addEventListener("input", () => go(Number(slider.value)));
  for (const [id, move] of [
    ["first", () => 0],
    ["back", () => at - 1],
    ["forward", () => at + 1],
    ["last", () => last],
  ])
    find(id).addEventListener("click", () => go(move()));
  find("save").addEventListener("click", () => {
    const file = new Blob([pictureOf(document.querySelector(".stage"))], { type: "image/svg+xml" });
    const link = make("a");
    link.href = URL.createObjectURL(file);
    link.download = `step-${at + 1}.svg`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  });
  document.addEventListener("keydown", (pressed) => {
    if (pressed.target === slider || pressed.altKey || pressed.ctrlKey || pressed.metaKey) return;
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[pressed.key];
    if (to === undefined) return;
    pressed.preventDefault();
    go(to);
  });
  addEventListener("resize", connect);
  addEventListener("hashchange", () => go(Number(location.hash.slice(1))));
  go(Number(location.hash.slice(1)));
}
