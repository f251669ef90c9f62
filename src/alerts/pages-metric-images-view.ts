/** The part of the page of an alert or incident that shows its metric images and adds new ones. */
import { submitButton } from "../ui/button.ts";
import { card } from "../ui/card.ts";
import { confirmDialog } from "../ui/dialog.ts";
import { csrfField, errorSummary, type FormToken, fileField, hiddenField, textField } from "../ui/form.ts";
import { attrs, type Html, html } from "../ui/html.ts";
import {
  MAX_METRIC_IMAGES,
  METRIC_IMAGE_BYTES,
  type MetricImage,
  metricImagePath,
  type Pictured,
} from "./metric-image.ts";
import { faultWords } from "./pages-frame.ts";

/** Outside projects, because a form with a file is received by a route of its own. */
export const NEW_METRIC_IMAGE_PATH = "/-/metric_images";

/** A refused image: the values typed, and the errors by field. */
export interface RefusedImage {
  url: string;
  urlText: string;
  faults: Readonly<Record<string, readonly string[]>>;
}

interface ImagesView extends Pick<Pictured, "kind" | "iid"> {
  home: string;
  images: readonly MetricImage[];
  refusedImage: RefusedImage | undefined;
  /** Undefined: the viewer may not add or remove images. */
  csrfToken: FormToken;
}

/** Returns the card; false if there are no images and none may be added. */
export function imagesCard(view: ImagesView): Html | false {
  const { images, csrfToken } = view;
  if (images.length === 0 && csrfToken === undefined) return false;
  return card({
    id: "metrics",
    heading: "Metrics",
    lead: "Screenshots of charts, for whoever looks into this later.",
    body: html`${images.length > 0 && html`<div class="shots">${images.map((image) => shot(view, image))}</div>`}${csrfToken !== undefined && images.length < MAX_METRIC_IMAGES && newImage(view, csrfToken)}`,
  });
}

function shot({ home, kind, iid, csrfToken }: ImagesView, image: MetricImage): Html {
  const path = metricImagePath(home.slice(1), { kind, iid }, image);
  const words = image.urlText ?? image.url ?? image.filename;
  const remove = confirmDialog(
    { words: "Remove", about: words, tone: "quiet", size: "sm" },
    {
      id: `remove-image-${image.id}`,
      heading: "Remove this picture?",
      text: html`${words} is deleted here, and cannot be restored.`,
      action: path,
      csrfToken,
      confirm: "Remove picture",
      keep: "Keep it",
    },
  );
  return html`<figure><a href="${path}"><img src="${path}" alt="${`Picture: ${words}`}" loading="lazy" decoding="async"></a><figcaption><span class="wrap-any">${image.url === null ? words : html`<a href="${image.url}" rel="noopener noreferrer">${words}</a>`}</span>${remove}</figcaption></figure>`;
}

function newImage({ home, kind, iid, refusedImage }: ImagesView, csrfToken: string): Html {
  const most = METRIC_IMAGE_BYTES / 1024 / 1024;
  const { url, urlText, faults = {} } = refusedImage ?? {};
  const field = (name: string, label: string) => {
    return { name, id: `image-${name}`, label, error: faultWords(label, faults[name]) };
  };
  const file = field("file", "Image");
  const address = field("url", "Address of the chart");
  const words = field("url_text", "Name of the chart");
  return html`<details class="more"${attrs({ open: refusedImage !== undefined })}><summary>Add an image</summary><form class="form mt" method="post" action="${`${NEW_METRIC_IMAGE_PATH}?beside=${home}/-/${kind}s/${iid}`}" enctype="multipart/form-data">${csrfField(csrfToken)}${hiddenField("project", home.slice(1))}${hiddenField("kind", kind)}${hiddenField("iid", String(iid))}
${errorSummary([file, address, words])}${fileField({ ...file, required: true, hint: `PNG, JPEG, GIF or WebP, at most ${most} MiB.`, accept: "image/png,image/jpeg,image/gif,image/webp" })}
${textField({ ...address, value: url, note: "optional", type: "url", maxlength: 255, spellcheck: false, placeholder: "https://" })}
${textField({ ...words, value: urlText, note: "optional", maxlength: 128 })}
<div class="btn-row full">${submitButton("Add image")}</div></form></details>`;
}
