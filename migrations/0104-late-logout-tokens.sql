-- An application that redeems a code after the session ended may have been told of its end before, by reason of an earlier code: what
-- it began with this code is told apart from that, under a key of its own (decision 0154).
create function announce_late_logout(
  application_id bigint, uri text, user_id bigint, session_sid uuid, authorization_id bigint
) returns void language sql as $$
  insert into outbox_deliveries (channel, target, content, purpose, dedupe_key, give_up_at)
  values ('logout', left(substring(uri from '^[^:]*://([^/?#]*)'), 320),
    json_build_object('event', 'logout', 'application_id', application_id, 'user_id', user_id, 'sid', session_sid),
    'backchannel_logout', application_id || ':' || session_sid || ':' || authorization_id, now() + interval '15 minutes')
  on conflict (purpose, dedupe_key) where dedupe_key is not null do nothing
$$;
