/** Reads which repository a forge's payload is about (decision 0294). */
import { isObject, type JsonObject } from "../../platform/json-object.ts";
import { OF_GROUP } from "../source.ts";
import { numberOf, part, textOf } from "./payload.ts";

/**
 * The forge's id of the repository, which a new name does not change: a number at GitHub, Gitea and their relatives, that of the
 * project at GitLab, a UUID in Bitbucket's Cloud, and a number at its Data Center; or `OF_GROUP`. Undefined: the payload has none.
 */
export function repositoryOf(payload: unknown): string | undefined {
  const whole = isObject(payload) ? payload : {};
  const repository = part(whole, "repository");
  const attributes = part(whole, "object_attributes");
  const id =
    numberOf(repository, "id") ??
    numberOf(whole, "project_id") ??
    numberOf(part(whole, "project"), "id") ??
    numberOf(attributes, "project_id") ??
    numberOf(attributes, "target_project_id") ??
    numberOf(part(whole, "pullRequest", "toRef", "repository"), "id");
  if (id !== undefined) return String(id);
  const isOfGroup = typeof whole.object_kind === "string" && !isObject(whole.project);
  return isOfGroup ? OF_GROUP : textOf(repository, "uuid", 100);
}

/**
 * The number of a GitLab issue or the like within its project. An epic is numbered within its group, of which payloads have no id:
 * it has its number in the instance instead, lest epic 5 of one group be epic 5 of another.
 */
export function iidOf(payload: JsonObject, thing: JsonObject): number | undefined {
  return numberOf(thing, repositoryOf(payload) === OF_GROUP ? "id" : "iid");
}
