/** The page at its largest: a thousand runs, a million lines of a log; forty addresses, at both widths and in both themes; how soon it is painted. */

import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Studio, startStudio } from "../src/app/studio/server.ts";
import { readSite } from "../src/app/studio/site.ts";
import { stoppedRun } from "../test/kit/runs.ts";
import { tmpFolder } from "../test/kit/tmp.ts";
import { actInKnapsack, askS5 } from "./answers/asked.test-helper.ts";
import { executablePath, expectFair, launch, openPage } from "./page.test-helper.ts";
import { views } from "./views/index.ts";

const RUNS = 1000;
const LINES = 1_000_000;

describe.skipIf(executablePath === undefined)("in Chromium", () => {
  const root = tmpFolder("scale");
  let browser: Browser;
  let studio: Studio;
  /** The page as files, below a path of another server. */
  let site: string;
  let files: Server;
  const missing: string[] = [];

  beforeAll(async () => {
    await stoppedRun(join(root, "long"));
    for (let i = 0; i < RUNS; i++) {
      const run = join(root, "many", `width=${i}`, "seed-0");
      mkdirSync(run, { recursive: true });
      for (const name of ["config.json", "metrics.jsonl"]) cpSync(join(root, "long", name), join(run, name));
    }
    const [line] = readFileSync(join(root, "long", "metrics.jsonl"), "utf8").split("\n");
    const record = JSON.parse(line);
    const spike = LINES / 2;
    const lines = Array.from({ length: LINES }, (_, i) =>
      JSON.stringify({
        ...record,
        step: i + 1,
        loss: i === spike ? 9.75 : 1 / (1 + i / 1000),
        stage: i < 100 ? 0 : 1,
      }),
    );
    writeFileSync(join(root, "long", "metrics.jsonl"), `${lines.join("\n")}\n`);
    await askS5(join(root, "asked"));
    await actInKnapsack(join(root, "acted"));
    studio = await startStudio({
      runs: root,
      host: "127.0.0.1",
      port: 0,
      onFault: (error) => console.error(error),
    });
    browser = await launch();
    const content = readSite();
    files = createServer((request, response) => {
      const path = (request.url ?? "").replace(/^\/any\/path/, "").split("?")[0];
      const file = content.get(path);
      if (file === undefined) missing.push(path);
      response.writeHead(file === undefined ? 404 : 200, { "content-type": file?.type ?? "text/plain" });
      response.end(file?.bytes);
    });
    await new Promise<void>((ready) => files.listen(0, "127.0.0.1", ready));
    site = `http://127.0.0.1:${(files.address() as AddressInfo).port}/any/path/`;
  });
  afterAll(async () => {
    await browser?.close();
    files?.close();
    await studio?.close();
  });

  /** Megabytes of the page's own objects, garbage left out. */
  async function memoryOf(page: Page): Promise<number> {
    const session = await page.context().newCDPSession(page);
    await session.send("HeapProfiler.collectGarbage");
    const { usedSize } = await session.send("Runtime.getHeapUsage");
    return usedSize / 2 ** 20;
  }

  test(`${RUNS} runs are listed, filtered and one of ${LINES} steps is opened; the page stays small and no extreme is lost`, async () => {
    const { page, wrong } = await openPage(browser, `${studio.url}#/runs`);
    await page.getByText(`${(RUNS + 1).toLocaleString("en")} runs in`).waitFor();
    await page.getByRole("figure").first().waitFor(); // the server, in this process, has read the long log
    const typed = performance.now();
    await page.getByLabel("Filter").fill("long");
    await page.locator(".muted", { hasText: "1 shown" }).waitFor();
    const filtered = performance.now() - typed;
    const clicked = performance.now();
    await page.getByRole("button", { name: "long", exact: true }).click();
    await page.getByRole("figure").first().waitFor();
    const first = performance.now() - clicked;
    await page.reload();
    const again = performance.now();
    await page.getByRole("figure").first().waitFor();
    const second = performance.now() - again;
    expect(await page.locator(".curve text").nth(2).textContent()).toBe("9.75"); // one step in a million
    const megabytes = await memoryOf(page);
    console.log(
      `${RUNS} runs, ${LINES} steps: filtered in ${filtered.toFixed()} ms, opened in ${first.toFixed()} ms, again in ${second.toFixed()} ms, page ${megabytes.toFixed(1)} MB`,
    );
    expect(megabytes).toBeLessThan(300);
    expect(filtered).toBeLessThan(2000);
    expect(first).toBeLessThan(20_000); // the wall clock of a machine that does other things, too
    expect(wrong).toEqual([]);
    await page.close();
  });

  test("the page's heading is painted within half a second of the click on a link to it, on a machine that has nothing else to do", async () => {
    const times: { readonly any: number; readonly heading: number }[] = [];
    for (let i = 0; i < 7; i++) {
      const page = await browser.newPage();
      // Chromium may first paint a word of the file: the page itself draws the heading one frame later.
      await page.addInitScript(() => {
        const seen = new MutationObserver(() => {
          if (document.querySelector("h1") === null) return;
          seen.disconnect();
          requestAnimationFrame(() => setTimeout(() => performance.mark("heading")));
        });
        seen.observe(document, { childList: true, subtree: true });
      });
      await page.goto(studio.url);
      const startOf = (name: string) =>
        page.evaluate((each) => performance.getEntriesByName(each)[0]?.startTime ?? -1, name);
      await expect.poll(() => startOf("heading"), { timeout: 10_000 }).toBeGreaterThan(0);
      times.push({ any: await startOf("first-contentful-paint"), heading: await startOf("heading") });
      await page.close();
    }
    const inWords = (name: "any" | "heading") => times.map((each) => each[name].toFixed()).join(", ");
    console.log(`anything painted after ${inWords("any")} ms, the heading after ${inWords("heading")} ms`);
    const middle = times.map(({ heading }) => heading).sort((a, b) => a - b)[3];
    expect(middle).toBeLessThan(500);
  });

  /** Four addresses of a view, and what is there when one has settled. */
  const addresses: Readonly<Record<string, readonly [settled: string, ...addresses: string[]]>> = {
    "shell-game": [
      ".model[data-state=read]",
      ...["", "length=24&spacing=4&seed=3", "start=213&swaps=ab.bc.ab&spacing=1", "you=play&cups=open"],
    ],
    train: [
      "figure",
      ...["", "task=s3&steps=300", "task=swaps&objective=next-token&spacing=4"],
      "task=zoo-s3-swaps&left=gla&right=deltanet&rate=0.01",
    ],
    memory: [
      "[aria-label='Effect of each token']",
      ...["", "model=deltanet-0-1&seed=3", "head=0.1&line=12", "silenced=0.1"],
    ],
    automaton: [
      "[aria-label='Result']",
      ...["longest=6", "model=lstm&longest=6", "model=transformer&longest=4", "longest=6&word=0120"],
    ],
    belief: [".program li", "", "lines=ab.a1.bc", "p=50&n=3", "lines=ab.a1.bc&at=2"],
    trace: [".cm-line", "", "program=x+%3D+1", "program=x+%3D+1&guess=yes", "program=def+f%28%3A"],
    zoo: [".matrix td button", "", "row=deltanet", "row=deltanet&column=s3-swaps", "row=lstm&column=parity"],
    answers: [".samples tbody tr", "", "asking=asked", "arm=free", "verdict=wrong"],
    episodes: [".samples tbody tr", "", "folder=acted", "view=full", "from=1"],
    runs: ["figure", "run=long", "filter=width&smooth=0.1&log=yes", "lines=runs", "filter=long&run=long"],
  };
  const looks = [390, 1280].flatMap((width) =>
    (["light", "dark"] as const).map((scheme) => [width, scheme] as const),
  );
  const all = views.flatMap(({ name }, view) =>
    addresses[name]
      .slice(1)
      .map((settings, i) => [`${name}?${settings}`, ...looks[(view + i) % looks.length]] as const),
  );

  test.each(all)(
    "%s at %i pixels, %s: it answers its question, axe finds nothing, nothing is wider than the screen, and all can be reached by Tab",
    async (address, width, scheme) => {
      const { name, question, needsServer } = views.find((view) => address.startsWith(`${view.name}?`))!; // listed from it
      const { page, wrong } = await openPage(browser, `${needsServer ? studio.url : site}#/${address}`, {
        width,
        scheme,
      });
      await page.locator(addresses[name][0]).first().waitFor();
      expect(await page.locator("h1").innerText()).toBe(question);
      await expectFair({ page, wrong }, width, ["minor", "moderate", "serious", "critical"]);
      const unreachable = await page.evaluate(() =>
        [
          ...document.querySelectorAll(
            "main button, main a, main input, main select, main textarea, main summary",
          ),
        ]
          .filter((each) => (each as HTMLElement).tabIndex < 0)
          .map((each) => each.outerHTML.slice(0, 100)),
      );
      expect(unreachable).toEqual([]);
      expect(missing).toEqual([]);
      await page.close();
    },
  );

  test("who asked for less motion sees none: every animation and transition is off", async () => {
    const { page } = await openPage(browser, `${studio.url}#/shell-game?length=6`);
    await page.locator(".shell").first().waitFor();
    const moving = () =>
      page.evaluate(
        () =>
          [...document.querySelectorAll("*")].filter((each) => {
            const { transitionDuration, animationDuration } = getComputedStyle(each);
            return [transitionDuration, animationDuration].some((all) =>
              all.split(", ").some((time) => Number.parseFloat(time) > 0.01),
            );
          }).length,
      );
    expect(await moving()).toBeGreaterThan(0); // the shells change places
    await page.emulateMedia({ reducedMotion: "reduce" });
    expect(await moving()).toBe(0);
    await page.close();
  });
});
