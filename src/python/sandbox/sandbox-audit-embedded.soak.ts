import { describeContainment } from "./sandbox-audit.test-helper.ts";

describeContainment("embedded");
