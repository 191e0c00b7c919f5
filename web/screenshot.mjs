/**
 * @file The shell game as README shows it: `npm run build && node web/screenshot.mjs docs/figures/studio.gif`.
 * It needs ffmpeg, and a Chromium, by its path in CHROMIUM (default /usr/bin/chromium).
 */

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { startStudio } from "../dist/src/app/studio/server.js";

const [, , out = "docs/figures/studio.gif"] = process.argv;
const [SWAPS, FRAMES, MOVING, TRANSITION_MILLISECONDS] = [16, 8, 4, 450];
const frames = mkdtempSync(join(tmpdir(), "statelab-frames-"));
const studio = await startStudio({ runs: "examples", host: "127.0.0.1", port: 0, onFault: console.error });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
try {
  const page = await browser.newPage({ viewport: { width: 1180, height: 800 } });
  await page.goto(`${studio.url}?embed#/shell-game?length=${SWAPS}&spacing=4&at=0`);
  await page.locator('.model[data-state="read"]').nth(3).waitFor({ timeout: 60_000 });
  for (let swap = 0; swap <= SWAPS; swap++) {
    if (swap > 0) await page.getByRole("button", { name: "One swap forward" }).click();
    await page.locator(".model .held-bars").nth(11).waitFor();
    for (let i = 1; i <= FRAMES; i++) {
      const at = Math.min(1, i / MOVING) * TRANSITION_MILLISECONDS;
      await page.evaluate((time) => {
        for (const animation of document.getAnimations()) {
          animation.pause();
          animation.currentTime = time;
        }
      }, at);
      await page.screenshot({ path: join(frames, `${String(swap * FRAMES + i).padStart(3, "0")}.png`) });
    }
  }
  const palette =
    "scale=800:-1:flags=lanczos,split[a][b];[a]palettegen=max_colors=64[p];[b][p]paletteuse=dither=none";
  execFileSync("ffmpeg", [
    ...["-v", "error", "-y", "-framerate", "10", "-i", join(frames, "%03d.png")],
    ...["-filter_complex", palette, out],
  ]);
} finally {
  await browser.close();
  await studio.close();
  rmSync(frames, { recursive: true });
}
