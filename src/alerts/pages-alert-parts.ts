/** All that the page of an alert is made of. */
import type { FormToken } from "../ui/form.ts";
import type { Alert } from "./alert.ts";
import type { MetricImage } from "./metric-image.ts";
import type { RefusedImage } from "./pages-metric-images-view.ts";
import type { PayloadChange } from "./payload-changes.ts";
import type { Activity, Occurrence } from "./store-occurrences.ts";

/** How many occurrences stand on a page of their table. */
export const OCCURRENCES_A_PAGE = 5;

export interface AlertView {
  home: string;
  alert: Alert;
  /** The alert as which this one recurred. */
  nextIid: number | null;
  spans: readonly { bucket: number; n: number; firstAt: Date; lastAt: Date }[];
  spanCount: number;
  occurrences: readonly Occurrence[];
  occurrencePage: number;
  occurrenceTotal: number;
  /** The payload of an occurrence that was asked for. */
  shown: { at: Date; payload: unknown; changes: PayloadChange[] | undefined } | undefined;
  images: readonly MetricImage[];
  refusedImage: RefusedImage | undefined;
  activity: readonly Activity[];
  csrfToken: FormToken;
  now: Date;
  comment: string | undefined;
  commentError: string | undefined;
  viewerId: number;
  /** Who may be given the alert. */
  people: readonly { id: number; name: string }[];
  /** The command that resolves it; empty where it is too long to be shown. */
  command: string | undefined;
  /** Receipts are for Maintainers. */
  seesReceipts: boolean;
}
