package io.recallgate.gateway.runtime;

import io.recallgate.gateway.config.ConfigException;
import io.recallgate.gateway.config.Setting;
import io.recallgate.recall.database.DatabaseOptions;
import io.vertx.core.Future;

/** A PostgreSQL that somebody else runs. */
final class ExternalDatabase implements DatabasePart {

    private final DatabaseOptions options;

    /** @throws ConfigException one line, without the password */
    ExternalDatabase(String url, int poolSize) {
        try {
            this.options = DatabaseOptions.parse(url).withPool(poolSize, DatabaseOptions.DEFAULT_MAX_WAITING);
        } catch (IllegalArgumentException wrong) {
            throw new ConfigException(Setting.DATABASE_URL.environment() + ": " + wrong.getMessage());
        }
    }

    @Override
    public Future<DatabaseOptions> start() {
        return Future.succeededFuture(options);
    }

    @Override
    public Future<Void> stop() {
        return Future.succeededFuture();
    }

    @Override
    public String describe() {
        return "external";
    }
}
