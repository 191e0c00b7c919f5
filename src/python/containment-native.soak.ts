import { describeContainment } from "./containment.test-helper.ts";
import { findNative } from "./native.ts";

const found = findNative();
describeContainment("native", found.kind === "missing" ? found.reason : undefined);
