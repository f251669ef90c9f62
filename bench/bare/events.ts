/** Bare server: the 20 newest events of an author, without authorization, serialised in this process. */
import { openPool, sendJson, serveBareAsync } from "./serve-bare.ts";

const text = `select e.id, e.project_id, e.action, e.target_type, e.target_id, e.target_iid, e.created_at, e.push_data,
    e.note, e.wiki_page, e.imported_from, t.title, u.id as author_id, u.username, u.name, u.state
  from events e join users u on u.id = e.author_id left join event_targets t on t.id = e.target_ref
  where e.author_id = $1 order by e.created_at desc, e.id desc limit 20`;

const pool = openPool();

serveBareAsync(async (request, reply) => {
  const author = Number(request.url?.slice(1));
  const { rows } = await pool.query({ name: "events", text, values: [author] });
  sendJson(reply, 200, (rows as EventRow[]).map(recordOf));
});

interface EventRow {
  id: number;
  project_id: number;
  action: string;
  target_type: string | null;
  target_id: number | null;
  target_iid: number | null;
  created_at: Date;
  push_data: object | null;
  note: object | null;
  wiki_page: object | null;
  imported_from: string;
  title: string | null;
  author_id: number;
  username: string;
  name: string;
  state: string;
}

function recordOf(row: EventRow) {
  return {
    id: row.id,
    title: null,
    project_id: row.project_id,
    action_name: row.action,
    action: row.action,
    target_id: row.target_id,
    target_iid: row.target_iid,
    target_type: row.target_type,
    author_id: row.author_id,
    target_title: row.title,
    created_at: row.created_at,
    note: row.note ?? undefined,
    author: {
      id: row.author_id,
      username: row.username,
      name: row.name,
      state: row.state,
      avatar_url: null,
      web_url: `http://localhost/${row.username}`,
    },
    wiki_page: row.wiki_page ?? undefined,
    imported: row.imported_from !== "none",
    imported_from: row.imported_from,
    push_data: row.push_data ?? undefined,
    author_username: row.username,
  };
}
