package io.recallgate.recall.database;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where the database is and how many connections it gets.
 *
 * @param host name or address; an absolute path is the directory of a Unix socket
 * @param port 1 to 65,535
 * @param database name
 * @param user role
 * @param password null for none
 * @param tls transport security; the same meaning for both clients (CONTRACTS E11)
 * @param tlsRootCertificate PEM file of the authority, only and always with a mode that verifies
 * @param poolSize connections, 1 to 200
 * @param maxWaiting callers that may wait for a connection, 1 to 100,000; the next is refused
 * @param connectTimeoutMillis bound on opening one connection, 1 to 60,000
 */
public record DatabaseOptions(
        String host,
        int port,
        String database,
        String user,
        @Nullable String password,
        Tls tls,
        @Nullable String tlsRootCertificate,
        int poolSize,
        int maxWaiting,
        int connectTimeoutMillis) {

    /** What {@code sslmode} may be. */
    public enum Tls {
        /** Never. */
        DISABLE,
        /** Only if the server takes nothing else; its certificate is not checked. */
        ALLOW,
        /** If the server has it; its certificate is not checked. */
        PREFER,
        /** Always; its certificate is not checked. */
        REQUIRE,
        /** Always; the authority is checked, the host name is not. */
        VERIFY_CA,
        /** Always; authority and host name are checked. */
        VERIFY_FULL;

        /** Whether the server's certificate is checked. */
        public boolean verifies() {
            return this == VERIFY_CA || this == VERIFY_FULL;
        }

        /** As in a URL: {@code verify-full}. */
        public String wireName() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** Two cores keep fewer busy; the rest overlaps with the round trips of the write path. */
    public static final int DEFAULT_POOL_SIZE = 10;

    /** A few seconds of work for {@link #DEFAULT_POOL_SIZE} connections; beyond it waiting only hides overload. */
    public static final int DEFAULT_MAX_WAITING = 256;

    /** A server that is there answers within milliseconds. */
    public static final int DEFAULT_CONNECT_TIMEOUT_MILLIS = 5_000;

    private static final String EXAMPLE = "postgresql://user:password@host:5432/database";

    /** Checks every bound. */
    public DatabaseOptions {
        require(port >= 1 && port <= 65_535, "the port must be 1 to 65535");
        require(!host.isEmpty(), "the host is missing; expected " + EXAMPLE);
        require(!database.isEmpty(), "the database name is missing; expected " + EXAMPLE);
        require(!user.isEmpty(), "the user is missing; expected " + EXAMPLE);
        require(poolSize >= 1 && poolSize <= 200, "the pool size must be 1 to 200");
        require(maxWaiting >= 1 && maxWaiting <= 100_000, "the wait queue must be 1 to 100000");
        require(connectTimeoutMillis >= 1 && connectTimeoutMillis <= 60_000, "the connect timeout must be 1 to 60000");
        require(
                tls.verifies() == (tlsRootCertificate != null),
                "sslrootcert belongs to sslmode=verify-ca or verify-full, and those need it");
    }

    /**
     * Reads {@code postgresql://user:password@host:5432/database?sslmode=prefer}. A Unix socket is {@code
     * postgresql://user@/database?host=/directory}. Everything is percent-decoded.
     *
     * @throws IllegalArgumentException one sentence that says what is wrong and what is expected, without the password
     */
    public static DatabaseOptions parse(String url) {
        URI uri;
        try {
            // An empty authority host ("user@/db") is valid for PostgreSQL but not for URI.
            uri = new URI(url.replaceFirst("^(postgres(?:ql)?://(?:[^/@]*@)?)(/|$)", "$1unix-socket$2"));
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(
                    "not a URL: " + e.getReason() + "; special characters in it must be percent-encoded", e);
        }
        String scheme = uri.getScheme();
        require("postgresql".equals(scheme) || "postgres".equals(scheme), "the URL must start with postgresql://");
        require(
                uri.getHost() != null && uri.getFragment() == null,
                "host or port cannot be read; special characters must be percent-encoded; expected " + EXAMPLE);
        Map<String, String> parameters = parameters(uri.getRawQuery());
        String socket = parameters.remove("host");
        require(socket == null || socket.startsWith("/"), "the parameter host must be the directory of a socket");
        boolean noHost = "unix-socket".equals(uri.getHost());
        String host = socket != null ? socket : noHost ? "" : uri.getHost().replaceAll("^\\[|\\]$", "");
        String userInfo = uri.getRawUserInfo() == null ? "" : uri.getRawUserInfo();
        int colon = userInfo.indexOf(':');
        String user = decode(colon < 0 ? userInfo : userInfo.substring(0, colon));
        String password = colon < 0 ? null : decode(userInfo.substring(colon + 1));
        String path = uri.getRawPath();
        String database = path == null || path.length() < 2 ? "" : decode(path.substring(1));
        Tls tls = tls(parameters.remove("sslmode"), socket != null);
        String rootCertificate = parameters.remove("sslrootcert");
        require(
                parameters.isEmpty(),
                "unknown parameter " + String.join(", ", parameters.keySet())
                        + "; known are host, sslmode and sslrootcert");
        return new DatabaseOptions(
                host,
                uri.getPort() < 0 ? 5432 : uri.getPort(),
                database,
                user,
                password,
                tls,
                rootCertificate,
                DEFAULT_POOL_SIZE,
                DEFAULT_MAX_WAITING,
                DEFAULT_CONNECT_TIMEOUT_MILLIS);
    }

    /** The same with other bounds of the pool. */
    public DatabaseOptions withPool(int size, int waiting) {
        return new DatabaseOptions(
                host, port, database, user, password, tls, tlsRootCertificate, size, waiting, connectTimeoutMillis);
    }

    /** The same with another bound on opening a connection. */
    DatabaseOptions withConnectTimeout(int millis) {
        return new DatabaseOptions(
                host, port, database, user, password, tls, tlsRootCertificate, poolSize, maxWaiting, millis);
    }

    /** The same for another database of the same server. */
    public DatabaseOptions withDatabase(String name) {
        return new DatabaseOptions(
                host, port, name, user, password, tls, tlsRootCertificate, poolSize, maxWaiting, connectTimeoutMillis);
    }

    /** Whether the server is reached through a socket in the file system. */
    public boolean usesUnixSocket() {
        return host.startsWith("/");
    }

    /** The socket's file, as PostgreSQL names it. */
    String socketFile() {
        return host + "/.s.PGSQL." + port;
    }

    /** For messages: where it is, without the password. */
    public String describe() {
        return usesUnixSocket()
                ? database + " at " + socketFile() + " as " + user
                : database + " at " + host + ":" + port + " as " + user;
    }

    @Override
    public String toString() {
        return "DatabaseOptions[" + describe() + ", tls " + tls.wireName() + ", " + poolSize + " connections]";
    }

    private static Tls tls(@Nullable String name, boolean socket) {
        if (name == null) {
            return socket ? Tls.DISABLE : Tls.PREFER;
        }
        for (Tls tls : Tls.values()) {
            if (tls.wireName().equals(name)) {
                return tls;
            }
        }
        throw new IllegalArgumentException(
                "sslmode must be disable, allow, prefer, require, verify-ca or verify-full, not " + name);
    }

    private static Map<String, String> parameters(@Nullable String query) {
        Map<String, String> parameters = new LinkedHashMap<>();
        if (query == null || query.isEmpty()) {
            return parameters;
        }
        for (String pair : query.split("&", -1)) {
            int equals = pair.indexOf('=');
            require(equals > 0, "the URL's parameters must be name=value");
            String before = parameters.put(decode(pair.substring(0, equals)), decode(pair.substring(equals + 1)));
            require(before == null, "the parameter " + pair.substring(0, equals) + " is given twice");
        }
        return parameters;
    }

    private static String decode(String text) {
        try {
            // URLDecoder reads forms, where a plus is a space; in a URL it is a plus.
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("the URL has a % that is not followed by two hex digits", e);
        }
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }
}
