/** The kinds of entries by which a person's own log is filtered. */
import { AUDIT_ACTIONS, type AuditAction } from "./audit.ts";

/** In the order of the choice; each action is of the first kind whose pattern it matches. */
const KINDS = [
  { value: "sign_ins", label: "Sign-ins", of: /^sign_|^(?:password|code|passkey)_refused$|^session_/ },
  {
    value: "factors",
    label: "Password and second factor",
    of: /^password_|^two_factor_|^authenticator_|^passkey_|^recovery_/,
  },
  { value: "tokens", label: "Tokens and leaked secrets", of: /^token_|^secret_leaked$/ },
  { value: "applications", label: "Applications", of: /^application_|^access_|^secret_|^keys_|^reuse_/ },
  { value: "places", label: "Groups and projects", of: /^group_|^project_|^event_|^owner_/ },
  {
    value: "alerts",
    label: "Alerts",
    of: /^alert_|^integration_|^reading_|^heartbeat_|^silence_|^incident_/,
  },
  { value: "instance", label: "This Gatehouse", of: /^settings_|^master_key_/ },
  { value: "account", label: "Account and invitations", of: /./ },
] as const;

/** The kinds to choose from. */
export const AUDIT_KINDS = KINDS.map(({ value, label }) => ({ value, label }));

/** The actions of a kind; undefined: not one of the kinds. */
export function actionsOfKind(kind: string): AuditAction[] | undefined {
  const wanted = KINDS.find(({ value }) => value === kind);
  if (!wanted) return undefined;
  return NAMES.filter((action) => kindOf(action) === wanted);
}

const NAMES = Object.keys(AUDIT_ACTIONS).filter((name): name is AuditAction => name in AUDIT_ACTIONS);

function kindOf(action: AuditAction) {
  return KINDS.find(({ of }) => of.test(action));
}
