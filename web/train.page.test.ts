/** Training in the page, in a real browser: the same numbers as outside, parity learned and not learned. */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { resumeRun } from "../src/app/run/resume.ts";
import { type Studio, startStudio } from "../src/app/studio/server.ts";
import { modelNamed } from "../src/models/index.ts";
import { decodeSafetensors } from "../src/schemas/formats/safetensors.ts";
import { readTar } from "../src/schemas/formats/tar.ts";
import { RunConfig } from "../src/schemas/run-config.ts";
import { taskNamed } from "../src/tasks/index.ts";
import { nodeRuntime } from "../src/tensor/session-node.ts";
import { createTrainer } from "../src/train/trainer.ts";
import { stoppedRun } from "../test/kit/runs.ts";
import { tmpFolder } from "../test/kit/tmp.ts";
import { executablePath, expectFair, launch, openPage } from "./page.test-helper.ts";
import { trainInPage } from "./train/in-page.test-helper.ts";
import { choiceFrom, pageConfig, pageModels } from "./train/settings.ts";

describe.skipIf(executablePath === undefined)("training in Chromium", () => {
  let browser: Browser;
  let studio: Studio;
  const faults: unknown[] = [];
  const folder = tmpFolder("taken");

  beforeAll(async () => {
    await stoppedRun(join(folder, "deltanet"));
    studio = await startStudio({
      ...{ runs: folder, host: "127.0.0.1", port: 0 },
      onFault: (error) => faults.push(error),
    });
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    await studio?.close();
    expect(faults).toEqual([]);
  });

  const side = (page: Page, name: string) => page.getByRole("region", { name });
  const stepOf = async (of: Locator) =>
    Number(/step ([\d,]+) of/.exec(await of.innerText())?.[1].replace(",", "") ?? 0);
  const heldOut = async (of: Locator) =>
    Number(/Held-out accuracy is ([\d.]+)/.exec(await of.innerText())?.[1]);
  async function downloaded(page: Page, click: () => Promise<void>): Promise<string> {
    const [download] = await Promise.all([page.waitForEvent("download"), click()]);
    const path = join(folder, download.suggestedFilename());
    await download.saveAs(path);
    return path;
  }

  test("parity is solved by DeltaNet [-1,1], and not by DeltaNet [0,1] in as many steps; pause, change, resume, download", async () => {
    const { page, wrong } = await openPage(browser, `${studio.url}#/train?steps=300`);
    const [one, two] = [side(page, "DeltaNet [0,1], left"), side(page, "DeltaNet [-1,1], right")];
    await two.getByText("Not trained yet.").waitFor();
    const loss = page.getByRole("img", { name: /^Training loss, step 1 to 300/ });
    expect(await loss.locator("path").count()).toBe(0);
    await page.getByRole("button", { name: "Train both" }).click();
    // By then it is solved at its own rate: at the lower one from the first steps on it might not be within 300.
    await two.getByText(/step (1[3-9]|2[0-4])\d of 300/).waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    await one.getByText("paused").waitFor();
    await page.waitForTimeout(500);
    const paused = await stepOf(two);
    expect(paused).toBeLessThan(300);
    await page.waitForTimeout(700);
    expect(await stepOf(two)).toBe(paused);
    expect(await loss.locator(".band").count()).toBe(2);
    await two.getByText("Download").click();
    const weights = await downloaded(page, () => two.getByRole("button", { name: "Weights" }).click());
    const { tensors } = decodeSafetensors(readFileSync(weights), "download");
    const config = RunConfig.parse(pageConfig(choiceFrom({ steps: "300" }), "deltanet-2"));
    const native = await trainerFor(config);
    expect(Object.fromEntries(Object.entries(tensors).map(([path, { shape }]) => [path, shape]))).toEqual(
      native.shapes,
    );
    await native.release();
    const settings = await downloaded(page, () => two.getByRole("button", { name: "Configuration" }).click());
    expect(RunConfig.parse(JSON.parse(readFileSync(settings, "utf8")))).toEqual(config);
    await page.getByLabel("Learning rate").selectOption("0.002");
    await page.getByText("Resume applies the new learning rate").waitFor();
    await page.getByRole("button", { name: "Resume" }).click();
    await two.getByText(/Solved after \d+ steps/).waitFor();
    await one.getByText("Not solved in 300 steps").waitFor();
    await two.getByText("step 300 of 300").waitFor();
    expect(await heldOut(one)).toBeLessThan(85);
    expect(await heldOut(two)).toBeGreaterThan(99);
    const tar = await downloaded(page, () => two.getByRole("button", { name: "Run folder" }).click());
    const files = readTar(readFileSync(tar), tar);
    const written = JSON.parse(Buffer.from(files.get("parity-deltanet-seed-0/config.json")!).toString());
    expect(written.changes).toMatchObject([{ set: { "train.learningRate": { from: 0.005, to: 0.002 } } }]);
    expect(written.changes[0].step).toBe(paused);
    for (const [width, scheme] of [
      [1280, "dark"],
      [390, "light"],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme: scheme });
      await expectFair({ page, wrong }, width);
    }
    await page.close();
  });

  test("S_3 is solved by DeltaNet [-1,1], at four times the length, too, and its automaton is the true one; its folder resumes, and opens here", async () => {
    const { page, wrong } = await openPage(browser, `${studio.url}#/train?task=s3&steps=300`);
    await page.getByRole("button", { name: "Train both" }).click();
    const [one, two] = [side(page, "DeltaNet [0,1], left"), side(page, "DeltaNet [-1,1], right")];
    await two.getByText(/Solved after \d+ steps/).waitFor();
    await one.getByText("Not solved in 300 steps").waitFor();
    expect(await heldOut(one)).toBeLessThan(60);
    await one.getByText("so longer ones are inconclusive").waitFor();
    await two.getByText("after step 300, on 100 sequences each. Only the first length was trained").waitFor();
    const longer = page.getByRole("img", { name: /by length, words 16 to 64: DeltaNet \[0,1\] ends/ });
    const [, ...right] = (await longer.getAttribute("aria-label"))!.split(/ends at /);
    const [short, long] = right.map((each) => Number.parseFloat(each));
    expect([short < 60, long > 90]).toEqual([true, true]);

    await two.getByText("Download").click();
    const onnx = await downloaded(page, () => two.getByRole("button", { name: "ONNX" }).click());
    await nodeRuntime()
      .ort.InferenceSession.create(readFileSync(onnx))
      .then((session) => session.release());
    const tar = await downloaded(page, () => two.getByRole("button", { name: "Run folder" }).click());
    execFileSync("tar", ["xf", tar, "-C", folder]);
    const run = tar.replace(/\.tar$/, "");
    const signal = new AbortController().signal;
    const { step, last } = await resumeRun(run, { signal, settings: ["train.steps=320"] });
    expect([step, last!.loss < 0.1]).toEqual([320, true]);

    await two.getByRole("button", { name: "Extract its automaton" }).click();
    const found = side(page, "Result");
    await found.waitFor();
    expect(await found.locator("h2").innerText()).toBe("The true DFA");
    expect(await found.innerText()).toContain("Trained in this page");

    for (const open of [tar, run]) {
      await page.goto(`${studio.url}#/train?opened=${open === tar ? 1 : 2}`);
      await page.reload();
      await page.getByText("Open a run folder").click();
      await page.getByLabel(open === tar ? "or a .tar file" : "Folder").setInputFiles(open);
      const opened = page.locator("section.card[data-state]");
      await opened.getByText(open === tar ? /step 300 of 300/ : /step 320 of 320/).waitFor();
    }
    expect(wrong).toEqual([]);
    await page.close();
  });

  test("a run of the served folder resumes in the page to its end", async () => {
    const { page, wrong } = await openPage(browser, `${studio.url}#/train?run=deltanet`);
    const opened = side(page, "deltanet, opened");
    await opened.getByText("step 6 of 12, paused").waitFor();
    await page.getByRole("button", { name: "Resume" }).click();
    await opened.getByText("step 12 of 12").waitFor();
    await page.goto(`${studio.url}#/train?run=no-such-run`);
    await page.getByRole("alert").getByText("expected one of the runs").waitFor();
    expect(wrong.filter((each) => !each.includes("404"))).toEqual([]); // the browser itself says so of an answer that is none
    await page.close();
  });

  test("where the browser has no WebGPU, an address that names it gets one sentence and the CPU", async () => {
    const { page, wrong } = await openPage(browser, `${studio.url}#/train?device=webgpu&length=8&width=16`);
    await page.getByRole("alert").getByText("no WebGPU").waitFor();
    await page.getByRole("button", { name: "Train both" }).click();
    await side(page, "right")
      .getByText(/parameters on CPU; step \d/)
      .waitFor();
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await expectFair({ page, wrong }, width);
    }
    await page.close();
  });

  const STEPS = 20;
  const trainerFor = (config: RunConfig) =>
    createTrainer(config, {
      ...{ task: taskNamed(config.task.name), architecture: modelNamed(config.model.name) },
      ...{ runtime: nodeRuntime(), now: () => 0 },
    });

  // That one drifts as much as the native engine does from itself: web/train/engine.soak.ts.
  const DRIFTS = "parity deltanet-2";

  test("twenty steps of each model in the page have the losses of those outside, at the page's own rate, within 1e-5", async () => {
    const asked = [
      ...Object.keys(pageModels("parity")).map((name) => ["parity", name]),
      ["swaps", "deltanet-2"],
    ].map(([task, model]) => ({ task, model, choice: choiceFrom({ task, width: "16", length: "16" }) }));
    const { page, wrong } = await openPage(browser, `${studio.url}#/zoo`);
    for (const { task, model, choice } of asked) {
      const { records: steps } = await trainInPage(page, { ...choice, steps: STEPS }, model);
      const trainer = await trainerFor(RunConfig.parse(pageConfig(choice, model)));
      const within = `${task} ${model}` === DRIFTS ? 5e-4 : 1e-5;
      let done = 0;
      for await (const { loss, gradientNorm } of trainer.steps()) {
        const about = `${task} ${model}, step ${done + 1}`;
        expect(Math.abs(steps[done].loss - loss), about).toBeLessThan(within);
        expect(Math.abs(steps[done].gradientNorm / gradientNorm - 1), about).toBeLessThan(100 * within);
        expect(gradientNorm).toBeGreaterThan(0);
        if (++done === STEPS) break;
      }
      await trainer.release();
      expect(done).toBe(STEPS);
    }
    expect(wrong).toEqual([]);
    await page.close();
  });

  test("a configuration that cannot be is told in a sentence", async () => {
    const { page } = await openPage(browser, `${studio.url}#/zoo`);
    const choice = { ...choiceFrom({}), seed: -1 };
    await expect(trainInPage(page, choice, "lstm")).rejects.toThrow(/config: .*expected/);
    await page.close();
  });
});
