package io.recallgate.gateway.postgres;

/**
 * Where the embedded PostgreSQL accepts connections; the same as long as the gateway runs, also after a restart.
 *
 * @param host a loopback address
 * @param port 1 to 65535
 * @param database its name
 * @param user its one role
 * @param password of the role; never logged
 */
public record PostgresEndpoint(String host, int port, String database, String user, String password) {

    @Override
    public String toString() {
        return "PostgresEndpoint[" + host + ":" + port + "/" + database + "]";
    }
}
