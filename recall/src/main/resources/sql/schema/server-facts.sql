-- What a server says of itself. Columns of pg_database differ between versions, so the locale of the builtin provider
-- (17 and later) is read through JSON.
select
  current_setting('server_version_num')::int as version_number,
  current_setting('server_version') as version,
  pg_encoding_to_char(d.encoding) as encoding,
  d.datlocprovider::text as provider,
  d.datcollate as collation,
  case when d.datlocprovider = 'c' then d.datctype
    else coalesce(to_jsonb(d) ->> 'datlocale', to_jsonb(d) ->> 'daticulocale', '') end as character_type,
  coalesce(current_schema(), '') as schema,
  coalesce(has_schema_privilege(current_schema(), 'create'), false) as may_create
from pg_database d
where d.datname = current_database()
