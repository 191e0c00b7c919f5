import { describeContainment } from "./containment.test-helper.ts";

describeContainment("embedded");
