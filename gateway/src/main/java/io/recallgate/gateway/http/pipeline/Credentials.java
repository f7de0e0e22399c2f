package io.recallgate.gateway.http.pipeline;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.http.access.KeyRing;
import io.recallgate.gateway.http.access.Principal;
import io.recallgate.recall.api.Scope;
import java.util.Locale;
import java.util.Optional;

/** Turns the headers of a request into a scope, or refuses. */
final class Credentials {

    private static final String BEARER = "bearer ";
    private static final int MAX_KEY_LENGTH = 4_096;
    private static final int MAX_PROJECT_LENGTH = 200;

    private final KeyRing keys;

    Credentials(KeyRing keys) {
        this.keys = keys;
    }

    Scope scope(Exchange exchange) {
        Principal principal = principal(exchange);
        Endpoint endpoint = exchange.endpoint();
        if (!principal.may(endpoint.right())) {
            throw new FailureException(
                    FailureCode.FORBIDDEN,
                    "this key does not have the right \""
                            + endpoint.right().name().toLowerCase(Locale.ROOT) + "\"");
        }
        return new Scope(principal.owner(), project(exchange));
    }

    private Principal principal(Exchange exchange) {
        if (keys.isOpen()) {
            return Principal.LOCAL;
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
        return keys.find(key.get())
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
