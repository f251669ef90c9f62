/** Rate limits of a minute without waiting: their counts do not depend on how busy the machine is. */
import { stopsMeasuring } from "./measuring.ts";

/** Stops the clock that refills the token buckets, until `mock.restoreAll()` or the end of the file. */
export const stopsBuckets = stopsMeasuring;
