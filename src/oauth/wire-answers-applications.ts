/** The responses about applications for the OpenAPI document (contract §3; decisions 0080, 0172). */
import { SCOPES } from "../accounts/scope.ts";
import { moment, nullable, record, unnamed } from "../platform/answer-shapes.ts";
import {
  doneAnswers,
  pageAnswers,
  REFUSED,
  REMOVED_MEANWHILE,
  readAnswers,
  writeAnswers,
} from "../platform/answers.ts";
import Type from "../platform/schema.ts";
import { GRANT_TYPES } from "./application.ts";
import { EVENT_ENDPOINTS } from "./application-event.ts";
import { FLOWS } from "./authorization.ts";
import { SIGNING_ALGORITHMS } from "./signing-key.ts";
import { keysAnswers } from "./wire-keys.ts";
import { lifetimeAnswers } from "./wire-lifetimes.ts";

const members = {
  id: Type.Integer(),
  application_id: Type.String({ description: "`client_id` on the wire" }),
  application_name: Type.String(),
  callback_url: Type.String({ description: "one on each line" }),
  post_logout_redirect_uris: Type.Array(Type.String()),
  backchannel_logout_uri: Type.String({ description: "empty: none" }),
  backchannel_logout_session_required: Type.Boolean(),
  confidential: Type.Boolean(),
  trusted: Type.Boolean(),
  self_registered: Type.Boolean({
    description: "the application registered itself, and nobody here has reviewed it",
  }),
  scopes: Type.Array(Type.Enum([...SCOPES])),
  grant_types: Type.Array(Type.Enum([...GRANT_TYPES])),
  omit_iss: Type.Boolean(),
  require_pushed_authorization_requests: Type.Boolean(),
  id_token_signed_response_alg: Type.Enum([...SIGNING_ALGORITHMS]),
  dpop_bound_access_tokens: Type.Boolean({
    description: "it gets only tokens that are bound to a key",
  }),
  home_page: Type.String({ description: "empty: none" }),
  ...lifetimeAnswers,
  ...keysAnswers,
  owner_id: nullable(Type.Integer({ description: "null: it belongs to the instance or to a group" })),
  created_at: moment(),
};

const APPLICATION = record("Application", members);
const NEW_APPLICATION = record("NewApplication", {
  ...members,
  secret: Type.String({ description: "`client_secret`, shown only this once" }),
});

export const APPLICATIONS_ANSWERS = pageAnswers(
  "The applications of the instance",
  APPLICATION,
  REFUSED.caller,
);

export const NEW_APPLICATION_ANSWERS = writeAnswers(201, "The application with its secret", NEW_APPLICATION, {
  ...REFUSED.caller,
  409: REMOVED_MEANWHILE,
});

/** The responses with a single application. */
export const APPLICATION_ANSWERS = readAnswers("The application", APPLICATION);

export const REMOVED_APPLICATION_ANSWERS = doneAnswers();

export const RENEWED_SECRET_ANSWERS = writeAnswers(
  200,
  "The application with its new secret",
  NEW_APPLICATION,
  REFUSED.place,
);

/** The responses of `GET /applications/:id/events`. */
export const APPLICATION_EVENTS_ANSWERS = pageAnswers(
  "The refused requests of the application, newest first",
  record("ApplicationEvent", {
    id: Type.Integer(),
    created_at: moment("when the first of those alike came"),
    last_at: moment("when the last did"),
    endpoint: Type.Enum([...EVENT_ENDPOINTS]),
    grant_type: nullable(Type.String()),
    answer: Type.String({ description: "the error code of the response" }),
    reason: Type.String({ description: "the true reason" }),
    request_id: Type.String({ description: "the id of the latest such request" }),
    network: Type.String({ description: "the /24 or /64 of the caller" }),
    user: nullable(unnamed({ id: Type.Integer(), username: Type.String() })),
    times: Type.Integer({ description: "how often this was refused" }),
  }),
);

/** The responses of `GET /applications/:id/usage`. */
export const APPLICATION_USAGE_ANSWERS = readAnswers(
  "How the application was used in the last 30 days",
  record("ApplicationUsage", {
    people: Type.Integer({
      description: "the number of people who authorized it, or for whom it has a valid token",
    }),
    counted_since: nullable(moment("null: 30 days ago")),
    flows: Type.Array(
      unnamed({
        flow: Type.Enum([...FLOWS]),
        authorizations: Type.Integer(),
        tokens: Type.Integer({ description: "including those of refreshes" }),
        refreshes: Type.Integer(),
        people: Type.Integer(),
        live_tokens: Type.Integer(),
        last_at: moment(),
      }),
    ),
  }),
);
