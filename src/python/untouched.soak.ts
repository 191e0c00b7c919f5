/**
 * @file After each of the 63 programs that change a setting, one that looks at all 63: the full product, on each host. In the slice
 * three looks, each at all 63 settings.
 */

import { describeUntouched } from "./untouched.check.test-helper.ts";

describeUntouched(process.env.SOAK_SLICE === "ci" ? 21 : 1);
