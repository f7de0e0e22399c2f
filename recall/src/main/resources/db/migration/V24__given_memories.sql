-- Which memories a turn of a conversation was given after a recall, beside the recall's own line in the log: only of turns
-- whose answer was accepted, with ids and no text. A recall that several turns shared has one for each.
create table recall_log_given (
  recall_id uuid not null,
  owner text not null check (length(owner) between 1 and 200),
  project text not null check (length(project) <= 200),
  session text not null check (length(session) between 1 and 200),
  at timestamptz not null,
  memories uuid[] not null check (cardinality(memories) > 0)
);

create index recall_log_given_scope on recall_log_given (owner, project, recall_id);
create index recall_log_given_age on recall_log_given (at);
