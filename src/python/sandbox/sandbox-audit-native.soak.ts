import { findNative } from "./native.ts";
import { describeContainment } from "./sandbox-audit.test-helper.ts";

const found = findNative();
describeContainment("native", found.kind === "missing" ? found.reason : undefined);
