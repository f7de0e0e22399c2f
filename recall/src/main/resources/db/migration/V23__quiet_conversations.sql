-- What is kept of conversations goes by age in the background, whatever its scope: a scope in which nobody speaks any more
-- has nobody to do it.
drop index conversation_checkpoint_age;
drop index conversation_injection_age;
create index conversation_checkpoint_age on conversation_checkpoint (accepted_at);
create index conversation_injection_age on conversation_injection (accepted_at);
