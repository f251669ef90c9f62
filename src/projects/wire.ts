/** Projects, groups, members and environments as the API shows them. */
import type { Namespace } from "../accounts/namespace.ts";
import { avatarUrl } from "../accounts/user.ts";
import { authorRecord } from "../accounts/wire.ts";
import type { Environment } from "./environment.ts";
import type { Group } from "./group.ts";
import type { Member, Membership } from "./member.ts";
import type { Project } from "./project.ts";
import type { Levels } from "./store.ts";

const access = (level: number) => (level === 0 ? null : { access_level: level, notification_level: 3 });

/** Returns the day (UTC) of an instant, such as `2026-11-21`. */
const dayOf = (at: Date | null) => (at === null ? null : at.toISOString().slice(0, 10));

/** A project (reference events B2); `levels` are those of the caller, absent without a token. */
export function projectRecord(project: Project, publicUrl: string, levels?: Levels) {
  const { id, fullPath } = project;
  const host = new URL(publicUrl).hostname;
  const self = `${publicUrl}/api/v4/projects/${id}`;
  return {
    id,
    description: project.description,
    name: project.name,
    name_with_namespace: `${project.namespaceFullName} / ${project.name}`,
    path: project.path,
    path_with_namespace: fullPath,
    created_at: project.createdAt,
    default_branch: project.defaultBranch,
    tag_list: [],
    topics: [],
    ssh_url_to_repo: `git@${host}:${fullPath}.git`,
    http_url_to_repo: `${publicUrl}/${fullPath}.git`,
    web_url: `${publicUrl}/${fullPath}`,
    readme_url: null,
    avatar_url: null,
    forks_count: 0,
    star_count: 0,
    last_activity_at: project.lastActivityAt,
    namespace: {
      id: project.namespaceId,
      name: project.namespaceName,
      path: project.namespacePath,
      kind: project.namespaceKind,
      full_path: project.namespaceFullPath,
      parent_id: project.namespaceParentId,
      avatar_url: null,
      web_url: `${publicUrl}/${project.namespaceFullPath}`,
    },
    _links: {
      self,
      issues: `${self}/issues`,
      merge_requests: `${self}/merge_requests`,
      labels: `${self}/labels`,
      events: `${self}/events`,
      members: `${self}/members`,
    },
    visibility: project.visibility,
    archived: project.archivedAt !== null,
    marked_for_deletion_at: dayOf(project.markedForDeletionAt),
    marked_for_deletion_on: dayOf(project.markedForDeletionAt),
    event_retention_days: project.eventRetentionDays,
    creator_id: project.creatorId,
    import_status: "none",
    empty_repo: true,
    issues_enabled: true,
    merge_requests_enabled: true,
    wiki_enabled: true,
    snippets_enabled: true,
    issues_access_level: "enabled",
    merge_requests_access_level: "enabled",
    wiki_access_level: "enabled",
    snippets_access_level: "enabled",
    permissions: levels && { project_access: access(levels.direct), group_access: access(levels.inherited) },
  };
}

/** A namespace of a user or a group (GitLab v4 API shape); `plan` is that of its top-level group. */
export function namespaceRecord(
  { id, name, path, kind, fullPath, parentId, ownerId, plan }: Namespace,
  publicUrl: string,
) {
  const links = {
    avatar_url: ownerId === null ? null : avatarUrl(ownerId, publicUrl),
    web_url: `${publicUrl}/${fullPath}`,
  };
  return { id, name, path, kind, full_path: fullPath, parent_id: parentId, ...links, plan };
}

/** A group (GitLab v4 API shape). */
export function groupRecord(group: Group, publicUrl: string) {
  return {
    id: group.id,
    web_url: `${publicUrl}/${group.fullPath}`,
    name: group.name,
    path: group.path,
    description: group.description,
    visibility: group.visibility,
    avatar_url: null,
    full_name: group.fullName,
    full_path: group.fullPath,
    created_at: group.createdAt,
    parent_id: group.parentId,
    archived: group.archivedAt !== null,
    marked_for_deletion_on: dayOf(group.markedForDeletionAt),
  };
}

/** A group around a project, as everybody who sees the project may know it (GitLab v4 API shape). */
export function aroundRecord(group: Group, publicUrl: string) {
  const { id, web_url, name, avatar_url, full_name, full_path } = groupRecord(group, publicUrl);
  return { id, web_url, name, avatar_url, full_name, full_path };
}

/** A member (reference events B3); `expires_at` is a day if it ends at the beginning of one. */
export function memberRecord(member: Member, publicUrl: string) {
  const { userId: id, username, name, state, creator } = member;
  return {
    ...authorRecord({ id, username, name, state }, publicUrl),
    access_level: member.accessLevel,
    created_at: member.createdAt,
    created_by: creator && authorRecord(creator, publicUrl),
    expires_at: member.expiresAt && expiryOf(member.expiresAt),
    membership_state: "active",
  };
}

function expiryOf(at: Date): string {
  const iso = at.toISOString();
  return iso.endsWith("T00:00:00.000Z") ? iso.slice(0, 10) : iso;
}

/** A membership of a user (GitLab v4 API shape). */
export function membershipRecord({ sourceId, sourceName, sourceType, accessLevel }: Membership) {
  return {
    source_id: sourceId,
    source_name: sourceName,
    source_type: sourceType,
    access_level: accessLevel,
  };
}

/** An environment (GitLab v4 API shape). */
export function environmentRecord(environment: Environment) {
  return {
    id: environment.id,
    name: environment.name,
    slug: environment.slug,
    external_url: environment.externalUrl,
    state: environment.state,
    created_at: environment.createdAt,
    updated_at: environment.updatedAt,
  };
}
