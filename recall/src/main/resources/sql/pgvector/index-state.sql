-- Whether an index can be used; no row: there is none. $1 name
select i.indisvalid from pg_index i join pg_class c on c.oid = i.indexrelid
where c.relname = $1 and pg_table_is_visible(c.oid)
