-- Whether the server has the extension, and which version is installed here. No row: it has not.
select default_version, installed_version from pg_available_extensions where name = 'vector'
