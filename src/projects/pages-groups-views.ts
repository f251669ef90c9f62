/** What the list of groups and the form for a new one look like. */
import { linkButton, submitButton } from "../ui/button.ts";
import { bareCard, card, emptyState, pageHead } from "../ui/card.ts";
import { choiceSet } from "../ui/choice.ts";
import { tile } from "../ui/face.ts";
import { csrfField, errorSummary, selectField, textArea, textField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { pager, table } from "../ui/table.ts";
import { filterBar } from "../ui/toolbar.ts";
import type { Group } from "./group.ts";
import { VISIBILITY_CHOICES, visibilityBadge } from "./pages-views.ts";
import { roleName } from "./role.ts";

export interface GroupsShown {
  groups: readonly Group[];
  search: string;
  page: number;
  totalPages: number;
  signedIn: boolean;
}

/** Every group that the viewer may see, by search. */
export function groupsMain({ groups, search, page, totalPages, signedIn }: GroupsShown): Html {
  const bar = filterBar({
    label: "Find groups",
    action: "/groups",
    search: { name: "search", value: search, placeholder: "Find by name or path", label: "Find groups" },
    filters: [],
  });
  const hrefFor = (number: number) =>
    `/groups?${new URLSearchParams({ ...(search ? { search } : {}), page: String(number) })}`;
  const list = groups.length > 0 ? groupTable(groups) : nothing(search, signedIn);
  return html`${pageHead({ heading: "Groups", lead: "A group holds projects, and its members belong to all of them.", actions: [signedIn && newGroup] })}${bareCard("Groups", html`${bar}${list}`)}${pager({ page, totalPages, hrefFor })}`;
}

const newGroup = linkButton("New group", "/groups/new", { tone: "primary", icon: "plus" });

function nothing(search: string, signedIn: boolean): Html {
  if (search) {
    return emptyState({
      level: 2,
      heading: "No group fits",
      text: html`Nothing you may see has “${search}” in its name or path.`,
      action: linkButton("Show all", "/groups"),
    });
  }
  return emptyState({
    level: 2,
    heading: signedIn ? "No groups yet" : "No public groups",
    text: signedIn
      ? "The groups you make or are added to stand here."
      : "Groups that everybody may see stand here. Others need an account.",
    action: signedIn ? newGroup : linkButton("Sign in", "/users/sign_in"),
  });
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
          html`<span class="who">${tile(name, 2)}<span><a class="title" href="/${fullPath}">${name}</a><br><span class="sub wrap-any">${fullPath}</span></span></span>`,
      },
      { head: "Visibility", cell: ({ visibility }) => visibilityBadge(visibility) },
      {
        head: "Your role",
        kind: "nowrap",
        cell: ({ access }) => (access === 0 ? "Visitor" : roleName(access)),
      },
    ],
  });
}

/** What was typed into the form for a new group; `parent`: a path, empty for a group at the top. */
export interface TypedGroup {
  name: string;
  path: string;
  description: string;
  visibility: string;
  parent: string;
}

/** The form for a new group, with what was typed before and what is wrong with it. */
export function newGroupMain(
  csrfToken: string,
  publicUrl: string,
  parents: readonly string[],
  typed: TypedGroup,
  faults: Readonly<Record<string, readonly string[]>>,
): Html {
  const error = (field: string, label: string) => faults[field] && `${label} ${faults[field].join(", ")}.`;
  const errors = [
    { id: "name", label: "Name", error: error("name", "Name") },
    { id: "path", label: "Path", error: error("path", "Path") },
    { id: "parent", label: "Within", error: error("parent", "Within") },
    { id: "visibility", label: "Visibility", error: error("visibility_level", "Visibility") },
  ];
  const [name, path, parent, visible] = errors.map((field) => field.error);
  const places = [
    { value: "", label: "No group: at the top" },
    ...parents.map((place) => ({ value: place, label: place })),
  ];
  const choices = VISIBILITY_CHOICES.map((choice) => ({
    ...choice,
    checked: choice.value === typed.visibility,
  }));
  return html`${pageHead({ heading: "New group", lead: "It holds projects, and its members belong to all of them." })}${card(
    {
      id: "new",
      heading: "About the group",
      body: html`<form class="form two" action="/groups" method="post">${csrfField(csrfToken)}${errorSummary(errors)}
${textField({ name: "name", label: "Name", value: typed.name, error: name, required: true, autofocus: name === undefined, maxlength: 255, hint: "As people say it." })}
${selectField({ name: "parent", label: "Within", value: typed.parent, error: parent, hint: "Or a group in which you are at least Maintainer.", options: places })}
${textField({ name: "path", label: "Path", value: typed.path, error: path, required: true, spellcheck: false, full: true, maxlength: 255, placeholder: "my-team", hint: `The last part of its address, as in ${publicUrl}/my-team` })}
${textArea({ name: "description", label: "Description", note: "optional", value: typed.description, full: true, rows: 3 })}
${choiceSet({ name: "visibility", legend: "Visibility", many: false, error: visible, hint: "Nothing in a group is seen by more people than the group.", choices })}
<div class="btn-row full">${submitButton("Create group", { tone: "primary" })}${linkButton("Cancel", "/groups")}</div></form>`,
    },
  )}`;
}
