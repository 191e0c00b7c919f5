/** Training on WebGPU, which Chromium computes in software here, against the page's CPU. */

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Studio, startStudio } from "../../src/app/studio/server.ts";
import { tmpFolder } from "../../test/kit/tmp.ts";
import { executablePath, expectFair, launch, openPage } from "../page.test-helper.ts";
import { trainInPage } from "./in-page.test-helper.ts";
import { choiceFrom } from "./settings.ts";

const slice = process.env.SOAK_SLICE === "ci";
const models = slice ? ["deltanet-2"] : ["deltanet-2", "lstm", "transformer"];
/** Tokens, targets, their weights and hits of 16 rows of 32 positions; the loss, the gradient's norm and three scalars of the optimizer. */
const BYTES = 4 * (4 * 16 * 32 + 5);
const steps = slice ? 5 : 50;

describe.skipIf(executablePath === undefined)("WebGPU in Chromium", () => {
  let browser: Browser;
  let studio: Studio;
  const faults: unknown[] = [];

  beforeAll(async () => {
    const onFault = (error: unknown) => faults.push(error);
    studio = await startStudio({ runs: tmpFolder("webgpu"), host: "127.0.0.1", port: 0, onFault });
    browser = await launch("--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader");
  });
  afterAll(async () => {
    await browser?.close();
    await studio?.close();
    expect(faults).toEqual([]);
  });

  test.each(models)(
    `%s: ${steps} steps have the losses and the weights of the CPU within 1e-3`,
    async (model) => {
      const { page, wrong } = await openPage(browser, `${studio.url}#/zoo`);
      const choice = { ...choiceFrom({ width: "16", length: "8" }), steps };
      const cpu = await trainInPage(page, choice, model);
      const gpu = await trainInPage(page, choice, model, "webgpu");
      expect(gpu.records).toHaveLength(steps);
      for (const [i, { loss, gradientNorm, transferBytes }] of gpu.records.entries()) {
        expect(Math.abs(loss - cpu.records[i].loss), `step ${i + 1}`).toBeLessThan(1e-3);
        expect(gradientNorm).toBeGreaterThan(0);
        expect(transferBytes).toBe(BYTES);
      }
      for (const [path, numbers] of Object.entries(cpu.weights)) {
        const apart = Math.hypot(...numbers.map((each, i) => each - gpu.weights[path][i]));
        expect(apart / Math.hypot(...numbers), path).toBeLessThan(1e-3);
      }
      expect(wrong).toEqual([]);
      await page.close();
    },
  );

  test.skipIf(slice)("the view trains on WebGPU where its address names it", async () => {
    const address = `${studio.url}#/train?device=webgpu&length=8&width=16&left=lstm&right=transformer`;
    const { page, wrong } = await openPage(browser, address);
    await page.getByRole("button", { name: "Train both" }).click();
    for (const side of ["left", "right"])
      await page
        .getByRole("region", { name: side })
        .getByText(/parameters on WebGPU; step \d/)
        .waitFor();
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await expectFair({ page, wrong }, width, ["minor", "moderate", "serious", "critical"]);
    }
    await page.close();
  });
});
