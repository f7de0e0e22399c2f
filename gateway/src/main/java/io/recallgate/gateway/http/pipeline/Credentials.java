package io.recallgate.gateway.http.pipeline;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.config.ApiKeys;
import io.recallgate.gateway.config.ApiKeys.Principal;
import io.recallgate.gateway.config.ApiKeys.Right;
import io.recallgate.recall.api.Scope;
import java.util.EnumSet;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Turns the headers of a request into a scope and rights, or refuses. */
final class Credentials {

    private static final String BEARER = "bearer ";
    private static final int MAX_KEY_LENGTH = 4_096;
    private static final int MAX_PROJECT_LENGTH = 200;

    /** The caller of a gateway without keys, which listens on loopback only. */
    private static final Principal LOCAL = new Principal(Scope.LOCAL_OWNER, null, EnumSet.allOf(Right.class));

    private final @Nullable Supplier<ApiKeys> keys;
    private final @Nullable LocalCallers callers;

    /** @param localName as in {@link HttpEnvironment}; not looked at when there are keys */
    Credentials(@Nullable Supplier<ApiKeys> keys, @Nullable String localName) {
        this.keys = keys;
        this.callers = localName == null ? null : new LocalCallers(localName);
    }

    void admit(Exchange exchange) {
        Principal principal = principal(exchange);
        exchange.rights(principal.rights());
        exchange.require(exchange.endpoint().right());
        String project = project(exchange);
        if (!principal.mayUse(project)) {
            throw FailureException.ofField(
                    FailureCode.FORBIDDEN, "x-recallgate-project", "this key may not use this project");
        }
        exchange.scope(new Scope(principal.owner(), project));
    }

    private Principal principal(Exchange exchange) {
        if (keys == null) {
            if (callers != null) {
                callers.require(exchange.routing().request());
            }
            return LOCAL;
        }
        boolean bearer = exchange.endpoint().gate() == Gate.KEY;
        Optional<String> key = exchange.header("x-recallgate-key")
                .or(() -> bearer ? exchange.header("authorization").map(Credentials::bearer) : Optional.empty())
                .filter(text -> !text.isEmpty() && text.length() <= MAX_KEY_LENGTH);
        if (key.isEmpty()) {
            throw new FailureException(
                    FailureCode.UNAUTHENTICATED,
                    bearer
                            ? "send a key as \"Authorization: Bearer KEY\" or \"x-recallgate-key: KEY\""
                            : "send the gateway's key as \"x-recallgate-key: KEY\"");
        }
        return keys.get()
                .check(key.get())
                .orElseThrow(() -> new FailureException(FailureCode.UNAUTHENTICATED, "this key is not known"));
    }

    private static String bearer(String header) {
        return header.regionMatches(true, 0, BEARER, 0, BEARER.length())
                ? header.substring(BEARER.length()).trim()
                : "";
    }

    /** Header values travel as bytes without a charset, so only what every charset agrees on is taken. */
    private static String project(Exchange exchange) {
        String project = exchange.header("x-recallgate-project").orElse("").trim();
        boolean printable = project.chars().allMatch(c -> c >= 0x20 && c < 0x7f);
        if (!printable || project.length() > MAX_PROJECT_LENGTH) {
            throw FailureException.ofField(
                    FailureCode.INVALID_FIELD,
                    "x-recallgate-project",
                    "x-recallgate-project must be at most " + MAX_PROJECT_LENGTH + " printable ASCII characters");
        }
        return project;
    }
}
