/** Creates a group, of which its creator becomes the owner. */
import { claimGroupName } from "../accounts/claim-group-name.ts";
import type { Namespace } from "../accounts/namespace.ts";
import type { Db } from "../platform/db.ts";
import { Problem } from "../platform/problem.ts";
import { type Asker, readerOf } from "./asker.ts";
import { holdLevel } from "./hold-level.ts";
import { isAtLeast, ROLES } from "./role.ts";
import { insertMember } from "./store-members.ts";

export interface GroupFields {
  path: string;
  name: string;
  parent?: Namespace | undefined;
  description?: string | undefined;
  visibility?: Namespace["visibility"] | undefined;
}

/**
 * At the top, or in a group whose Maintainer the creator is at that moment (decision 0302).
 * @throws FieldProblem invalid or conflict, by field; Problem not_found, forbidden: as `holdLevel`, or the role is too low
 */
export function createGroup(db: Db, maker: Asker, fields: GroupFields): Promise<Namespace> {
  return db.transaction(async (tx) => {
    if (fields.parent) {
      // As a reader: if the parent is being archived, what is made in it is archived with it (decision 0153).
      const { access } = await holdLevel(tx, readerOf(maker), { namespaceId: fields.parent.id }, []);
      if (!isAtLeast(access, "maintainer")) throw new Problem("forbidden", "403 Forbidden");
    }
    const group = await claimGroupName(tx, fields);
    await insertMember(
      tx,
      { namespaceId: group.id },
      { userId: maker.id, accessLevel: ROLES.owner, expiresAt: null, createdBy: maker.id },
    );
    return group;
  });
}
