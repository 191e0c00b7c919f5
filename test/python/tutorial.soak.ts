import { expect, test } from "vitest";
import { page } from "../docs/docs.test-helper.ts";
import { isInstalled, python } from "./python.test-helper.ts";

/** The block of docs/tutorial/your-own-architecture.md after a line that ends in "as `FILE`:". */
const blockAs = (file: string): string => {
  const [, after] = page("docs/tutorial/your-own-architecture.md").split(`as \`${file}\`:\n\n\`\`\``);
  return after.slice(after.indexOf("\n"), after.indexOf("```"));
};

test.skipIf(!isInstalled("torch"))("PyTorch prints the numbers that the tutorial compares with", () => {
  const { stdout, stderr } = python(["-c", blockAs("reflector.py")]);
  expect(JSON.parse(stdout), stderr).toEqual(JSON.parse(blockAs("torch.json")));
});
