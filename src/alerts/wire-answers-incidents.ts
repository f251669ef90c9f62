/** Responses about incidents, notes and labels, for the OpenAPI document (contract §3). */
import { AUTHOR } from "../accounts/wire-answers-author.ts";
import { moment, nullable, record, unnamed } from "../platform/answer-shapes.ts";
import { pageAnswers, REFUSED, readAnswers, refusal, writeAnswers } from "../platform/answers.ts";
import Type from "../platform/schema.ts";
import { INCIDENT_STATES } from "./incident.ts";
import { SEVERITIES } from "./severity.ts";

/** An incident in the shape of an issue. */
export const INCIDENT = record("Incident", {
  id: Type.Integer(),
  iid: Type.Integer({ description: "number of the incident within its project" }),
  project_id: Type.Integer(),
  title: Type.String(),
  description: Type.String({ description: "Markdown" }),
  state: Type.Enum([...INCIDENT_STATES]),
  created_at: moment(),
  updated_at: moment(),
  closed_at: nullable(moment()),
  closed_by: nullable(AUTHOR),
  labels: Type.Array(Type.String(), { description: "always `incident`" }),
  milestone: Type.Null(),
  assignees: Type.Array(Type.Unknown(), { maxItems: 0, description: "always empty" }),
  assignee: Type.Null(),
  author: nullable(AUTHOR),
  type: Type.Enum(["INCIDENT"]),
  issue_type: Type.Enum(["incident"]),
  severity: Type.Enum(SEVERITIES.map((one) => one.toUpperCase())),
  user_notes_count: Type.Integer(),
  confidential: Type.Boolean(),
  web_url: Type.String(),
  references: unnamed({ short: Type.String(), relative: Type.String(), full: Type.String() }),
});

/** A note of an incident or an alert. */
export const NOTE = record("Note", {
  id: Type.Integer(),
  type: Type.Null(),
  body: Type.String(),
  attachment: Type.Null(),
  author: nullable(AUTHOR),
  created_at: moment(),
  updated_at: moment(),
  system: Type.Boolean({ description: "true: written by the service to record a change" }),
  noteable_id: Type.Integer(),
  noteable_type: Type.Enum(["Issue", "AlertManagement::Alert"]),
  project_id: Type.Integer(),
  noteable_iid: Type.Integer(),
  resolvable: Type.Boolean(),
  confidential: Type.Boolean(),
  internal: Type.Boolean(),
});

export const INCIDENTS_ANSWERS = pageAnswers("A page of incidents, newest first unless sort=asc", INCIDENT);

/** Responses of the list across all projects. */
export const ALL_INCIDENTS_ANSWERS = pageAnswers(
  "A page of incidents, newest first unless sort=asc",
  INCIDENT,
  REFUSED.caller,
);

export const INCIDENT_ANSWERS = readAnswers("The incident", INCIDENT);

export const NEW_INCIDENT_ANSWERS = writeAnswers(201, "The new incident", INCIDENT);

export const CHANGED_INCIDENT_ANSWERS = writeAnswers(200, "The updated incident", INCIDENT);

/** Responses of opening an incident for an alert. */
export const ALERT_INCIDENT_ANSWERS = writeAnswers(201, "The new incident of the alert", INCIDENT, {
  ...REFUSED.write,
  409: refusal("The alert already has an incident"),
  422: refusal("Test alerts cannot have an incident"),
});

export const PARTICIPANTS_ANSWERS = pageAnswers(
  "A page of the users who opened the incident, changed it or wrote a note",
  AUTHOR,
);

export const NOTES_ANSWERS = pageAnswers("A page of notes, newest first unless sort=asc", NOTE);

export const NOTE_ANSWERS = readAnswers("The note", NOTE);

/** A note as a discussion of its own; replies to notes do not exist here. */
export const DISCUSSION = record("Discussion", {
  id: Type.String({ description: "40 hexadecimal digits, derived from the id of the note" }),
  individual_note: Type.Boolean({ description: "always true" }),
  notes: Type.Array(NOTE, { minItems: 1, maxItems: 1 }),
});

export const DISCUSSIONS_ANSWERS = pageAnswers(
  "A page of discussions, each with one note, oldest first",
  DISCUSSION,
);

export const DISCUSSION_ANSWERS = readAnswers("The discussion", DISCUSSION);

export const NEW_NOTE_ANSWERS = writeAnswers(201, "The new note", NOTE);

export const LABEL = record("Label", {
  id: Type.Integer(),
  name: Type.String(),
  description: Type.Null(),
  description_html: Type.String(),
  text_color: Type.String(),
  color: Type.String(),
  subscribed: Type.Boolean(),
  priority: Type.Null(),
  is_project_label: Type.Boolean(),
});

/** Responses of the list of labels, which has at most one item. */
export const LABELS_ANSWERS = pageAnswers("A page of labels", LABEL);

export const LABEL_ANSWERS = readAnswers("The label", LABEL);
