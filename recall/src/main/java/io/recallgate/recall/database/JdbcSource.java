package io.recallgate.recall.database;

import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.jdbc.SslMode;

/** The same database for JDBC, which only migrations use. Blocking: for worker threads. */
public final class JdbcSource {

    private JdbcSource() {}

    /** A source of unpooled connections. */
    public static DataSource of(DatabaseOptions options) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        if (options.usesUnixSocket()) {
            source.setServerNames(new String[] {"localhost"});
            source.setSocketFactory(UnixSocketFactory.class.getName());
            source.setSocketFactoryArg(options.socketFile());
        } else {
            source.setServerNames(new String[] {options.host()});
        }
        source.setPortNumbers(new int[] {options.port()});
        source.setDatabaseName(options.database());
        source.setUser(options.user());
        if (options.password() != null) {
            source.setPassword(options.password());
        }
        source.setSslMode(SslMode.valueOf(options.tls().name()).value);
        if (options.tlsRootCertificate() != null) {
            source.setSslRootCert(options.tlsRootCertificate());
        }
        source.setConnectTimeout(Math.max(1, options.connectTimeoutMillis() / 1_000));
        source.setLoginTimeout(Math.max(1, options.connectTimeoutMillis() / 1_000));
        source.setApplicationName("recallgate-migrate");
        return source;
    }
}
