/** Views of the start page, the list of projects, and the form for a new one. */
import type { Visibility } from "../accounts/namespace.ts";
import { badge } from "../ui/badge.ts";
import { linkButton, submitButton } from "../ui/button.ts";
import { card, pageHead, stack } from "../ui/card.ts";
import { tile } from "../ui/face.ts";
import { csrfField, errorSummary, textField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { named } from "../ui/named.ts";
import { table } from "../ui/table.ts";
import { timeAgo } from "../ui/time.ts";
import type { Lifecycle } from "./lifecycle.ts";
import { type About, aboutErrors, descriptionField, visibilityField } from "./pages-about.ts";
import { lifecycleBadge } from "./pages-lifecycle-views.ts";
import { optionOf, type Places, placeField } from "./pages-place-field.ts";
import { placesMain, type Search } from "./pages-places-views.ts";
import type { Project } from "./project.ts";
import { roleName } from "./role.ts";

type Faults = Readonly<Record<string, readonly string[]>>;

/** The viewer's projects, between urgent cards and recent activity; or first steps for somebody who has none. */
export function dashboardMain(
  viewer: { name: string; isAdmin: boolean },
  projects: readonly Project[],
  others: { above: readonly (Html | undefined)[]; below: Html | undefined },
  now: Date,
): Html {
  const first = viewer.name.split(/\s/)[0] ?? viewer.name;
  const newProject = linkButton("New project", "/projects/new", { tone: "primary", icon: "plus", key: "n" });
  if (projects.length === 0) {
    return html`${pageHead({ heading: `Welcome, ${first}` })}${stack([...others.above, ...firstSteps(viewer.isAdmin)])}`;
  }
  const all = linkButton("All projects", "/projects", { size: "sm" });
  const own = card({
    id: "projects",
    heading: "Your projects",
    aside: all,
    flush: projectTable(projects, now),
  });
  return html`${pageHead({ heading: "Dashboard", lead: `Hello ${first}. Here is what’s happening in your projects.`, actions: [newProject] })}${stack([...others.above, own, others.below])}`;
}

/** Cards with one next step each (reference ux §2); inviting to the whole is for administrators. */
const firstSteps = (isAdmin: boolean) => [
  card({
    id: "first-project",
    heading: "Create a project",
    body: html`<p class="text-2">Alerts, incidents and activity belong to a project, and you decide who can see it. A group holds the projects of a team.</p>`,
    footer: html`<div class="btn-row">${linkButton("New project", "/projects/new", { tone: "primary", icon: "plus", key: "n" })}${linkButton("New group", "/groups/new", { icon: "users" })}</div>`,
  }),
  isAdmin &&
    card({
      id: "first-people",
      heading: "Invite people",
      body: html`<p class="text-2">Each gets a link to create an account. You can also invite people to a single group or project, on its Members page.</p>`,
      footer: linkButton("Invite people", "/admin/invitations#new", { icon: "users" }),
    }),
  card({
    id: "first-application",
    heading: "Register an application",
    body: html`<p class="text-2">Let another service sign people in with their account here, or act for them within scopes you choose.</p>`,
    footer: linkButton("New application", "/profile/applications#new", { icon: "apps" }),
  }),
  card({
    id: "first-token",
    heading: "Create a personal access token",
    body: html`<p class="text-2">For your own scripts: use the API as yourself.</p>`,
    footer: linkButton("New token", "/profile/personal_access_tokens#new", { icon: "key" }),
  }),
];

/** The projects that the viewer may see, with a search. */
export function projectsMain(projects: readonly Project[], search: Search, now: Date): Html {
  const lead = search.signedIn ? "All projects that you can see." : "Public projects.";
  const list = projects.length > 0 ? projectTable(projects, now) : undefined;
  return placesMain({ one: "project", heading: "Projects", lead }, search, list);
}

/** A table of projects, newest activity first. */
export function projectTable(projects: readonly Project[], now: Date): Html {
  return table<Project>({
    caption: "Projects",
    rows: projects,
    columns: [
      {
        head: "Name",
        rowHeader: true,
        cell: ({ name, fullPath, namespaceName }) =>
          named(tile(name, 2), html`<a class="title" href="/${fullPath}">${name}</a>`, namespaceName),
      },
      { head: "Visibility", cell: standing },
      {
        head: "Your role",
        kind: "nowrap",
        cell: ({ access }) => (access === 0 ? "Visitor" : roleName(access)),
      },
      { head: "Last activity", kind: "nowrap", cell: ({ lastActivityAt }) => timeAgo(lastActivityAt, now) },
    ],
  });
}

/** The visibility of a project or group, and whether it is archived or marked for deletion. */
export function standing(place: Lifecycle & { visibility: Visibility }): Html {
  return html`<span class="row">${visibilityBadge(place.visibility)}${lifecycleBadge(place)}</span>`;
}

/** The badge of the visibility of a project. */
export function visibilityBadge(visibility: Visibility): Html {
  return badge(
    visibility.charAt(0).toUpperCase() + visibility.slice(1),
    visibility === "private" ? "line" : "accent",
  );
}

/** What was typed into the form for a new project. */
export type TypedProject = About & { namespace: string };

/** The form for a new project, with what was typed and its faults. */
export function newProjectMain(
  {
    csrfToken,
    publicUrl,
    own,
    places,
  }: { csrfToken: string; publicUrl: string; own: string; places: Places },
  typed: TypedProject,
  faults: Faults,
): Html {
  const errors = aboutErrors(faults, [{ id: "namespace", label: "Owner" }]);
  const [name, path, namespace, description, visible] = errors.map((field) => field.error);
  const hints = {
    chosen: "You, or a group in which you are at least Developer.",
    typed: "Your username, or the path of a group in which you are at least Developer.",
  };
  const value = typed.namespace || own;
  const owner = { name: "namespace", label: "Owner", value, error: namespace, hints };
  return html`${pageHead({ heading: "New project", lead: "Where alerts arrive and events are kept." })}${card(
    {
      id: "new",
      heading: "About the project",
      body: html`<form class="form two" action="/projects" method="post">${csrfField(csrfToken)}${errorSummary(errors)}
${textField({ name: "name", label: "Name", value: typed.name, error: name, required: true, autofocus: name === undefined, maxlength: 255, hint: "The name that people see." })}
${placeField(owner, places, [optionOf(own)])}
${textField({ name: "path", label: "Path", value: typed.path, error: path, required: true, spellcheck: false, full: true, follows: "name", placeholder: "my-project", hint: `The last part of its address: ${publicUrl}/owner/my-project` })}
${descriptionField(typed, description)}
${visibilityField(typed, visible)}
<div class="btn-row full">${submitButton("Create project", { tone: "primary" })}${linkButton("Cancel", "/projects")}</div></form>`,
    },
  )}`;
}
