/** @file After each of the 63 programs that change a setting, one that looks at all 63: the full product, on each host. */

import { describeUntouched } from "./memory-reset.check.test-helper.ts";

describeUntouched(1);
