/**
 * @file The first minute of a visitor, with a stopwatch in a real browser: `npm run build && node web/measure-first-load.mjs [FOLDER]`.
 *
 *     0 s     the page is opened, and what is painted when
 *     10 s    the session is played from its beginning
 *     20 s    Train it is opened, and both begin to learn
 *     60 s    the end: the text on the screen
 *
 * Prints the text of the screen at 0, 10, 30 and 60 s, and saves pictures if a folder is given. It needs a Chromium, by its path in
 * CHROMIUM (default /usr/bin/chromium).
 */

import { mkdirSync } from "node:fs";
import { chromium } from "playwright-core";
import { startStudio } from "../dist/src/app/studio/server.js";

const [, , folder] = process.argv;
if (folder !== undefined) mkdirSync(folder, { recursive: true });
const studio = await startStudio({ runs: "examples", host: "127.0.0.1", port: 0, onFault: console.error });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const started = performance.now();
  const seconds = () => ((performance.now() - started) / 1000).toFixed(1);
  const until = (at) => page.waitForTimeout(Math.max(0, at * 1000 - (performance.now() - started)));
  const note = (words) => console.log(`${seconds().padStart(5)} s  ${words}`);
  const scores = async () =>
    (await page.locator(".model .score").allInnerTexts()).map((each) => each.trim()).join("; ");
  const see = async (at, words) => {
    await until(at);
    note(await words()); // what it says then, not before
    if (folder !== undefined) await page.screenshot({ path: `${folder}/${at}.png` });
  };
  await page.goto(studio.url);
  await page.locator("h1").waitFor();
  const paint = await page.evaluate(
    () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime,
  );
  note(`first paint after ${paint?.toFixed()} ms: “${await page.locator("h1").innerText()}”`);
  await see(0, () => "the session, its shells, four models that read");
  await page.locator('.model[data-state="read"]').nth(3).waitFor({ timeout: 60_000 });
  note(`four models have read it: ${await scores()}`);
  await until(20);
  note(
    `it plays: ${await page.locator(".transport output").innerText()}; the visitor opens Train and begins`,
  );
  await page.getByRole("link", { name: "Train", exact: true }).click();
  await page.getByRole("button", { name: "Train both" }).click();
  const side = async (name) => {
    const words = await page.getByRole("region", { name }).locator("p").allInnerTexts();
    return words.slice(0, 2).join(" ");
  };
  await page
    .getByRole("region", { name: "right" })
    .getByText(/; step \d/)
    .waitFor({ timeout: 60_000 });
  note("both learn: the first steps are drawn");
  await see(30, async () => `β to 1: ${await side("left")} β to 2: ${await side("right")}`);
  await page.getByText("Solved after").waitFor({ timeout: 120_000 });
  note(`β to 2: ${await side("right")}`);
  await see(60, async () => `β to 1: ${await side("left")} β to 2: ${await side("right")}`);
} finally {
  await browser.close();
  await studio.close();
}
