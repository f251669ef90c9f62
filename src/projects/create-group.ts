/** Creates a group, of which its creator becomes the owner. */
import { claimGroupName } from "../accounts/claim-group-name.ts";
import type { Namespace } from "../accounts/namespace.ts";
import type { Db } from "../platform/db.ts";
import { insertMember } from "./store-members.ts";

export interface GroupFields {
  path: string;
  name: string;
  parent?: Namespace | undefined;
  description?: string | undefined;
  visibility?: Namespace["visibility"] | undefined;
}

/** @throws FieldProblem invalid or conflict, by field */
export function createGroup(db: Db, makerId: number, fields: GroupFields): Promise<Namespace> {
  return db.transaction(async (tx) => {
    const group = await claimGroupName(tx, fields);
    await insertMember(
      tx,
      { namespaceId: group.id },
      { userId: makerId, accessLevel: 50, expiresAt: null, createdBy: makerId },
    );
    return group;
  });
}
