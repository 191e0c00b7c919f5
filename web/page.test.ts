/** The page in a real browser: Debian's Chromium. Where there is none these tests are skipped, by name. */

import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Studio, startStudio } from "../src/app/studio/server.ts";
import { readSite } from "../src/app/studio/site.ts";
import type { ZooCell } from "../src/schemas/zoo.ts";
import { stoppedRun, sweptRuns } from "../test/kit/runs.ts";
import { tmpFolder } from "../test/kit/tmp.ts";
import { actInKnapsack, askS5 } from "./answers/asked.test-helper.ts";
import { executablePath, expectFair, launch, openPage } from "./page.test-helper.ts";
import { drawn, play } from "./shell-game/session.ts";

const site = fileURLToPath(new URL("../dist/web", import.meta.url));

/** The name of a folder of runs. */
const MARKUP = "<img src=x onerror=alert(1)>";

/** A script, and those that it cannot begin without. */
function withImports(name: string, found = new Set<string>()): Set<string> {
  found.add(name);
  const source = readFileSync(join(site, name), "utf8");
  for (const [, next] of source.matchAll(/(?:\bfrom|\bimport)\s*"\.\/([\w-]+\.js)"/g))
    if (!found.has(next)) withImports(next, found);
  return found;
}

test("the page is small: what it loads at first, any view beyond it, and all of it without Python", () => {
  const size = (names: Iterable<string>) =>
    [...names].reduce((sum, name) => sum + gzipSync(readFileSync(join(site, name))).length, 0);
  const first = withImports("main.js");
  expect(size(["page.css", ...first])).toBeLessThan(30_000);
  const views = readFileSync(join(site, "main.js"), "utf8").match(/part-\w+\.js(?="\))/g) ?? [];
  expect(views.length).toBeGreaterThan(4);
  for (const view of views)
    expect(size(["page.css", ...withImports(view, new Set(first))])).toBeLessThan(80_000);
  const all = readdirSync(site, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && entry.name !== "python.worker.js",
  );
  const whole = all.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
  expect(whole).toBeLessThan(3_100_000); // .3 of it is the editor
});

describe.skipIf(executablePath === undefined)("in Chromium", () => {
  const root = tmpFolder("page");
  let browser: Browser;
  let studio: Studio;
  const faults: unknown[] = [];

  beforeAll(async () => {
    mkdirSync(join(root, "runs"));
    await stoppedRun(join(root, "runs", "deltanet"));
    await sweptRuns(join(root, "runs", MARKUP));
    await askS5(join(root, "runs", "asked"));
    await actInKnapsack(join(root, "runs", "acted"));
    const { cells } = JSON.parse(readFileSync("evidence/zoo/laptop-cells.json", "utf8"));
    const cell = cells.find(({ column }: ZooCell) => column === "s3-swaps");
    mkdirSync(join(root, "runs", "zoo"));
    writeFileSync(
      join(root, "runs", "zoo", "cells.json"),
      JSON.stringify({ version: 1, cells: [{ ...cell, row: "mine<b>" }] }),
    );
    studio = await startStudio({
      runs: join(root, "runs"),
      host: "127.0.0.1",
      port: 0,
      onFault: (error) => faults.push(error),
    });
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    await studio?.close();
  });

  /** Opens that part of the page for a test, and expects no error of it but that an address may name what is none. */
  const visit = (title: string, hash: string, act: (page: Page) => Promise<void>) =>
    test(title, async () => {
      const { page, wrong } = await openPage(browser, `${studio.url}#/${hash}`);
      await act(page);
      expect(wrong.filter((each) => !each.includes("404"))).toEqual([]);
      await page.close();
    });

  /** One look in each visit; every view at both widths and in both themes: web/page.scale.soak.ts. */
  async function look(page: Page, width: 390 | 1280, colorScheme: "light" | "dark") {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    await expectFair({ page, wrong: [] }, width);
    const cut = ({ scrollWidth, clientWidth }: Element) => scrollWidth > clientWidth;
    const tables = await page.locator(".flow:has(> .cards)").elementHandles();
    if (width === 390) for (const table of tables) expect(await table.evaluate(cut)).toBe(false);
    await page.setViewportSize({ width: 1280, height: 900 });
  }

  const cards = (page: Page, state: string) => page.locator(`.model[data-state="${state}"]`);
  const allRead = (page: Page) => cards(page, "read").nth(3).waitFor();

  const swapsSoFar = (page: Page) => page.locator(".transport output");
  const cups = (page: Page) =>
    page.locator(".slot").evaluateAll((all) => all.map((each) => each.getAttribute("aria-label")));

  visit(
    "shell game: it plays by itself, hides the values, counts the visitor's guess, and an own session replaces it",
    "shell-game?length=12&spacing=2&seed=3&you=play",
    async (page) => {
      const { moments, reveals } = play(drawn(12, 2, "partial", 3));
      const [{ variable, value }] = reveals;
      const score = (row: string) => page.locator("tr", { hasText: row }).locator(".score strong");
      await page.getByText(`Where is ${value}? Click its cup.`).waitFor(); // after two swaps, without a click; it waits
      expect(await cups(page)).toEqual(["Cup a", "Cup b", "Cup c"]);
      expect(await page.locator(".score strong").count()).toBe(0);
      await page.getByText("Hidden until your guess").waitFor();
      expect(await page.locator(".model .held-bars").count()).toBe(0);
      await page.getByRole("button", { name: `Cup ${"abc"[variable]}` }).click();
      await page.getByText(`${value} is under ${"abc"[variable]}. Correct.`).waitFor();
      expect(await page.locator(".model .held-bars").count()).toBe(4 * 3);
      await page.getByRole("button", { name: "Pause" }).click();
      expect(await score("You").innerText()).toBe("1 of 1");
      expect(await score("headline/deltanet-neg1-1-seed-0").innerText()).toBe("1 of 1");
      await page.getByLabel("Swaps so far").fill("12");
      await page.getByLabel("Lift all cups").check();
      expect(await cups(page)).toEqual([..."abc"].map((name, i) => `Cup ${name}: ${moments[12][i]}`));
      expect(await score("headline/deltanet-neg1-1-seed-0").innerText()).toBe("6 of 6");
      await page.getByRole("button", { name: "a ⇄ b" }).click();
      await swapsSoFar(page).filter({ hasText: "1 of 1 swaps" }).waitFor();
      const [a, b, c] = moments[0];
      expect(await cups(page)).toEqual([`Cup a: ${b}`, `Cup b: ${a}`, `Cup c: ${c}`]);
      expect(await page.locator(".session").innerText()).toContain(">>> a, b = b, a");
      expect(await page.locator(".score strong").count()).toBe(0);
      await look(page, 390, "dark");
    },
  );

  visit(
    "shell game: an address opens at its place, paused, with the beliefs before the reveal",
    "shell-game?length=12&spacing=4&seed=3&reveal=full&at=4",
    async (page) => {
      await allRead(page);
      const deltanet = page.locator('.model[aria-label="DeltaNet [-1,1]"]');
      await deltanet.locator("td.good").nth(2).waitFor();
      expect(await deltanet.locator(".score strong").innerText()).toBe("3 of 3");
      expect(await deltanet.locator(".answers li").count()).toBe(9);
      const held = await deltanet.locator("svg").evaluateAll((all) => all.map((each) => each.textContent));
      const { moments } = play(drawn(12, 4, "full", 3));
      for (const [i, text] of held.entries())
        expect(text).toMatch(new RegExp(`${moments[4][i]}: (>?99|100)`));
      expect(await swapsSoFar(page).innerText()).toBe("4 of 12 swaps");
    },
  );

  visit(
    "what a stranger wrote into the address is no fault of the page",
    "shell-game?length=99999999999&spacing=-3&swaps=<script>.zz.ab&start=119&reveal=%00&seed=1e9",
    async (page) => {
      await swapsSoFar(page).filter({ hasText: "1 of 1 swaps" }).waitFor();
    },
  );

  visit(
    "runs: all are listed, one is followed while it grows, and a name that is markup stays a name",
    "runs",
    async (page) => {
      const loss = page.getByRole("region", { name: "Curves" }).getByRole("figure").first();
      await loss.getByText("2 seeds").first().waitFor();
      expect(await loss.locator("li strong").count()).toBe(3); // one run, and two groups of two seeds
      await loss.locator("svg.curve").hover();
      await loss.getByText(/^step \d+$/).waitFor();
      const saved = async (kind: string) => {
        const click = loss.getByRole("button", { name: kind }).click();
        const [download] = await Promise.all([page.waitForEvent("download"), click]);
        return readFileSync(await download.path());
      };
      expect(String(await saved("CSV"))).toMatch(
        /^series,step,minimum,mean,maximum\r\n(.*\r\n)*deltanet,1,\d/,
      );
      await page.emulateMedia({ colorScheme: "dark" });
      expect(String(await saved("SVG"))).toMatch(/\.rule \{ stroke: #d5d9de; \}.*>&lt;img.*>deltanet \d/);
      expect((await saved("PNG")).readUInt32BE(16)).toBeGreaterThanOrEqual(960); // its width
      const middle = () => loss.locator(".curve text").nth(1).innerHTML();
      const linear = await middle();
      await page.getByLabel("Log axis").check();
      expect(await middle()).not.toBe(linear);
      await page.getByLabel("One line per seed").check();
      expect(await loss.locator("li strong").count()).toBe(5);
      await page.getByRole("button", { name: "deltanet", exact: true }).click();
      await page.getByRole("figure").first().waitFor();
      expect(await page.locator(".runs tbody tr").count()).toBe(5);
      expect(await page.locator(".runs img").count()).toBe(0);
      const log = join(root, "runs", "deltanet", "metrics.jsonl");
      const last = JSON.parse(readFileSync(log, "utf8").trimEnd().split("\n").at(-1)!);
      appendFileSync(log, `${JSON.stringify({ ...last, step: 4321, loss: 0.125 })}\n`);
      await page.locator(".runs td", { hasText: "4,321 of" }).waitFor();
      await look(page, 390, "light");
      await page.goto(`${studio.url}#/runs?run=${encodeURIComponent(`${MARKUP}/betaMax=2/seed-0`)}`);
      await page.getByRole("combobox", { name: /against/ }).selectOption(`${MARKUP}/betaMax=1`);
      const differences = page.getByRole("region", { name: "Differences" });
      await differences.waitFor();
      expect(await differences.innerText()).toMatch(
        /\d+\.\d %\s+\d+\.\d %\s+[+−-]?\d+\.\d\s+[−-]\d+\.\d to \+\d+\.\d/,
      );
      await page.getByText("Paired interval over 2 common seeds").waitFor();
      await page.getByLabel("Filter").fill("img betaMax=2");
      await page.locator(".muted", { hasText: "2 shown" }).waitFor();
      await page.getByLabel(/^Note on/).fill("first <b>try");
      await page.reload(); // the note is kept, and found
      await page.getByLabel("Filter").fill("<b>try");
      await page.locator(".muted", { hasText: "1 shown" }).waitFor();
      expect(await page.locator(".runs tbody td.why").innerText()).toBe("first <b>try");
      expect(String(await saved("CSV"))).toMatch(/^series,.*,maximum,note\r\n.*,first <b>try\r\n/);
    },
  );

  visit(
    "memory: a head is inspected line by line, and ablating heads changes the predictions",
    "memory?seed=3",
    async (page) => {
      const answers = page.getByRole("region", { name: "Heads" }).locator("strong");
      await answers.waitFor();
      expect(await answers.innerText()).toBe("6 of 6");
      expect(await page.locator(".transport output").innerText()).toContain("line 4");
      const held = (when: string) =>
        page.getByRole("region", { name: `Variables ${when} the command` }).locator("tbody td");
      const percent = async (when: string) =>
        (await held(when).allInnerTexts()).map((text) => Math.round(Number.parseFloat(text) / 100));
      await held("after").first().waitFor();
      const [before, after] = [await percent("before"), await percent("after")];
      const rows = (cells: readonly number[]) => [0, 3, 6].map((at) => cells.slice(at, at + 3).join(""));
      expect(rows(before).toSorted()).toEqual(["001", "010", "100"]);
      const [x, y] = (await page.locator(".transport output").innerText())
        .match(/>>> (\w), (\w) =/)!
        .slice(1)
        .map((name) => "abc".indexOf(name));
      const swapped = rows(before);
      [swapped[x], swapped[y]] = [swapped[y], swapped[x]];
      expect(rows(after)).toEqual(swapped);
      expect(await page.locator(".pair .off").count()).toBe(0);
      const effect = await page.getByRole("region", { name: "Effect of each token" }).innerText();
      const [, along, against] = /along the query of (\w) and against that of (\w)/.exec(effect)!;
      expect([along, against].toSorted()).toEqual([..."abc"].filter((_, i) => i === x || i === y));
      await page.getByRole("button", { name: "One line forward" }).click();
      expect(await page.locator(".transport output").innerText()).toContain("line 5");
      for (const name of ["layer 0, head 0", "layer 0, head 1", "layer 1, head 0", "layer 1, head 1"])
        await page.getByLabel(`Ablate ${name}`).check();
      await page.locator("strong", { hasText: /^[0-5] of 6$/ }).waitFor();
      await page.locator(".pair .off").first().waitFor();
      expect(page.url()).toContain("silenced=");
      await page.getByLabel("Model").selectOption("deltanet-0-1");
      await page.getByText("predictions are correct with all heads").waitFor();
      expect(await page.locator("input:checked").count()).toBe(0);
      expect(page.url()).not.toContain("silenced=");
      await look(page, 1280, "dark");
      await page.goto(`${studio.url}#/memory?model=deltanet-0-1&seed=3&head=9.9&line=1e9&silenced=<b>`);
      await page.getByText("no token can be a reflection").waitFor();
    },
  );

  visit(
    "automaton: that of DeltaNet [-1,1] is the true one, the Transformer has none, and the word that shows it is red; a word is typed; extraction stops",
    "automaton?longest=4",
    async (page) => {
      const found = page.getByRole("region", { name: "Result" });
      await found.waitFor();
      expect(await found.locator("h2").innerText()).toBe("The true DFA");
      const own = page.getByRole("img", { name: /^DeltaNet .*: DFA over/ });
      expect(await own.getAttribute("aria-label")).toContain("6 states, every transition is correct");
      expect([await own.locator(".machine-way").count(), await own.locator(".off").count()]).toEqual([0, 0]);
      for (const letter of ["a ⇄ b", "b ⇄ c"])
        await page.getByRole("button", { name: `Append ${letter}` }).click();
      await page.getByText("the DFA predicts a = 2, b = 3, c = 1; so does the true DFA.").waitFor();
      expect([await own.locator(".machine-way").count(), await own.locator(".off").count()]).toEqual([2, 0]);
      const [saved] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Save SVG" }).click(),
      ]);
      const poster = readFileSync(await saved.path(), "utf8");
      expect(poster).toMatch(/^<svg xmlns=.*DeltaNet .*: DFA over/s);
      expect(poster).not.toMatch(/var\(|light-dark/);
      await page.getByRole("button", { name: "Clear" }).click();
      await page.getByLabel("Model").selectOption("transformer");
      await page.getByRole("button", { name: "Stop" }).click();
      await page.getByRole("status").getByText("Stopped.").waitFor();
      await page.getByRole("button", { name: "Start again" }).click();
      await found.waitFor();
      expect(await found.locator("h2").innerText()).toBe("No DFA with at most 18 states");
      expect(await found.innerText()).toContain("This session reveals less");
      await page.goto(`${studio.url}#/automaton?longest=4&model=transformer`);
      const [, parting] = /After (.*), the model/.exec(await found.innerText())!;
      const way = page
        .getByRole("img", { name: /^Transformer: last hypothesis/ })
        .locator(".machine-way.off");
      expect(await way.count()).toBe(parting.split(", ").length);
      await look(page, 390, "dark");
      await page.goto(`${studio.url}#/automaton?model=<b>&longest=1e9&seed=-4&word=${"1<b>".repeat(9999)}`);
      await page.getByText(/^Querying/).waitFor();
    },
  );

  visit(
    "belief: lines are written and taken back, the exact filter knows what the marginals do not, and all of it is in the address",
    "belief",
    async (page) => {
      const off = (title: string) =>
        page.getByRole("region", { name: title, exact: true }).locator(".off").count();
      await page.getByRole("region", { name: "Loss of each filter" }).waitFor();
      expect([await off("Exact"), await off("Marginals, row")]).toEqual([0, 2]);
      await page.getByRole("button", { name: "b ⇄ c" }).click();
      await page.getByRole("button", { name: "c = 2" }).click();
      expect(page.url()).toMatch(/lines=.*bc\.c2$/);
      expect(await page.locator(".program li").count()).toBe(11);
      expect(await page.getByRole("button", { name: "c = 3" }).isDisabled()).toBe(true);
      await page.getByRole("button", { name: "Remove the last line" }).click();
      expect(await page.locator(".program li").count()).toBe(10);
      await look(page, 1280, "light");
      await page.goto(`${studio.url}#/belief?lines=<b>.zz.a1&p=1e9&n=-1`);
      await page.locator(".program li").nth(1).waitFor();
      expect(await page.locator(".program li").count()).toBe(2);
    },
  );

  visit(
    "an address that names no view says so and lists the views; embedded there is no header; links have titles and are copied",
    "shel-game?length=12",
    async (page) => {
      expect(await page.getByRole("alert").innerText()).toMatch(/^No view “shel-game”\s+The views are:/);
      expect(await page.getByRole("alert").getByRole("link").count()).toBe(10);
      expect(await page.locator("h1").count()).toBe(1);
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await page.goto(`${studio.url}#/belief?lines=ab.a1`);
      await page.locator(".program li").nth(2).waitFor();
      await page.goto(`${studio.url}#/belief?lines=ab.a1.bc`); // a link opens at once where the view is open
      await page.locator(".program li").nth(3).waitFor();
      expect(await page.title()).toBe("Belief · Statelab");
      expect(await page.locator('meta[name="description"]').getAttribute("content")).toContain("swaps");
      await page.getByRole("button", { name: "Copy link" }).click();
      await page.getByRole("button", { name: "Copied" }).waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(page.url());
      await page.goto(`${studio.url}?embed#/belief`);
      await page.locator(".program li").first().waitFor();
      expect(await page.locator("header").count()).toBe(0);
    },
  );

  test("a server that has stopped is said within 5 s in any view, with its command, and one that is back is not", async () => {
    const runs = join(root, "runs", "deltanet");
    const own = { runs, host: "127.0.0.1", port: 0, onFault: console.error };
    const first = await startStudio(own);
    const { page } = await openPage(browser, `${first.url}#/belief`);
    await page.locator(".program li").first().waitFor();
    await first.close();
    const port = Number(new URL(first.url).port);
    const alert = page.getByRole("alert");
    await alert.waitFor({ timeout: 5000 });
    expect(await alert.innerText()).toContain(`npx statelab studio ${runs} --port ${port}`);
    const second = await startStudio({ ...own, port });
    await alert.waitFor({ state: "detached" });
    await page.close();
    await second.close();
  });

  visit(
    "zoo: a cell opens below its row, the color is the result, and a row is a link",
    "zoo",
    async (page) => {
      const cell = page.getByRole("button", { name: /^[+−][\d→ ]* DeltaNet \[-1,1\] on S_3 swaps:/ });
      await cell.click();
      expect(page.url()).toMatch(/row=deltanet&column=s3-swaps$/);
      const region = page.getByRole("region", { name: "DeltaNet [-1,1] on S_3 swaps" });
      await region.getByRole("heading").waitFor();
      const top = (await region.boundingBox())!.y;
      const bottom = (await cell.boundingBox())!.y + (await cell.boundingBox())!.height;
      expect(top - bottom).toBeGreaterThanOrEqual(0);
      expect(top - bottom).toBeLessThan(60);
      // One color per generalization, whatever was predicted.
      const colors = await page.locator(".matrix td button").evaluateAll((all) =>
        all.map((button) => {
          const [, far] = /→(\d+)/.exec(button.textContent ?? "") ?? [];
          const result =
            far === undefined ? "none" : Number(far) >= 128 ? "far" : Number(far) >= 16 ? "middle" : "near";
          return `${result} ${getComputedStyle(button).backgroundColor}`;
        }),
      );
      expect(colors.some((each) => each.startsWith("far"))).toBe(true);
      expect(new Set(colors).size).toBe(new Set(colors.map((each) => each.split(" ")[0])).size);
      expect(new Set(colors.map((each) => each.replace(/^\w+ /, ""))).size).toBe(new Set(colors).size);
      expect(await region.innerText()).toContain("One layer, any length: theory says it can");
      expect(await region.innerText()).toContain("set by hand");
      expect(await region.getByRole("link", { name: "Train it here" }).getAttribute("href")).toMatch(
        /^#\/train\?task=zoo-s3-swaps&left=deltanet&right=deltanet-positive&rate=0\.005/,
      );
      await look(page, 390, "light");
      await page.getByRole("link", { name: "GLA", exact: true }).click();
      await page.getByRole("region", { name: "Results of GLA" }).waitFor();
      expect(page.url()).toMatch(/zoo\?row=gla$/);
      const head = page.getByRole("columnheader", { name: "architecture" }).first();
      const table = page.locator(".scroll").first();
      await table.evaluate((each) => each.scrollTo(600, 900));
      const [box, own] = [await head.boundingBox(), await table.boundingBox()];
      expect([box!.x - own!.x < 20, box!.y - own!.y < 5]).toEqual([true, true]); // heads stay in sight
      await look(page, 1280, "dark");
      await page.goto(`${studio.url}#/zoo?row=__proto__&column=<b>`);
      await page.getByText("(your run)").waitFor();
      expect(await page.locator(".opened").count()).toBe(0);
      expect(await page.getByText("(your run)").locator("xpath=..").allInnerTexts()).toEqual([
        "mine<b> (your run)",
      ]);
      expect(await page.locator(".matrix tbody th").first().innerText()).toContain("mine<b>");
      await page.getByRole("link", { name: "mine<b>" }).click(); // a row of the folder's
      expect(await page.locator(".opened").innerText()).toContain("your own runs");
    },
  );

  visit(
    "answers: chosen by verdict and arm; one has its first error in its third state; lost samples are listed apart",
    "answers",
    async (page) => {
      const lost = page.getByRole("region", { name: "Lost samples" });
      await lost.waitFor();
      expect(await lost.innerText()).toContain("count in no figure");
      await page.getByLabel("Search").fill("no such sample");
      await page.locator(".samples tbody tr").first().waitFor({ state: "detached" });
      await page.getByLabel("Search").fill("");
      await page.getByLabel("Verdict").selectOption("wrong");
      await page.getByText(/to \d+ of \d+, of/).waitFor();
      expect(await page.locator(".samples tbody td.bad").count()).toBe(
        await page.locator(".samples tbody tr").count(),
      );
      await page.getByRole("combobox", { name: "Arm" }).selectOption("free output");
      await page.locator(".samples button", { hasText: "free/" }).first().click();
      const sample = page.getByRole("region", { name: "Sample free/" });
      expect(await sample.innerText()).toMatch(/First error: line 8 of the reply/);
      expect(await sample.locator(".departs").innerText()).toMatch(/^# a=\d[\s\S]* true: a = \d/);
      expect(page.url()).toContain("verdict=wrong");
      await look(page, 390, "dark");
      const [asked, own] = ["asked", "functions"].map((name) => join(root, "runs", name));
      mkdirSync(own);
      copyFileSync(join(asked, "results.json"), join(own, "results.json"));
      const record = JSON.parse(readFileSync(join(asked, "samples.jsonl"), "utf8").split("\n")[0]);
      const program = "def f(x):\n    y = x + 1\n    z = y * '<b>'\n    return z\nassert f(1) == ??";
      const prompt = `[PYTHON]\n${program}\n[/PYTHON]`;
      const replies = ["After line 2: y = 3\n[ANSWER]\n'<b><b>'\n[/ANSWER]"];
      const changed = { ...record, sample: "f", prompt, replies, extracted: "'<b><b>'", predict: "output" };
      writeFileSync(join(own, "samples.jsonl"), `${JSON.stringify(changed)}\n`);
      await page.goto(`${studio.url}#/answers?asking=functions&sample=f`);
      await page.getByRole("button", { name: "Run it and check the reply" }).click();
      await page.getByText("says y = 3; correct is y = 2").waitFor();
      const ran = page.getByRole("region", { name: "Executed lines" });
      expect(await ran.locator(".departs").innerText()).toMatch(/y = x \+ 1\s+true: x = 1, y = 2$/);
      expect(await ran.locator("li").last().innerText()).toContain("z = '<b><b>'");
      await look(page, 390, "light");
      await page.goto(`${studio.url}#/answers?asking=../..&verdict=<b>&sample=../x&steps=9-1&from=1e9`);
      await page.getByText("expected one of the samples").waitFor();
    },
  );

  visit(
    "episodes: an arm is chosen, and an episode is followed turn by turn to the name that is gone",
    "episodes",
    async (page) => {
      await page.locator(".samples tbody tr").nth(3).waitFor();
      await page.getByRole("combobox", { name: "Arm" }).selectOption("stateless full");
      await page.getByText("1 to 2 of 2, of 4 episodes in all").waitFor();
      await page.getByLabel("a cell failed").check();
      await page.locator(".samples button").first().click();
      const episode = page.getByRole("region", { name: "Episode knapsack/stateless" });
      expect(await episode.innerText()).toContain("NameError: name 'ids' is not defined");
      expect(await episode.getByRole("region", { name: "Calls of turn 0" }).innerText()).toContain(
        "list_items()",
      );
      await episode.getByText("✗ names of earlier cells: live, true: gone").first().waitFor();
      expect(page.url()).toContain("trouble=yes");
      await look(page, 390, "light");
      await page.goto(`${studio.url}#/episodes?folder=../..&runtime=<b>&episode=../x&from=1e9`);
      await page.getByText("None of 4 episodes matches these filters").waitFor();
    },
  );

  test("as a static site it works below any path, without the runs", async () => {
    const files = readSite();
    const server: Server = createServer((request, response) => {
      const file = files.get((request.url ?? "").replace(/^\/some\/where/, "").split("?")[0]);
      response.writeHead(file === undefined ? 404 : 200, { "content-type": file?.type ?? "text/plain" });
      response.end(file?.bytes);
    });
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
    const { page, wrong } = await openPage(
      browser,
      `http://127.0.0.1:${(server.address() as AddressInfo).port}/some/where/`,
    );
    await cards(page, "read").first().waitFor();
    expect(await page.locator("nav a").allInnerTexts()).toEqual([
      ...["Shell game", "Train", "Memory", "Automaton", "Belief", "Trace", "Zoo"],
    ]);
    expect(wrong).toEqual([]);
    await page.close();
    server.close();
  });

  test("no fault of the server was met", () => expect(faults).toEqual([]));
});
