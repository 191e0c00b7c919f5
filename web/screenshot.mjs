/**
 * @file The picture of the first view, as README shows it: `npm run build && node web/screenshot.mjs docs/figures/studio.jpg`.
 * It needs a Chromium, by its path in CHROMIUM (default /usr/bin/chromium).
 */

import { chromium } from "playwright-core";
import { startStudio } from "../dist/src/app/studio/server.js";

const [, , out = "docs/figures/studio.jpg"] = process.argv;
const studio = await startStudio({ runs: "examples", host: "127.0.0.1", port: 0, onFault: console.error });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
try {
  const page = await browser.newPage({ viewport: { width: 1180, height: 860 }, deviceScaleFactor: 1 });
  await page.goto(`${studio.url}#/shell-game?at=20`);
  await page.locator('.model[data-state="read"]').nth(3).waitFor({ timeout: 60_000 });
  await page.locator(".model .held-bars").nth(11).waitFor();
  await page.screenshot({ path: out, type: "jpeg", quality: 80 });
} finally {
  await browser.close();
  await studio.close();
}
