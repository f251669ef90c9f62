/** Views of the list of groups and of the form for a new one. */
import { linkButton, submitButton } from "../ui/button.ts";
import { card, pageHead } from "../ui/card.ts";
import { tile } from "../ui/face.ts";
import { csrfField, errorSummary, textField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { named } from "../ui/named.ts";
import { table } from "../ui/table.ts";
import type { Group } from "./group.ts";
import { type About, aboutErrors, descriptionField, visibilityField } from "./pages-about.ts";
import { type Places, placeField } from "./pages-place-field.ts";
import { placesMain, type Search } from "./pages-places-views.ts";
import { standing } from "./pages-views.ts";
import { roleName } from "./role.ts";

/** The groups that the viewer may see, with a search. */
export function groupsMain(groups: readonly Group[], search: Search): Html {
  const lead = "A group contains projects. Its members are members of all of them.";
  return placesMain(
    { one: "group", heading: "Groups", lead },
    search,
    groups.length > 0 ? groupTable(groups) : undefined,
  );
}

function groupTable(groups: readonly Group[]): Html {
  return table<Group>({
    caption: "Groups",
    rows: groups,
    columns: [
      {
        head: "Name",
        rowHeader: true,
        cell: ({ name, fullPath }) =>
          named(tile(name, 2), html`<a class="title" href="/${fullPath}">${name}</a>`, fullPath),
      },
      { head: "Visibility", cell: standing },
      {
        head: "Your role",
        kind: "nowrap",
        cell: ({ access }) => (access === 0 ? "Visitor" : roleName(access)),
      },
    ],
  });
}

/** What was typed into the form for a new group; `parent`: a path, empty for a top-level group. */
export type TypedGroup = About & { parent: string };

/** The form for a new group, with what was typed and its faults. */
export function newGroupMain(
  csrfToken: string,
  publicUrl: string,
  parents: Places,
  typed: TypedGroup,
  faults: Readonly<Record<string, readonly string[]>>,
): Html {
  const errors = aboutErrors(faults, [{ id: "parent", label: "Within" }]);
  const [name, path, parent, description, visible] = errors.map((field) => field.error);
  const hints = {
    chosen: "Or a group in which you are at least Maintainer.",
    typed: "The path of a group in which you are at least Maintainer; empty for the top.",
  };
  const within = { name: "parent", label: "Within", value: typed.parent, error: parent, hints };
  const top = { value: "", label: "No group: at the top" };
  return html`${pageHead({ heading: "New group", lead: "A group contains projects. Its members are members of all of them." })}${card(
    {
      id: "new",
      heading: "About the group",
      body: html`<form class="form two" action="/groups" method="post">${csrfField(csrfToken)}${errorSummary(errors)}
${textField({ name: "name", label: "Name", value: typed.name, error: name, required: true, autofocus: name === undefined, maxlength: 255, hint: "The name that people see." })}
${placeField(within, parents, [top])}
${textField({ name: "path", label: "Path", value: typed.path, error: path, required: true, spellcheck: false, full: true, follows: "name", maxlength: 255, placeholder: "my-team", hint: `The last part of its address, as in ${publicUrl}/my-team` })}
${descriptionField(typed, description)}
${visibilityField(typed, visible, "Nothing in a group is seen by more people than the group.")}
<div class="btn-row full">${submitButton("Create group", { tone: "primary" })}${linkButton("Cancel", "/groups")}</div></form>`,
    },
  )}`;
}
