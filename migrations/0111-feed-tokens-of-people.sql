-- Only people have feed tokens: that of an application's account would outlive the application, its secret and its scopes
-- (decision 0139). The trigger waits for whoever is making one, so that none is left after the deletion.
create trigger feed_tokens_of_people before insert on event_feed_tokens
  for each row execute function keys_of_people_alone();
delete from event_feed_tokens where user_id in (select id from users where is_placeholder);
