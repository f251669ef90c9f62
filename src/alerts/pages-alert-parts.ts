/** The data that the page of an alert is rendered from. */
import type { FormToken } from "../ui/form.ts";
import type { Alert } from "./alert.ts";
import type { PeopleToAssign } from "./find-people-to-assign.ts";
import type { MetricImage } from "./metric-image.ts";
import type { RefusedImage } from "./pages-metric-images-view.ts";
import type { PayloadChange } from "./payload-changes.ts";
import type { Activity, Occurrence } from "./store-occurrences.ts";

/** Rows per page of the table of occurrences. */
export const OCCURRENCES_A_PAGE = 5;

export interface AlertView extends PeopleToAssign {
  home: string;
  alert: Alert;
  /** The iid of the alert that followed this one when it recurred. */
  nextIid: number | null;
  spans: readonly { bucket: number; n: number; firstAt: Date; lastAt: Date }[];
  spanCount: number;
  occurrences: readonly Occurrence[];
  occurrencePage: number;
  occurrenceTotal: number;
  /** The payload of the occurrence that the address selects. */
  shown: { at: Date; payload: unknown; changes: PayloadChange[] | undefined } | undefined;
  images: readonly MetricImage[];
  refusedImage: RefusedImage | undefined;
  activity: readonly Activity[];
  /** Whether older lines are left out. */
  isActivityCut: boolean;
  csrfToken: FormToken;
  now: Date;
  comment: string | undefined;
  commentError: string | undefined;
  viewerId: number;
  /** The command that resolves it; empty if it is too long to be shown. */
  command: string | undefined;
  /** Whether the viewer may see receipts, as Maintainers may. */
  seesReceipts: boolean;
}
