-- Whether the index can be used; no row: there is none.
select i.indisvalid from pg_index i join pg_class c on c.oid = i.indexrelid
where c.relname = 'memory_content_trigrams' and pg_table_is_visible(c.oid)
