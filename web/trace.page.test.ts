/** Programs that run in the page, in a real browser: their traces, and what they cannot reach. */

import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Studio, startStudio } from "../src/app/studio/server.ts";
import { traceCall } from "../src/app/trace/call.ts";
import { reaching } from "../src/python/sandbox/attacks/index.ts";
import { executablePath, expectFair, launch, type Opened, openPage } from "./page.test-helper.ts";
import { programs } from "./trace/programs.ts";

describe.skipIf(executablePath === undefined)("Python in Chromium", () => {
  let browser: Browser;
  let studio: Studio;
  /** One page for all: its Python takes seconds to load. */
  let opened: Opened;
  const faults: unknown[] = [];
  /** A server that must not be reached. */
  let outside: Server;
  let port = 0;
  const reached: string[] = [];

  beforeAll(async () => {
    outside = createServer((request, response) => {
      reached.push(request.url ?? "");
      response.writeHead(200, { "access-control-allow-origin": "*" });
      response.end("postMessage('reached')");
    });
    outside.on("connection", () => reached.push("a connection"));
    await new Promise<void>((ready) => outside.listen(0, "127.0.0.1", ready));
    port = (outside.address() as AddressInfo).port;
    studio = await startStudio({
      runs: tmpdir(),
      host: "127.0.0.1",
      port: 0,
      onFault: (error) => faults.push(error),
    });
    browser = await launch();
    opened = await openPage(browser, `${studio.url}#/trace`);
  });
  afterAll(async () => {
    await browser?.close();
    await studio?.close();
    outside?.closeAllConnections();
    outside?.close();
    expect(faults).toEqual([]);
  });

  async function write(page: Page, program: string) {
    await page.getByLabel("Python program").press("ControlOrMeta+a");
    await page.keyboard.insertText(program);
  }
  async function trace(page: Page, program: string) {
    await write(page, program);
    await page.getByRole("button", { name: "Run and trace" }).click();
    await page.getByRole("button", { name: "Run and trace" }).and(page.locator(":enabled")).waitFor();
  }
  const output = (page: Page) => page.locator(".transport output");

  test("a recursion is traced and verified as the command does, stepped through, and asked where a value came from", async () => {
    const { page } = opened;
    await trace(page, programs[0].text);
    const own = await traceCall({ source: programs[0].text.replace("fib(4, {})", ""), call: "fib(4, {})" });
    expect(own.proven).toBe(true);
    expect(await page.getByLabel("The trace", { exact: true }).innerText()).toContain(
      `CPython ${own.python.version}`,
    );
    expect(await page.getByLabel("Unrolled lines").getByRole("listitem").allInnerTexts()).toEqual(
      own.lines.map(({ code }) => code),
    );
    expect(await output(page).innerText()).toBe(`line 1 of ${own.lines.length}`);
    await page.getByRole("button", { name: "One line forward" }).click();
    expect(await output(page).innerText()).toContain("in fib1");
    await page.getByRole("button", { name: "Step out" }).click();
    expect(await output(page).innerText()).not.toContain("fib1");
    const behind = await output(page).innerText();
    await page.getByRole("button", { name: "Step back over" }).click();
    expect(await output(page).innerText()).toBe(`line 1 of ${own.lines.length}`);
    await page.getByRole("button", { name: "Step over", exact: true }).click();
    expect(await output(page).innerText()).toBe(behind);
    await page.getByLabel("Line of the trace").fill(String(own.lines.length - 1));
    await page.getByRole("button", { name: "Origin of known" }).click();
    const from = page.getByRole("region", { name: "Origin" });
    expect(await from.innerText()).toContain("known[n] = fib1_return");
    await from.getByRole("button", { name: "fib1_return" }).click();
    expect(await from.innerText()).toContain("fib1_return = fib1_known[fib1_n]");
    expect(page.url()).toContain("at=");
    for (const [width, scheme] of [
      [1280, "light"],
      [390, "dark"],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme: scheme });
      await expectFair(opened, width);
    }
  });

  test("one list in two places is told; text that differs from what ran is told; a value is guessed", async () => {
    const { page, wrong } = opened;
    await trace(page, programs[1].text);
    await page.getByLabel("Predict first").check();
    await page.getByRole("button", { name: "One line forward" }).click();
    expect(await page.getByLabel("Variables", { exact: true }).innerText()).not.toContain("[0, 0]");
    await page.getByLabel("row =").fill("[0,0]");
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByText("✓ correct").waitFor();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("1 of 1 predictions are correct").waitFor();
    await page.getByLabel("Predict first").uncheck();
    await page.getByRole("button", { name: "One line forward" }).click();
    // row, rows, and rows[0] and rows[1], which are row
    expect(await page.locator(".objects caption").allTextContents()).toEqual(["list", "list"]);
    expect(await page.locator("path.arrow").count()).toBe(4);
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "SVG" }).click();
    const picture = readFileSync(await (await saved).path(), "utf8");
    expect(picture).toContain(">rows<");
    expect(picture).not.toMatch(/var\(|light-dark/); // programs that draw for print know neither
    await write(page, `${programs[1].text}\n# other`);
    await page.getByText("The program has changed").waitFor();
    expect(wrong).toEqual([]);
  });

  test("the frame's document itself has no origin, and reaches neither the page nor the network", async () => {
    const { page } = opened;
    const frame = page.frames().find((each) => each.url().endsWith("python/frame.html"))!;
    const tried = await frame.evaluate(async (url) => {
      const results: Record<string, string> = { origin };
      const attempt = async (name: string, act: () => unknown) => {
        try {
          await act();
          results[name] = "out";
        } catch {
          results[name] = "refused";
        }
      };
      await attempt("fetch", () => fetch(url, { mode: "no-cors" }));
      await attempt("parent", () => parent.document.body.innerText);
      await attempt("cookie", () => document.cookie);
      await attempt("storage", () => localStorage.length);
      await attempt("popup", () => {
        if (open(url) === null) throw new Error();
      });
      await attempt(
        "image",
        () => new Promise((ok, no) => Object.assign(new Image(), { onload: ok, onerror: no, src: url })),
      );
      return results;
    }, `http://127.0.0.1:${port}/y.js`);
    expect(tried).toEqual({
      origin: "null",
      fetch: "refused",
      parent: "refused",
      cookie: "refused",
      storage: "refused",
      popup: "refused",
      image: "refused",
    });
    expect(reached).toEqual([]);
  });

  test("what is no program, never ends, or writes markup is told in a sentence; a trace's file is opened; what is none is refused", async () => {
    const { page, wrong } = opened;
    const before = wrong.length; // what the frame was refused
    const alert = page.getByRole("alert");
    await trace(page, "def f():\n    pass\n");
    expect(await alert.innerText()).toContain("Add a last line that calls a function: f(...)");
    await page.getByLabel("Standard input").fill("<b>\n");
    await trace(page, "name = input()\nprint(name)\n");
    expect(await page.getByLabel("Output").innerText()).toContain("<b>");
    await page.getByLabel("Standard input").fill("");
    await trace(page, "def f(:\n    pass\n\nf()\n");
    expect(await alert.last().innerText()).toContain("No trace");
    expect(await page.locator(".editor .wrong").innerText()).toBe("def f(:");
    await trace(page, "def f(n):\n    return f'<img src=x onerror=alert(1)>{n}'\n\nf(1)\n");
    expect(await page.locator("main img").count()).toBe(0);
    expect(await page.getByLabel("Unrolled lines").innerText()).toContain("<img src=x");
    await write(page, "def f():\n    while True:\n        pass\n\nf()\n");
    await page.getByRole("button", { name: "Run and trace" }).click();
    await page.getByRole("button", { name: "Stop" }).click();
    await alert.getByText("Python was closed").waitFor();
    const file = (name: string, text: string) => ({
      name,
      mimeType: "application/json",
      buffer: Buffer.from(text),
    });
    const own = await traceCall({ source: "def g(x):\n    y = x + 1\n    return y\n", call: "g(2)" });
    await page.getByLabel("or open a trace").setInputFiles(file("mine.json", JSON.stringify(own)));
    await page.getByLabel("Unrolled lines").getByText("y = x + 1").waitFor();
    await page.getByLabel("or open a trace").setInputFiles(file("bad.json", '{"version": 1}'));
    await alert.getByText("bad.json: expected a trace record").waitFor();
    await page.getByLabel("or open a trace").setInputFiles(file("bad.txt", "hello"));
    await alert.getByText("bad.txt: expected a trace as JSON").waitFor();
    expect(wrong.slice(before)).toEqual([]);
  });

  test("the lab serves the frame with a policy of its own, and Pyodide's files by their names alone", async () => {
    const { headers } = await fetch(`${studio.url}python/frame.html`);
    const policy = headers.get("content-security-policy") ?? "";
    for (const part of [
      "default-src 'none'",
      "connect-src 'none'",
      "sandbox allow-scripts",
      "frame-ancestors 'self'",
    ])
      expect(policy).toContain(part);
    expect(policy).not.toContain(" 'unsafe-");
    for (const name of ["package.json", "..%2fpackage.json", "pyodide.mjs"])
      expect((await fetch(`${studio.url}python/${name}`)).status).toBe(404);
  });

  /** The frame and its worker as the page starts them, asked to run each program; what it says to each. */
  const ends = (page: Page, codes: readonly string[]) =>
    page.evaluate(async (programs) => {
      const load = async (path: string) => (await fetch(path)).arrayBuffer();
      const text = async (path: string) => new TextDecoder().decode(await load(path));
      const [program, lab] = [await text("python.worker.js"), JSON.parse(await text("python/lab.json"))];
      const names = ["pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"];
      let frame: HTMLIFrameElement | undefined;
      const heard = (from: HTMLIFrameElement) =>
        new Promise<{ kind: string; text?: string; words?: string }>((answer) => {
          const listen = ({ source, data }: MessageEvent) => {
            if (source !== from.contentWindow) return;
            removeEventListener("message", listen);
            answer(data);
          };
          addEventListener("message", listen);
        });
      const said: string[] = [];
      for (const code of programs) {
        if (frame === undefined) {
          frame = document.createElement("iframe");
          frame.setAttribute("sandbox", "allow-scripts");
          frame.src = "python/frame.html";
          const open = heard(frame);
          document.body.append(frame);
          await open;
          const ready = heard(frame);
          frame.contentWindow?.postMessage({ program }, "*");
          const files = Object.fromEntries(
            await Promise.all(names.map(async (name) => [name, await load(`python/${name}`)])),
          );
          frame.contentWindow?.postMessage({ files, lab }, "*");
          await ready;
        }
        const answer = heard(frame);
        const request = JSON.stringify({ operation: "execute", code });
        const limits = { wallSeconds: 20, memoryBytes: 2 ** 29, outputBytes: 2 ** 20, resultBytes: 2 ** 20 };
        frame.contentWindow?.postMessage({ text: request, judged: false, pinned: false, ...limits }, "*");
        const { kind, text: reply, words } = await answer;
        said.push(reply ?? words ?? kind);
        if (kind !== "reply") {
          frame.remove();
          frame = undefined;
        }
      }
      frame?.remove();
      return said;
    }, codes);

  test("programs that try to leave the interpreter get nothing, and an honest one is answered", async () => {
    const target = { file: "/etc/hostname", folder: "/srv/open", port, variable: "HOME_OF_NOBODY" };
    const more = [
      "import pyodide_js",
      "import importlib\nimportlib.import_module('pyodide.http').open_url('http://127.0.0.1:PORT/').read()",
      "import urllib.request\nurllib.request.urlopen('http://127.0.0.1:PORT/').read()",
      "import http.client\nc = http.client.HTTPConnection('127.0.0.1', PORT)\nc.request('GET', '/')\nc.getresponse()",
      "import os\nassert os.system('true') == 0",
      "import importlib\nimportlib.import_module('micropip').install('x')",
      "import sys\nsys.modules['lab.entry'].platform.os.listdir('/etc/ssl')",
    ].map((code) => code.replaceAll("PORT", String(port)));
    // A full disk is of the machine; in memory there is another limit.
    const codes = [
      ...reaching.filter(({ name }) => name !== "full disk").map(({ code }) => code(target)),
      ...more,
    ];
    expect(codes.length).toBeGreaterThanOrEqual(20);
    const said = await ends(opened.page, ["x = 1", ...codes]);
    expect(said[0]).toContain('"outcome":"passed"');
    for (const [i, code] of codes.entries()) {
      expect(said[i + 1], code).toMatch(/^\{"kind": ?"(done|crashed|exited)"/);
      expect(said[i + 1], code).not.toContain('"passed"');
    }
    expect(reached).toEqual([]);
  });

  /** As JavaScript in the worker, as if a program had broken out of WebAssembly. Each says "out" where it got anything. */
  const broken: readonly (readonly [name: string, body: string])[] = [
    ["fetch", "await fetch('URL')"],
    ["fetch without CORS", "await fetch('URL', { mode: 'no-cors' })"],
    ["fetch of the lab's own runs", "await fetch('LABapi/runs', { mode: 'no-cors' })"],
    [
      "XMLHttpRequest",
      "await new Promise((ok, no) => { const x = new XMLHttpRequest(); x.onload = ok; x.onerror = no; x.open('GET', 'URL'); x.send(); })",
    ],
    [
      "WebSocket",
      "await new Promise((ok, no) => { const s = new WebSocket('ws://127.0.0.1:PORT/'); s.onopen = ok; s.onerror = no; })",
    ],
    [
      "EventSource",
      "await new Promise((ok, no) => { const s = new EventSource('URL'); s.onopen = ok; s.onerror = no; })",
    ],
    ["importScripts", "importScripts('URL')"],
    ["import()", "await import('URL')"],
    ["a module out of data", "await import('data:text/javascript,1')"],
    ["eval", "(0, eval)('1')"],
    ["Function", "new Function('return 1')()"],
    [
      "IndexedDB",
      "await new Promise((ok, no) => { const r = indexedDB.open('x'); r.onsuccess = ok; r.onerror = no; })",
    ],
    ["the cache", "await caches.open('x')"],
    [
      "a worker within",
      "await new Promise((ok, no) => { const w = new Worker('URL'); w.onmessage = ok; w.onerror = no; })",
    ],
    [
      "a service worker",
      "if (!navigator.serviceWorker) throw 0; await navigator.serviceWorker.register('URL')",
    ],
    ["WebTransport", "const t = new WebTransport('https://127.0.0.1:PORT/'); await t.ready"],
    ["the file system", "await navigator.storage.getDirectory()"],
    ["the page's storage", "localStorage.getItem('x')"],
    ["the page's document", "document.cookie"],
    ["the page around", "parent.document.body"],
  ];

  test("JavaScript in the frame's worker, as if a program had broken out, is refused everything", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${studio.url}#/zoo`);
    const run = (bodies: readonly string[]) =>
      page.evaluate(
        (all) =>
          Promise.all(
            all.map(
              (body) =>
                new Promise<string>((answer) => {
                  const program = `(async () => { ${body} })().then(() => postMessage("out"), (error) => postMessage("refused: " + error))`;
                  const frame = document.createElement("iframe");
                  frame.setAttribute("sandbox", "allow-scripts");
                  frame.src = "python/frame.html";
                  addEventListener("message", ({ source, data }) => {
                    if (source !== frame.contentWindow) return;
                    if (data.kind === "open") frame.contentWindow?.postMessage({ program }, "*");
                    else answer(typeof data === "string" ? data : JSON.stringify(data));
                  });
                  document.body.append(frame);
                }),
            ),
          ),
        bodies.map((body) =>
          body
            .replaceAll("URL", `http://127.0.0.1:${port}/x.js`)
            .replaceAll("PORT", String(port))
            .replaceAll("LAB", studio.url),
        ),
      );
    expect(await run(["1"])).toEqual(["out"]); // that nothing is wrong with the way of asking
    const said = await run(broken.map(([, body]) => body));
    for (const [i, [name]] of broken.entries()) expect(said[i], name).toMatch(/^refused/);
    expect(reached).toEqual([]);
    await fetch(`http://127.0.0.1:${port}/`);
    expect(reached.splice(0)).not.toEqual([]); // it can be reached
    await context.close();
  });
});
