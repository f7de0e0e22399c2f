-- Whether the server has the extension, and the schema it is installed in. No row: it has not.
select a.default_version, quote_ident(n.nspname) as schema
from pg_available_extensions a
left join pg_extension e on e.extname = a.name
left join pg_namespace n on n.oid = e.extnamespace
where a.name = 'pg_trgm'
