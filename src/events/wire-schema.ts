/** Machine-readable list of the actions, target types and allowed pairs of events (reference events E8). */
import { nullable, unnamed } from "../platform/answer-shapes.ts";
import { type Described, REFUSED, readAnswers } from "../platform/answers.ts";
import Type from "../platform/schema.ts";
import {
  ACTIONS,
  type Action,
  ALLOWED_TARGETS,
  actionName,
  PUSH_ACTIONS,
  TARGET_TYPES,
  type TargetType,
} from "./event.ts";
import { ABSENT_TARGETS, rowsOfTargets, TARGET_FILTERS } from "./filter.ts";

const EVENTS_SCHEMA = unnamed({
  actions: Type.Array(Type.Enum([...ACTIONS]), { description: "values of the filter `action`" }),
  target_types: Type.Array(Type.Enum([...TARGET_FILTERS, ...ABSENT_TARGETS]), {
    description: "values of the filter `target_type`; those that no pair lists match no events",
  }),
  pairs: Type.Array(
    unnamed({
      action: Type.Enum([...ACTIONS]),
      target_type: nullable(Type.Enum([...TARGET_TYPES])),
      action_names: Type.Array(Type.String(), {
        description: "possible values of `action_name`, which depends on `push_data` and `imported`",
      }),
      filters: Type.Array(Type.Enum([...TARGET_FILTERS]), {
        description: "values of the filter `target_type` that match such events",
      }),
    }),
    { description: "allowed pairs of action and target type, for writing and in lists" },
  ),
});

export const EVENTS_SCHEMA_ANSWERS = readAnswers(
  "The values of the filters, and the allowed pairs of action and target type",
  EVENTS_SCHEMA,
  REFUSED.caller,
);

/** Returns the pairs in the order of `ACTIONS`, and for each action in that of its targets. */
export function eventsSchema(): Described<typeof EVENTS_SCHEMA> {
  const pairs = ACTIONS.flatMap((action) =>
    ALLOWED_TARGETS[action].map((targetType) => ({
      action,
      target_type: targetType,
      action_names: namesOf(action, targetType),
      filters: filtersOf(action, targetType),
    })),
  );
  return { actions: ACTIONS, target_types: [...TARGET_FILTERS, ...ABSENT_TARGETS], pairs };
}

/** All values of `actionName` for the pair. */
function namesOf(action: Action, targetType: TargetType | null): string[] {
  const names = ["none", "elsewhere"].flatMap((importedFrom) =>
    PUSH_ACTIONS.map((pushed) =>
      actionName({ action, targetType, importedFrom, pushData: { action: pushed } }),
    ),
  );
  return [...new Set(names)];
}

/** The filter words that match such events. */
function filtersOf(action: Action, targetType: TargetType | null) {
  return TARGET_FILTERS.filter((word) => {
    const { types, targetless } = rowsOfTargets([word]);
    return targetType === null ? targetless.includes(action) : types.includes(targetType);
  });
}
