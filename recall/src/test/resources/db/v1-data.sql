-- Rows as the first schema took them, frozen: what a program of that time had written. Two owners, a memory with its
-- vector, one whose job waits, one whose job was running when the process ended, one that failed, one that is pinned.
insert into memory (id, owner, project, external_id, kind, role, author, session, content, content_hash, occurred_at,
    pinned, metadata, words, word_count, created_at, updated_at)
values
  ('01890000-0000-7000-8000-000000000001', 'alice', 'atlas', 'moved', 'turn', 'user', 'Mina', 's1',
   'Mina moved to Kyoto in spring', sha256('Mina moved to Kyoto in spring'), '2025-03-01T10:00Z', false, '{"source":"chat"}',
   $$'mina':1,4097A 'move':1 'kyoto':1 'spring':1$$, 4, '2025-03-01T10:00Z', '2025-03-01T10:00Z'),
  ('01890000-0000-7000-8000-000000000002', 'alice', 'atlas', null, 'note', null, null, null,
   'The invoice of March was paid', sha256('The invoice of March was paid'), null, true, '{}',
   $$'invoic':1 'march':1 'paid':1$$, 3, '2025-03-02T10:00Z', '2025-03-02T10:00Z'),
  ('01890000-0000-7000-8000-000000000003', 'alice', 'atlas', null, 'turn', 'user', 'Jonas', 's1',
   'parseConfig() throws on Jonas''s machine', sha256('parseConfig() throws on Jonas''s machine'), null, false, '{}',
   $$'parseconfig':1 'pars':1 'config':1 'throw':1 'jona':1,4097A 'machin':1$$, 5, '2025-03-03T10:00Z', '2025-03-03T10:00Z'),
  ('01890000-0000-7000-8000-000000000004', 'alice', 'atlas', null, 'document', null, null, null,
   '祖母は京都に住んでいます', sha256(convert_to('祖母は京都に住んでいます', 'UTF8')), null, false, '{}',
   $$'祖':1 '祖母':1 '母':1 '母は':1 'は':1 'は京':1 '京':1 '京都':1 '都':1 '都に':1 'に':1 'に住':1 '住':1 '住ん':1 'ん':1 'んで':1 'で':1 'でい':1 'い':1 'いま':1 'ま':1 'ます':1 'す':1$$,
   12, '2025-03-04T10:00Z', '2025-03-04T10:00Z'),
  ('01890000-0000-7000-8000-000000000005', 'bob', '', 'moved', 'note', null, null, null,
   'Bob keeps this to himself', sha256('Bob keeps this to himself'), null, false, '{}',
   $$'bob':1 'keep':1$$, 2, '2025-03-05T10:00Z', '2025-03-05T10:00Z');

insert into embedding_job (memory_id, owner, project, content_hash, state, attempt, failures, leased_by, lease_until,
    errors, finished_at)
select m.id, m.owner, m.project, m.content_hash, j.state, j.attempt, j.failures, j.leased_by, j.lease_until, j.errors,
  j.finished_at
from memory m
join (values
  ('01890000-0000-7000-8000-000000000001'::uuid, 'done', 1, 0, null, null::timestamptz, '[]'::jsonb, now()),
  ('01890000-0000-7000-8000-000000000002', 'available', 0, 0, null, null, '[]', null),
  ('01890000-0000-7000-8000-000000000003', 'running', 1, 0, 'a process that is gone', now() - interval '1 hour', '[]', null),
  ('01890000-0000-7000-8000-000000000004', 'failed', 5, 5, null, null,
   '[{"attempt":5,"code":"embedding-failed","detail":"the model said no","at":"2025-03-04T10:00:00Z"}]', now()),
  ('01890000-0000-7000-8000-000000000005', 'retryable', 1, 1, null, null, '[]', null)
) as j (id, state, attempt, failures, leased_by, lease_until, errors, finished_at) on j.id = m.id;

-- Of the model "f1", two dimensions: 0.6 and 0.8.
insert into memory_vector (memory_id, fingerprint, owner, project, content_hash, dimensions, vector)
select id, 'f1', owner, project, content_hash, 2, '\x9a99193fcdcc4c3f'
from memory where external_id = 'moved' and owner = 'alice';
