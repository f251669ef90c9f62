/** Reads which repository a forge's payload is about (decision 0294). */
import { isObject } from "../../platform/json-object.ts";
import { numberOf, part, textOf } from "./payload.ts";

/**
 * The forge's id of the repository, which a new name does not change: a number at GitHub, Gitea and their relatives, that of the
 * project at GitLab, a UUID in Bitbucket's Cloud, and a number at its Data Center. Undefined: the payload has none.
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
  return id === undefined ? textOf(repository, "uuid", 100) : String(id);
}
