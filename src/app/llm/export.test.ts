import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { chatReply, json } from "../../eval/endpoints/server.test-helper.ts";
import { askExportNames } from "../../eval/exports/index.ts";
import { askedOf } from "./asked.test-helper.ts";
import { exportEval } from "./export.ts";
import { rightAnswer } from "./misbehaviours.test-helper.ts";

const root = tmpFolder("export-asking");

test("an asking is exported in every format, and the same one gives the same files", async () => {
  const folder = join(root, "asked");
  await askedOf((one, ...rest) => json(chatReply(rightAnswer(one)))(one, ...rest), 4, folder, {});
  const now = Date.UTC(2026, 10, 23);
  for (const as of askExportNames) {
    const paths = await exportEval(folder, { as, out: join(root, as), now });
    const again = await exportEval(folder, { as, out: join(root, `${as}-again`), now });
    const texts = (files: readonly string[]) => files.map((path) => readFileSync(path, "utf8"));
    expect(texts(paths)).toEqual(texts(again));
    expect(texts(paths).join("")).toContain("parity");
  }
  await expect(exportEval(root, { as: "inspect", now })).rejects.toThrow(
    /results\.json: expected an existing file/,
  );
});
